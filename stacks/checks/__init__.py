"""Checks of a stack that need more than the model: kubeconfig, secrets, local charts, scheduling."""
