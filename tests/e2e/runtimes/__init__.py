"""Runtimes that are made up, with and without mistakes, and the API server that says which are which."""
