"""`python -m tools.real_pods COMMAND...`: runs a command where it can have real pods."""

import shutil
import sys
from itertools import chain

from tools import go_build, pulumi_engine
from tools.__main__ import build
from tools.real_pods import STATE, host_requirements, images, nodes, sandbox


def main(command: list[str]) -> int:
    """Make what is missing, run the command in a box, and remove what is left of it.

    Where real pods cannot run, that is said in one line, and is no failure.
    """
    try:
        host_requirements.require()
    except host_requirements.UnsupportedHostError as reason:
        print(f"No real pods on this machine: {reason}.")
        return 0
    try:
        build(pulumi_engine.LOCAL_STACK)
        go_build.build(go_build.PODS)
        with go_build.locked("pods"):
            for image in chain.from_iterable(nodes.IMAGES.values()):
                image.make()
            return _run(command)
    except (go_build.BuildError, images.ImageBuildError) as failure:
        print(failure, file=sys.stderr)
        return 1


def _run(command: list[str]) -> int:
    shutil.rmtree(STATE, ignore_errors=True)  # of a run that was killed
    STATE.mkdir(parents=True, exist_ok=True)
    try:
        return sandbox.run(command)
    finally:
        shutil.rmtree(STATE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
