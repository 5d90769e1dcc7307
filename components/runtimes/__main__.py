"""`python -m <package> check FILE...`: a linter for training runtimes."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ..validation.printable import printable
from .loader import Report, read_files

_ERRORS_FOUND, _UNUSABLE = 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints all violations. Returns 1 where errors are among them, 2 where the arguments can't be used, else 0."""
    parser = ArgumentParser(prog=f"python -m {__package__}", description="Training runtimes of Kubeflow Trainer.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="check the runtimes in YAML files")
    check.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="YAML file, folder of YAML files, or - for standard input"
    )
    check.add_argument("--output", choices=("text", "json"), default="text", help="default: text")
    check.add_argument(
        "--adopt", action="store_true", help="report fields that the API has removed as warnings, not errors"
    )
    options = parser.parse_args(arguments)
    try:
        report = read_files(options.files, options.adopt)
    except OSError as error:
        print(printable(f"{parser.prog}: {error.filename}: {error.strerror}"), file=sys.stderr)
        return _UNUSABLE
    print(_json(report) if options.output == "json" else _text(report))
    return _ERRORS_FOUND if report.errors else 0


def _text(report: Report) -> str:
    errors = len(report.errors)
    warnings = len(report.violations) - errors
    summary = (
        f"{_count(errors, 'error')}, {_count(warnings, 'warning')}; {_count(len(report.runtimes), 'good runtime')}"
    )
    return "\n".join((*map(str, report.skipped), *map(str, report.violations), f"{summary}."))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _json(report: Report) -> str:
    names = [runtime.metadata.name for runtime in report.runtimes]
    violations, skipped = map(asdict, report.violations), map(asdict, report.skipped)
    return json.dumps({"violations": list(violations), "skipped": list(skipped), "good": names}, indent=2)


if __name__ == "__main__":
    sys.exit(main())
