"""The linter, the catalogue, and what a TrainJob becomes, as a command: `training-runtimes check FILE...`,
`training-runtimes print FRAMEWORK` and `training-runtimes explain RUNTIME [TRAINJOB]`.

Without the console script: `python -m <package> check FILE...`
"""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..k8s.invalid import InvalidRuntimeError
from ..validation.formats import FORMATS, print_quietly
from ..validation.near import did_you_mean
from ..validation.printable import printable
from ..validation.report import Report, RuleSummary, count
from .loader import RuntimesReport, read_files

_ERRORS_FOUND, _UNUSABLE = 1, 2


class _ArgumentError(ValueError):
    """An argument that cannot be used."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command. Returns 0, 1 if errors were found (with `--strict`: or warnings), 2 if arguments are unusable."""
    name = Path(sys.argv[0]).name
    parser = ArgumentParser(
        prog=f"python -m {__package__}" if name == "__main__.py" else name,
        description="Training runtimes and TrainJobs of Kubeflow Trainer: a linter and a catalogue.",
        epilog="Exit codes: 0: valid. 1: errors, or warnings with --strict. 2: unusable arguments or files.",
    )
    words = sys.argv[1:] if arguments is None else arguments
    commands = parser.add_subparsers(required=True)
    for command, (about, add_arguments) in _COMMANDS.items():
        subparser = commands.add_parser(command, help=about)
        # The arguments of the others are not needed, and would import the catalogue.
        if command in words:
            add_arguments(subparser)
    options = parser.parse_args(words)
    try:
        return int(options.run(options))
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}"
    except _ArgumentError as error:
        problem = str(error)
    print(printable(f"{parser.prog}: {problem}"), file=sys.stderr)
    return _UNUSABLE


def _add_check(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="a YAML file, a folder of them, or - for standard input"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="output format. Default: text")
    parser.add_argument("--strict", action="store_true", help="exit with 1 for warnings too")
    parser.add_argument("--ignore", metavar="ID[,ID]", default="", help="rules whose violations are not reported")
    parser.add_argument("--adopt", action="store_true", help="fields that the API no longer has are warnings")
    parser.add_argument("--trainer", metavar="VERSION", help="version of Trainer, for TrainJobs. Default: the newest")
    parser.add_argument(
        "--runtimes",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="a YAML file or folder with runtimes of TrainJobs, which are not checked themselves. Repeatable",
    )
    parser.add_argument(
        "--context",
        metavar="NAME",
        help="a context of the kubeconfig: runtimes that no file has are read from its cluster. "
        "Default: upstream's, from the catalogue",
    )
    parser.set_defaults(run=_check)


def _check(options: Namespace) -> int:
    ignored = [rule_id.strip() for rule_id in options.ignore.split(",") if rule_id.strip()]
    report = read_files(options.files, options.adopt, skip_templates=True)
    rules = _rules(ignored, report) if ignored or options.format == "sarif" else {}
    for rule_id in ignored:
        if rule_id not in rules:
            raise _ArgumentError(f"--ignore: there is no rule {rule_id}. {did_you_mean(rule_id, rules)}".strip())
    if report.train_jobs:
        _check_train_jobs(options, report)
    kept: Report = report
    if ignored:
        from .rules.summaries import reported_as

        kept = report.without(reported_as(ignored))
    jobs = sum(each["kind"] == "TrainJob" for each in report.valid)
    valid = count(len(report.valid) - jobs, "valid runtime")
    if report.train_jobs:
        valid += f", {count(jobs, 'valid TrainJob')}"
    print_quietly(FORMATS[options.format](kept, f"{kept.counts}; {valid}.", "training-runtimes", rules))
    return kept.exit_code(options.strict)


def _rules(ignored: Sequence[str], report: RuntimesReport) -> Mapping[str, RuleSummary]:
    """The rules that can be ignored or reported. Those for TrainJobs are loaded only if they are needed."""
    from .rules.summaries import rule_summaries

    rules = rule_summaries()
    if report.train_jobs or not rules.keys() >= {*ignored}:
        from .pair_rules.summaries import train_job_rule_summaries

        return train_job_rule_summaries()
    return rules


