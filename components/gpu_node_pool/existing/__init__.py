"""Nodes that already exist, labelled and tainted as a pool."""
