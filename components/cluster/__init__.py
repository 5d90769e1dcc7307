"""The Kubernetes API for resource hooks: client, objects, permissions, polling, threads."""
