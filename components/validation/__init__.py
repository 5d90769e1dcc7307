"""What is wrong with a value, and where: violations, field paths, the strict base model. Pure."""
