"""Commands for stack files: `python -m stacks check|compare|explain|images|upgrade|validate|write`. They need no
engine. Only `validate` needs the cluster; `upgrade`, and `explain` of a TrainJob, read it, if it can be reached."""

import argparse
import sys
from collections.abc import Callable, Mapping
from contextlib import chdir
from pathlib import Path

from components.cluster.client import ClusterReadError
from components.cluster.hook_error import PreflightError
from components.runtimes import InvalidRuntimeError
from components.runtimes.explain import RELEASES, ExplainError
from components.runtimes.explain.files import NoPairError, load_train_job
from components.runtimes.explain.output import OUTPUTS
from components.runtimes.pair_rules.summaries import train_job_rule_summaries
from components.runtimes.rules.summaries import rule_summaries
from components.validation.formats import FORMATS, print_quietly
from components.validation.printable import printable

from .check import NoStackError, all_stacks, check_stacks, find_stack
from .diff import diff, table
from .explain import NoRuntimeError, find_runtime
from .image_copies import IMAGE_FORMATS, image_copies
from .image_digests import DigestError, read_digests
from .reference.json_schema import BASE_SCHEMA, STACK_SCHEMA, base_schema, stack_schema, to_json
from .reference.page import PAGE, reference
from .settings.error_report import InvalidSettingsError
from .settings.load import load_stack
from .settings.project import project_folder, project_name
from .settings.resolve import ResolvedStack, resolve
from .settings.stack_file import StackFileError
from .upgrade import PAGE as UPGRADING
from .upgrade import report, upgrading_page
from .validate import REPORT_FORMATS, ValidateError, validate_stack


def check(words: list[str], every: bool, strict: bool, output: str, train_jobs: list[Path]) -> int:
    """Check stack files, and TrainJobs with the runtimes of each stack, and print all errors and warnings. The exit
    code is 0 if all files are valid, 1 if one has errors (with --strict also for warnings), and 2 if a stack or a file
    does not exist."""
    stacks, missing = [*all_stacks(project_folder())] if every else [], []
    for word in words:
        try:
            stacks.append(find_stack(word))
        except NoStackError as error:
            missing.append(str(error))
    try:
        report, summary = check_stacks(dict.fromkeys(stacks), train_jobs)
    except OSError as error:
        print(printable(f"{error.filename}: {error.strerror}"), file=sys.stderr)
        return 2
    rules = train_job_rule_summaries() if train_jobs else rule_summaries()
    print_quietly(FORMATS[output](report, summary, "python -m stacks check", rules))
    for each in missing:
        print(printable(each), file=sys.stderr)
    return 2 if missing else report.exit_code(strict)


def compare(stacks: list[str]) -> int:
    """Print the differences between two stacks, including defaults. The exit code is 1 if there are any."""
    one, other = stacks
    rows = [*diff(_resolved(one).config, _resolved(other).config)]
    print(table([("", one, other), *rows]) if rows else f"{one} and {other} are the same.")
    return 1 if rows else 0


def explain(
    stack: str, runtime: str | None, train_job: Path | None, *, trainer: str | None, output: str, offline: bool
) -> int:
    """Print what a TrainJob becomes with a runtime of a stack, and what the API server says of it by dry run. The exit
    code is 1 if the TrainJob can never start."""
    try:
        job = load_train_job(train_job) if train_job else None
        found = find_runtime(_resolved(stack).bind({}), runtime, job, trainer)
        explanation = found.explain(job)
    except (NoRuntimeError, NoPairError, ExplainError, OSError) as error:
        print(printable(str(error)), file=sys.stderr)
        return 2
    print_quietly(OUTPUTS[output](explanation))
    if job and not offline:
        # Other formats go to programs.
        to = sys.stdout if output == "text" else sys.stderr
        print("\nCluster", *(f"  {printable(line)}" for line in found.ask_cluster(job)), sep="\n", file=to)
    return 0 if explanation.can_start else 1


def images(stacks: list[str], output: str, digests: bool) -> int:
    """Print all images and charts of stacks. With --digests, print the digests that `images.pins` lacks; crane or
    skopeo reads them. The exit code is 1 if a digest cannot be read."""
    loaded = [load_stack(stack, project_name()) for stack in stacks]
    copies = sorted({copy for each in loaded for copy in image_copies(each)})
    if digests:
        try:
            print(read_digests(copies).as_yaml())
        except DigestError as error:
            print(error, file=sys.stderr)
            return 1
        return 0
    if text := IMAGE_FORMATS[output](copies):
        print(text)
    return 0


def upgrade(stacks: list[str], to: str) -> int:
    """Print what an upgrade of Trainer changes for each operator, runtime and TrainJob. The exit code is 1 if the
    upgrade skips a required step."""
    text, is_possible = report(_resolved(stacks[0]).bind({}), to)
    print(text)
    return 0 if is_possible else 1


