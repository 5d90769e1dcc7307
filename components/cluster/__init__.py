"""The Kubernetes API as resource hooks use it: the client, objects, permissions, polling, threads."""
