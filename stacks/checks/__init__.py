"""Checks of a stack that need more than its model: kubeconfigs, namespaces of keys, local charts, scheduling."""