def validate(stack: str, only: list[str], context: str | None, kubeconfig: str | None, output: str) -> int:
    """Run a small TrainJob with each runtime of a stack, and print what it showed. The exit code is 1 if one fails, and
    2 if it cannot run."""
    try:
        reports = validate_stack(_resolved(stack).bind({}), project_name(), only, context, kubeconfig)
        return 0 if REPORT_FORMATS[output](reports) else 1
    except (ValidateError, PreflightError, ClusterReadError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted. If a TrainJob is left, the next run deletes it.", file=sys.stderr)
        return 130


def write() -> int:
    """Generate the schema and the reference page of stack files from the models."""
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


def _resolved(stack: str) -> ResolvedStack:
    return resolve(load_stack(stack, project_name()))


COMMANDS: Mapping[Callable[..., int], int | str | None] = {
    compare: 2,
    images: "+",
    upgrade: 1,
    write: None,
}
"""All commands except `check`, `explain` and `validate`, each with the number of stacks that it takes."""


def main() -> int:
    """Run one command. Errors in a stack file are printed as a message, without a traceback."""
    parser = argparse.ArgumentParser(prog="python -m stacks", description=__doc__)
    commands = parser.add_subparsers(required=True)
    _add_check(commands.add_parser(check.__name__, help=check.__doc__, description=check.__doc__))
    _add_explain(commands.add_parser(explain.__name__, help=explain.__doc__, description=explain.__doc__))
    _add_validate(commands.add_parser(validate.__name__, help=validate.__doc__, description=validate.__doc__))
    for command, count in COMMANDS.items():
        arguments = commands.add_parser(command.__name__, help=command.__doc__)
        arguments.set_defaults(run=_runner(command))
        if count:
            arguments.add_argument("stacks", nargs=count, metavar="stack")
        if command is images:
            arguments.add_argument("--format", choices=IMAGE_FORMATS, default="text", dest="output")
            arguments.add_argument("--digests", action="store_true", help="Read missing digests from the registries.")
        if command is upgrade:
            arguments.add_argument("--to", required=True, metavar="version", help="The version of Trainer.")
    chosen = parser.parse_args()
    try:
        return int(chosen.run(chosen))
    except (InvalidSettingsError, InvalidRuntimeError, StackFileError) as error:
        print(error, file=sys.stderr)
        return 1


def _add_check(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("stacks", nargs="*", default=[], metavar="stack", help="a stack, or the path of its file")
    which.add_argument("--all", action="store_true", dest="every", help="all stacks of the project")
    parser.add_argument("--strict", action="store_true", help="exit with 1 for warnings too")
    parser.add_argument("--format", choices=FORMATS, default="text", dest="output", help="Default: text")
    parser.add_argument(
        "--train-job",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="a YAML file or folder with TrainJobs, checked with the runtimes of each stack. Repeatable",
    )
    parser.set_defaults(
        run=lambda chosen: check(chosen.stacks, chosen.every, chosen.strict, chosen.output, chosen.train_job)
    )


def _add_explain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stack", help="a stack")
    parser.add_argument(
        "runtime",
        nargs="?",
        help="the key of a runtime in the stack's file. Default: the one that the TrainJob refers to",
    )
    parser.add_argument("--train-job", type=Path, metavar="FILE", help="a YAML file with a TrainJob. Default: none")
    parser.add_argument("--trainer", choices=RELEASES, help="version of Trainer. Default: the stack's")
    parser.add_argument("-o", "--output", choices=OUTPUTS, default="text", help="Default: text")
    parser.add_argument("--offline", action="store_true", help="do not ask the API server about the TrainJob")

    def run(chosen: argparse.Namespace) -> int:
        file = chosen.train_job and chosen.train_job.absolute()
        with chdir(project_folder()):
            return explain(
                chosen.stack,
                chosen.runtime,
                file,
                trainer=chosen.trainer,
                output=chosen.output,
                offline=chosen.offline,
            )

    parser.set_defaults(run=run)


def _add_validate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stack", help="a stack")
    name = "a runtime; may be repeated. Default: those of the stack"
    parser.add_argument("--runtime", action="append", default=[], dest="only", metavar="NAME", help=name)
    parser.add_argument("--context", help="a context of the kubeconfig. Default: the stack's")
    parser.add_argument("--kubeconfig", help="path of a kubeconfig. Default: the stack's")
    parser.add_argument("-o", "--output", choices=REPORT_FORMATS, default="text", help="Default: text")
    parser.set_defaults(run=_runner(validate))


def _runner(command: Callable[..., int]) -> Callable[[argparse.Namespace], int]:
    """Returns a function that runs a command in the project's folder."""

    def run(chosen: argparse.Namespace) -> int:
        with chdir(project_folder()):
            return command(**{name: value for name, value in vars(chosen).items() if name != "run"})

    return run


if __name__ == "__main__":
    sys.exit(main())
