"""Checks that the cluster admits what users create: dry-run probes, versions, pruned fields."""
