"""The project that the stacks are of, as Pulumi.yaml names it."""

from pathlib import Path

import yaml

FILE = Path("Pulumi.yaml")


def project_name() -> str:
    """Its name, which stands before each section in a stack's file. Programs run in the project's folder."""
    return str(yaml.safe_load(FILE.read_text(encoding="utf-8"))["name"])


def project_folder() -> Path:
    """The project's folder: the working directory or the nearest one around it that has a Pulumi.yaml, else the folder
    of this package."""
    here = Path.cwd()
    around = (folder for folder in (here, *here.parents) if (folder / FILE).is_file())
    return next(around, Path(__file__).parents[2])
