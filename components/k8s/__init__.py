"""Typed Kubernetes objects, their names and quantities. Pure: pydantic and nothing else."""
