"""Commands that are known never to end by themselves."""

import shlex
from collections.abc import Sequence
from itertools import pairwise

from ..topology import NODE
from .view import TRAINER, LocatedContainer, LocatedJob

_SHELLS = {"sh", "bash", "ash", "dash", "zsh", "ksh"}


def never_ends(job: LocatedJob) -> bool:
    """Whether a pod of this job runs a container that never ends.

    The container `node` of the trainer job does not count: a TrainJob's command may replace its own.
    """
    return job.pod is not None and any(
        runs_endlessly(container)
        for container in job.pod.containers
        if not container.init and not (job.ancestor == TRAINER and container.model.name == NODE)
    )


def runs_endlessly(container: LocatedContainer) -> bool:
    """Whether a container's command never ends: sshd in the foreground, `sleep infinity`, `tail -f`."""
    return _endless((*(container.model.command or ()), *(container.model.args or ())))


def runs_a_script(container: LocatedContainer) -> bool:
    """Whether a container's command is a script for a shell."""
    program, arguments = _called((*(container.model.command or ()), *(container.model.args or ())))
    return program in _SHELLS and bool(_script(arguments))


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
    """What follows a shell's `-c`, alone or among other letters."""
    return next((script for flag, script in pairwise(arguments) if _has_flag(flag, "c")), "")


def _last_command(script: str) -> list[str]:
    """The last simple command of a script; nothing where the script is more than a sequence of them."""
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
