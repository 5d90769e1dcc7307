"""Commands about stack files: `python -m stacks check|compare|images|upgrade|write`. No engine is needed, and a cluster
only by `upgrade`, which does without one too."""

import argparse
import sys
from collections.abc import Callable, Mapping

from components.runtimes import InvalidRuntimeError
from components.validation.printable import printable

from .diff import diff, table
from .reference.json_schema import BASE_SCHEMA, STACK_SCHEMA, base_schema, stack_schema, to_json
from .reference.page import PAGE, reference
from .settings.errors import InvalidSettingsError
from .settings.load import Settings
from .settings.project import project_name
from .settings.stack_file import FOLDER, StackFileError
from .upgrade import PAGE as UPGRADING
from .upgrade import report, upgrading_page


def check(stacks: list[str]) -> int:
    """Check stack files, and say everything that is wrong."""
    for stack in stacks:
        _settings(stack)
        print(f"{FOLDER}/Pulumi.{stack}.yaml is valid.")
    return 0


def compare(stacks: list[str]) -> int:
    """Print what differs between two stacks, defaults included. The exit code is 1 where something does."""
    one, other = stacks
    rows = [*diff(_settings(one), _settings(other))]
    print(table([("", one, other), *rows]) if rows else f"{one} and {other} are the same.")
    return 1 if rows else 0


def images(stacks: list[str]) -> int:
    """Print every image and chart of stacks, as they are pulled."""
    found = {each._replace(path="") for stack in stacks for each in _settings(stack).artifacts()}
    for each in sorted(found):
        note = "" if each.is_pulled else "  (a folder of the project, not pulled)"
        print(f"{each.kind}  {printable(each.reference)}{note}")
    return 0


def upgrade(stacks: list[str], to: str) -> int:
    """Print what an upgrade of Trainer changes, per operator, runtime and TrainJob. The exit code is 1 where a step is
    left out."""
    text, is_possible = report(_settings(stacks[0]), to)
    print(text)
    return 0 if is_possible else 1


def write(_: list[str]) -> int:
    """Write the schema of stack files and the reference page anew, from the models."""
    project = project_name()
    for file, text in {
        STACK_SCHEMA: to_json(stack_schema(project)),
        BASE_SCHEMA: to_json(base_schema(project)),
        PAGE: reference(),
        UPGRADING: upgrading_page(UPGRADING.read_text(encoding="utf-8")),
    }.items():
        file.write_text(text, encoding="utf-8")
        print(f"{file} is written.")
    return 0


def _settings(stack: str) -> Settings:
    return Settings.of_stack(stack, project_name())


COMMANDS: Mapping[Callable[..., int], int | str | None] = {
    check: "+",
    compare: 2,
    images: "+",
    upgrade: 1,
    write: None,
}
"""Each command, with how many stacks it is about."""


def main() -> int:
    """Run one command; what is wrong with a stack's file prints as a message, not as a traceback."""
    parser = argparse.ArgumentParser(prog="python -m stacks", description=__doc__)
    commands = parser.add_subparsers(required=True)
    for command, count in COMMANDS.items():
        arguments = commands.add_parser(command.__name__, help=command.__doc__)
        arguments.set_defaults(command=command, stacks=[])
        if count:
            arguments.add_argument("stacks", nargs=count, metavar="stack")
        if command is upgrade:
            arguments.add_argument("--to", required=True, metavar="version", help="The version of Trainer.")
    chosen = parser.parse_args()
    try:
        options = {"to": chosen.to} if chosen.command is upgrade else {}
        return int(chosen.command(chosen.stacks, **options))
    except (InvalidSettingsError, InvalidRuntimeError, StackFileError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
