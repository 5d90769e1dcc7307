"""Benchmarks. `python -m bench` writes the results into docs/benchmarks.md. Nothing here is a test."""
