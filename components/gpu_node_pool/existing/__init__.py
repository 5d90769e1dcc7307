"""Nodes that already exist, labeled and tainted as a pool."""
