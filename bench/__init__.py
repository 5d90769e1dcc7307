"""How much things cost. Nothing here is a test: `python -m bench` writes what it measured into docs/benchmarks.md."""
