"""Nodes simulated by kwok, for the local cluster."""
