"""Recognizes commands that never end."""

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..topology import NODE
from .view import TRAINER, LocatedContainer, LocatedJob

_SHELLS = {"sh", "bash", "ash", "dash", "zsh", "ksh"}

_SERVER_IMAGE = re.compile(
    r"(?:^|[-_])(?:cadvisor|cloudwatch-agent|collector|envoy|etcd|exporter|filebeat|fluent-?bit|fluentd|grafana|haproxy|"
    r"memcached|minio|mongo|mysql|nginx|postgres|prometheus|promtail|redis|statsd|telegraf|tensorboard|tritonserver|"
    r"vllm-openai)(?:$|[-_])"
)
"""Names of images whose default command runs until it is stopped."""

_SERVER_PROGRAM = re.compile(
    r"cadvisor|envoy|etcd|filebeat|fluent-bit|fluentd|grafana-server|gunicorn|haproxy|jupyter(-lab)?|memcached|minio|"
    r"mongod|mysqld|nginx|otelcol|postgres|prometheus|promtail|redis-server|telegraf|tensorboard|tritonserver|uvicorn|"
    r".*[-_]exporter"
)
_SERVER_COMMANDS = {("vllm", "serve"), ("mlflow", "server"), ("mlflow", "ui")}
_SERVER_MODULE = re.compile(r"http\.server|tensorboard\.main|uvicorn|gunicorn|vllm\.entrypoints\..*|(.*\.)?server")

_ENDLESS_LOOP = re.compile(r"\b(?:while\s+(?:true|:|\[\s*1\s*\])|until\s+false)\s*[;\n]")
_LEAVES_LOOP = re.compile(r"\b(?:break|exit|return|kill)\b|\bdone\s*&(?!&)")
"""What ends an endless loop, or runs it in the background."""


def never_ends(job: LocatedJob) -> bool:
    """Whether a pod of this job has a container that never ends. The container `node` of the trainer's job does not
    count, because a TrainJob may replace its command."""
    return any(map(runs_endlessly, own_containers(job)))


def own_containers(job: LocatedJob) -> Iterator[LocatedContainer]:
    """The containers of a job's pods whose command TrainJobs cannot replace, without init containers."""
    for container in job.pod.containers if job.pod else ():
        if not container.init and not (job.ancestor == TRAINER and container.model.name == NODE):
            yield container


def looks_like_a_server(container: LocatedContainer) -> bool:
    """Whether a container's command is known to run until it is stopped. Without a command, its image counts."""
    model = container.model
    if model.command:
        return _serves((*model.command, *(model.args or ())))
    name = (model.image or "").partition("@")[0].rpartition("/")[2].partition(":")[0]
    return _SERVER_IMAGE.search(name) is not None


def _serves(argv: Sequence[str]) -> bool:
    program, arguments = _called(argv)
    if program in _SHELLS:
        script = _script(arguments)
        loops = _ENDLESS_LOOP.search(script) is not None and _LEAVES_LOOP.search(script) is None
        return loops or _serves(_last_command(script))
    if program == "exec":
        return _serves(arguments)
    if re.fullmatch(r"python[\d.]*", program):
        module = next((name for flag, name in pairwise(arguments) if flag == "-m"), "")
        return _SERVER_MODULE.fullmatch(module) is not None
    command = program, next(iter(arguments), "")
    return command in _SERVER_COMMANDS or _SERVER_PROGRAM.fullmatch(program) is not None


def runs_endlessly(container: LocatedContainer) -> bool:
    """Whether a container's command never ends: sshd in the foreground, `sleep infinity`, `tail -f`."""
    return _endless((*(container.model.command or ()), *(container.model.args or ())))


def runs_a_script(container: LocatedContainer) -> bool:
    """Whether a container's command is a script for a shell."""
    program, arguments = _called((*(container.model.command or ()), *(container.model.args or ())))
    return program in _SHELLS and bool(_script(arguments))


def is_script(container: LocatedContainer, text: str) -> bool:
    """Whether an argument of a container's command is the script that a shell runs."""
    program, arguments = _called((*(container.model.command or ()), *(container.model.args or ())))
    return program in _SHELLS and text == _script(arguments)


def _called(argv: Sequence[str]) -> tuple[str, Sequence[str]]:
    return (argv[0].rpartition("/")[2], argv[1:]) if argv else ("", ())


def _endless(argv: Sequence[str]) -> bool:
    program, arguments = _called(argv)
    if program in _SHELLS:
        return _endless(_last_command(_script(arguments)))
    match program:
        case "exec":
            return _endless(arguments)
        case "sshd":
            return any(_has_flag(argument, "D") for argument in arguments)
        case "sleep":
            return any(argument in {"infinity", "inf"} for argument in arguments)
        case "tail":
            return any(_has_flag(argument, "fF") or argument.startswith("--follow") for argument in arguments)
    return False


def _has_flag(argument: str, letters: str) -> bool:
    return argument.startswith("-") and not argument.startswith("--") and any(letter in argument for letter in letters)


def _script(arguments: Sequence[str]) -> str:
    """The argument after a shell's `-c`, which can be one of several option letters."""
    return next((script for flag, script in pairwise(arguments) if _has_flag(flag, "c")), "")


def _last_command(script: str) -> list[str]:
    """The last simple command of a script. Empty if the script is not a sequence of simple commands, unless its last
    line begins with `exec`."""
    *_, last = script.strip().split("\n")
    script = last if last.startswith("exec ") else script
    lexer = shlex.shlex(script.replace("\n", ";"), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    command: list[str] = []
    try:
        for token in lexer:
            if token in {";", "&&"}:
                command = []
            elif set(token) <= set("();<>|&"):
                return []
            else:
                command.append(token)
    except ValueError:
        return []
    return command
