"""A chart in a folder of the project: whether it is there, and of the version that the settings say."""

from collections.abc import Iterator
from pathlib import Path

from components.k8s.regular_file import MAX_STACK_FILE, read_regular_file
from components.k8s.yaml_documents import UnreadableYaml, read_documents
from components.operators.spec import OperatorSpec
from components.validation.errors import shown
from components.validation.violation import Violation

WRONG_CHART = "STK-06"

LOCAL = Path(".local")
"""Where `make up` puts the charts of the local environment, and `make down` takes them away again."""


def chart_folder(section: str, spec: OperatorSpec, reached: bool) -> Iterator[Violation]:
    """What is wrong with the chart of the operator that `section` is about.

    `reached`: whether one that `make up` makes must be there.
    """
    folder = Path(spec.chart)
    made = LOCAL in folder.parents
    if made and not reached and not folder.exists():
        return
    try:
        text = read_regular_file(folder / "Chart.yaml", MAX_STACK_FILE).decode()
        version = next(document.content["version"] for document in read_documents(text))
    except UnreadableYaml as error:
        message = f"{folder / 'Chart.yaml'} cannot be read: line {error.line}: {error}"
        yield Violation(WRONG_CHART, f"{section}.chart", message, error.fix)
    # A NUL in the path, and a file that is not UTF-8, are ValueErrors.
    except (OSError, ValueError, StopIteration, KeyError, TypeError):
        message = f"There is no chart in the folder {spec.chart}."
        fix = "Write `oci://` and the path in a registry, or a folder with a Chart.yaml, relative to the project's."
        yield Violation(WRONG_CHART, f"{section}.chart", message, "`make up` makes it." if made else fix)
    else:
        if version != spec.version:
            message = f"The chart in {spec.chart} is of version {shown(version)}, not {spec.version}."
            yield Violation(WRONG_CHART, f"{section}.version", message, f"Write {shown(version)}, or change the chart.")
