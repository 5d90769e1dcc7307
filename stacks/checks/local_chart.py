"""Checks a chart in a folder of the project: it must exist and have the version in the stack file."""

from collections.abc import Iterator
from pathlib import Path

from components.k8s.regular_file import MAX_STACK_FILE, read_regular_file
from components.k8s.yaml_documents import YamlError, read_documents
from components.operators.spec import OperatorSpec
from components.validation.errors import yaml_repr
from components.validation.violation import Violation

LOCAL = Path(".local")
"""Folder in which `make up` creates the charts of the local environment. `make down` removes it."""


def check_local_chart(section: str, spec: OperatorSpec, require_local_state: bool) -> Iterator[Violation]:
    """Yields violations for the local chart of an operator.

    `section` is the operator's. `require_local_state`: whether a chart that `make up` creates must exist.
    """
    folder = Path(spec.chart)
    made = LOCAL in folder.parents
    if made and not require_local_state and not folder.exists():
        return
    try:
        text = read_regular_file(folder / "Chart.yaml", MAX_STACK_FILE).decode()
        version = next(document.content["version"] for document in read_documents(text))
    except YamlError as error:
        message = f"{folder / 'Chart.yaml'} cannot be read: line {error.line}: {error}"
        yield Violation("STK-06", f"{section}.chart", message, error.fix)
    # A NUL in the path, and a file that is not UTF-8, are ValueErrors.
    except (OSError, ValueError, StopIteration, KeyError, TypeError):
        message = f"No chart is in folder {spec.chart}."
        fix = "Use `oci://` and the path in a registry, or a folder with a Chart.yaml, relative to the project's."
        yield Violation("STK-06", f"{section}.chart", message, "Run `make up` to create it." if made else fix)
    else:
        if version != spec.version:
            message = f"The chart in {spec.chart} has version {yaml_repr(version)}, not {spec.version}."
            yield Violation("STK-06", f"{section}.version", message, f"Set {yaml_repr(version)}, or change the chart.")
