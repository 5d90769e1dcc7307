"""Typed Kubernetes objects, their names and quantities. Pure: depends only on pydantic and Kubeflow's models."""
