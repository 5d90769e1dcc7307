"""The commands behind the Makefile: `python -m tools up|start|preview|refresh|destroy|train|status|down|build|env`."""

import argparse
import os
import shlex
import signal
import subprocess
import sys
from contextlib import AbstractContextManager, nullcontext

from tools import KUBECONFIG, STATE, go_build, pulumi_engine
from tools import demo_training as training
from tools.local_cluster import cluster, operators
from tools.local_cluster.operator_pod import MarkerError


def up(stack: str, confirmed: bool = False) -> None:
    """Bring the stack up; for the local stack, its cluster first."""
    if stack == pulumi_engine.LOCAL_STACK:
        start(stack)
    pulumi_engine.run("up", stack, confirmed)
    if stack == pulumi_engine.LOCAL_STACK:
        print(SUMMARY.format(kubeconfig=KUBECONFIG))


SUMMARY = """
The local stack is up on a cluster of this machine: what stacks/Pulumi.local.yaml says, which as it comes is 4 simulated
nodes of 8 GPUs, JobSet, Kubeflow Trainer, and its DeepSpeed and MLX runtimes.

Look at it, if you have kubectl:
  export KUBECONFIG={kubeconfig}
  kubectl get nodes
  kubectl get pods --all-namespaces
  kubectl get clustertrainingruntimes

Try next:
  make train     submit a DeepSpeed TrainJob of 4 nodes and watch who becomes ready when
  make preview   what would change (nothing, until you edit stacks/Pulumi.local.yaml)
  make down      destroy the stack, stop the cluster
"""


def start(_: str, _confirmed: bool = False) -> None:
    """Start the local cluster, with nothing on it yet."""
    go_build.build(go_build.CLUSTER + operators.PROGRAMS)
    cluster.start()


def preview(stack: str, _confirmed: bool = False) -> None:
    """Show what `up` would change."""
    _cluster_for(stack)
    pulumi_engine.run("preview", stack)


def refresh(stack: str, confirmed: bool = False) -> None:
    """Compare the state with what is really there."""
    _cluster_for(stack)
    pulumi_engine.run("refresh", stack, confirmed)


def destroy(stack: str, confirmed: bool = False) -> None:
    """Remove what the stack made, and leave the cluster."""
    _cluster_for(stack)
    pulumi_engine.run("destroy", stack, confirmed)


def down(stack: str, confirmed: bool = False) -> None:
    """Destroy the stack; for the local one, then stop its cluster and remove it."""
    if stack != pulumi_engine.LOCAL_STACK:
        pulumi_engine.run("destroy", stack, confirmed)
        return
    existed = KUBECONFIG.exists()
    try:
        if existed and STATE.exists():
            _cluster_for(stack)
            pulumi_engine.run("destroy", stack, confirmed)
    finally:
        cluster.delete()
    print("The local cluster is gone." if existed else "No local cluster exists.")


NO_CLUSTER = "No local cluster exists. Run `make up` to create it."


def _cluster_for(stack: str) -> None:
    if stack == pulumi_engine.LOCAL_STACK:
        if not KUBECONFIG.exists():
            raise cluster.LocalClusterError(NO_CLUSTER)
        start(stack)


def train(_: str, _confirmed: bool = False) -> None:
    """Submit a TrainJob to the local platform and show its timeline."""
    training.run()


def status(_: str, _confirmed: bool = False) -> None:
    """Show what is built and what runs."""
    for program in go_build.ENGINE + go_build.CLUSTER + operators.PROGRAMS:
        print(f"{program.name:28} {'built' if program.is_built else 'missing'}")
    official = go_build.official_engine()
    if official is not None:
        print(f"The official engine is used: {official}")
    processes = cluster.components()
    for name, alive in processes.items():
        print(f"{name:28} {'running' if alive else 'stopped'}")
    print(f"kubeconfig: {KUBECONFIG}" if processes else "There is no local cluster.")


def build(_: str, _confirmed: bool = False) -> None:
    """Build what is missing."""
    wanted = go_build.CLUSTER + operators.PROGRAMS
    go_build.build(wanted if go_build.official_engine() else go_build.ENGINE + wanted)


def env(stack: str, _confirmed: bool = False) -> None:
    """Print the variables that let an official Pulumi CLI and kubectl work on the local stack."""
    if stack == pulumi_engine.LOCAL_STACK and not KUBECONFIG.exists():
        raise cluster.LocalClusterError(NO_CLUSTER)
    cluster_of_it = {"KUBECONFIG": str(KUBECONFIG)} if stack == pulumi_engine.LOCAL_STACK else {}
    for name, value in (pulumi_engine.environment(stack) | cluster_of_it).items():
        print(f"export {name}={shlex.quote(value)}")


COMMANDS = {c.__name__: c for c in (up, start, preview, refresh, destroy, train, status, down, build, env)}
CHANGES = (up, start, refresh, destroy, down)
"""The commands of which only one may run on the local stack at a time."""
EXPECTED = (
    go_build.BusyError,
    MarkerError,
    go_build.BuildError,
    cluster.LocalClusterError,
    pulumi_engine.EngineError,
    training.TrainingError,
)


def _held(command: str, stack: str) -> AbstractContextManager[None]:
    changes = stack == pulumi_engine.LOCAL_STACK and COMMANDS[command] in CHANGES
    return go_build.only_command(command) if changes else nullcontext()


def main() -> int:
    """Run one command; what is expected to go wrong prints as a message, not as a traceback."""
    parser = argparse.ArgumentParser(prog="python -m tools", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        arguments = commands.add_parser(name, help=command.__doc__)
        arguments.add_argument("--stack", default=pulumi_engine.LOCAL_STACK)
        arguments.add_argument("--yes", action="store_true", help="change another stack than the local one unasked")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what is half made is cleared away then too
    for variable in ("NO_PROXY", "no_proxy"):  # the local cluster is on this machine, whatever leads to others
        os.environ[variable] = ",".join(filter(None, (os.environ.get(variable), "127.0.0.1", "localhost")))
    try:
        with _held(chosen.command, chosen.stack):
            COMMANDS[chosen.command](chosen.stack, chosen.yes)
    except EXPECTED as failure:
        print(failure, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as failure:
        print(f"`{' '.join(map(str, failure.cmd))}` failed, see above.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