def _check_train_jobs(options: Namespace, report: RuntimesReport) -> None:
    """Adds what is wrong in the TrainJobs to the report."""
    from .explain.explainer import ExplainError
    from .explain.releases import LATEST
    from .train_job_linter import RuntimeSourceError, catalogue, check_train_jobs

    if not options.context:
        source = catalogue()
    else:
        from ..cluster.client import ClusterClient
        from .cluster_runtimes import runtimes_of_cluster

        source = runtimes_of_cluster(ClusterClient(options.context))
    try:
        check_train_jobs(report, source, options.trainer or LATEST, read_files(options.runtimes, adopt=True))
    except ExplainError as error:
        raise _ArgumentError(f"--trainer: {error}") from None
    except RuntimeSourceError as error:
        raise _ArgumentError(f"--context: {error}") from None


def _add_print(parser: ArgumentParser) -> None:
    from .catalog import FACTORIES

    parser.add_argument("framework", choices=FACTORIES, help=", ".join(FACTORIES), metavar="FRAMEWORK")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a key of the runtime as in a stack file, its value as YAML: --option gpusPerNode=8. Repeatable",
    )
    parser.set_defaults(run=_print)


def _print(options: Namespace) -> int:
    from ..k8s.yaml_output import to_yaml
    from .catalog import FACTORIES

    given = dict(map(_option, options.option))
    try:
        runtime = FACTORIES[options.framework](**given)
    except InvalidRuntimeError as error:
        print(error, file=sys.stderr)
        return _ERRORS_FOUND
    for warning in runtime.check():
        print(f"{warning.severity}: {warning}", file=sys.stderr)
    print_quietly(to_yaml(runtime.to_manifest()).rstrip("\n"))
    return 0


def _option(text: str) -> tuple[str, object]:
    from ..k8s.yaml_documents import YamlError, read_documents

    key, equals, value = text.partition("=")
    if not equals or not key:
        raise _ArgumentError(f"--option {text}: write KEY=VALUE.")
    try:
        return key, next((document.content for document in read_documents(value)), None)
    except YamlError as error:
        raise _ArgumentError(f"--option {text}: {error} {error.fix}") from None


def _add_explain(parser: ArgumentParser) -> None:
    from .explain.output import OUTPUTS
    from .explain.releases import LATEST, RELEASES

    parser.add_argument("runtime", type=Path, metavar="RUNTIME", help="a YAML file with the runtime")
    parser.add_argument(
        "train_job",
        type=Path,
        nargs="?",
        metavar="TRAINJOB",
        help="a YAML file with the TrainJob. Default: one that sets nothing",
    )
    parser.add_argument("--trainer", choices=RELEASES, default=LATEST, help=f"version of Trainer. Default: {LATEST}")
    parser.add_argument("--nodes", type=_positive, metavar="N", help="nodes that the pool can have")
    parser.add_argument("--gpus-per-node", type=_positive, metavar="N", help="GPUs of each node of the pool")
    parser.add_argument("-o", "--output", choices=OUTPUTS, default="text", help="output format. Default: text")
    parser.set_defaults(run=_explain)


def _explain(options: Namespace) -> int:
    from .explain import ExplainError, explain
    from .explain.files import NoPairError, load_pair
    from .explain.output import OUTPUTS
    from .placement import Placement

    pool = None
    if options.gpus_per_node:
        pool = Placement(gpus_per_node=options.gpus_per_node, max_nodes=options.nodes)
    elif options.nodes:
        raise _ArgumentError("--nodes: add --gpus-per-node.")
    try:
        runtime, train_job = load_pair(options.runtime, options.train_job)
        explanation = explain(runtime, train_job, pool, options.trainer)
    except (NoPairError, ExplainError) as error:
        raise _ArgumentError(str(error)) from None
    except InvalidRuntimeError as error:
        print(error, file=sys.stderr)
        return _ERRORS_FOUND
    print_quietly(OUTPUTS[options.output](explanation))
    return 0 if explanation.can_start else _ERRORS_FOUND


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"{text} is not a number of 1 or more")
    return int(text)


_COMMANDS: Mapping[str, tuple[str, Callable[[ArgumentParser], None]]] = {
    "check": ("check the runtimes and TrainJobs in YAML files", _add_check),
    "print": ("print a runtime of the catalogue as YAML", _add_print),
    "explain": ("print what a runtime and a TrainJob become", _add_explain),
}


if __name__ == "__main__":
    sys.exit(main())
