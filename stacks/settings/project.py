"""The Pulumi project of the stacks."""

from pathlib import Path

import yaml

FILE = Path("Pulumi.yaml")


def project_name() -> str:
    """Name of the project in Pulumi.yaml, which is the prefix of all sections. The working directory must be the
    project's folder."""
    return str(yaml.safe_load(FILE.read_text(encoding="utf-8"))["name"])


def project_folder() -> Path:
    """Folder of the project: the working directory or its nearest parent with a Pulumi.yaml, or else the folder of this
    package."""
    here = Path.cwd()
    around = (folder for folder in (here, *here.parents) if (folder / FILE).is_file())
    return next(around, Path(__file__).parents[2])
