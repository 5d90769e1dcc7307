"""`python -m tools.real_pods COMMAND...`: runs a command in a sandbox that can have real pods."""

import shutil
import sys
from itertools import chain

from tools import go_build, pulumi_engine
from tools.__main__ import build
from tools.real_pods import STATE, host_requirements, images, nodes, sandbox


def main(command: list[str]) -> int:
    """Create what is missing, run the command in a sandbox, and clean up.

    On a machine that cannot run real pods it prints the reason in one line and returns 0.
    """
    try:
        host_requirements.require()
    except host_requirements.UnsupportedHostError as reason:
        print(f"Real pods cannot run on this machine: {reason}.")
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
