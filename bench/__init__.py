"""How much things cost. Nothing here is a test: `python -m bench` prints what it measured, as Markdown."""
