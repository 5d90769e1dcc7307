"""The project that the stacks are of, as Pulumi.yaml names it."""

from pathlib import Path

import yaml


def project_name() -> str:
    """Its name, which stands before each section in a stack's file. Programs run in the project's folder."""
    return str(yaml.safe_load(Path("Pulumi.yaml").read_text(encoding="utf-8"))["name"])
