"""The JSON schema and the reference page of stack files, generated from the models."""
