"""The settings of a stack: each file is read once and validated once, and all errors are reported at once."""
