"""The commands behind the Makefile: `python -m tools up|start|preview|refresh|destroy|train|status|down|build|env`."""

import argparse
import os
import shlex
import signal
import subprocess
import sys
from contextlib import AbstractContextManager, nullcontext

from tools import KUBECONFIG, LOCAL, STATE, go_build, pulumi_engine
from tools import demo_training as training
from tools.local_cluster import cluster, operators
from tools.local_cluster.operator_pod import MarkerError


def up(stack: str, confirmed: bool = False) -> None:
    """Deploy the stack. For the local stack, start its cluster first."""
    if stack == pulumi_engine.LOCAL_STACK:
        start(stack)
    pulumi_engine.run("up", stack, confirmed)
    if stack == pulumi_engine.LOCAL_STACK:
        print(SUMMARY.format(kubeconfig=KUBECONFIG))


SUMMARY = """
The local stack is deployed to a cluster on this machine, as set in stacks/Pulumi.local.yaml. By default that is 4
simulated nodes with 8 GPUs each, JobSet, Kubeflow Trainer, and its DeepSpeed and MLX runtimes.

To inspect it with kubectl:
  export KUBECONFIG={kubeconfig}
  kubectl get nodes
  kubectl get pods --all-namespaces
  kubectl get clustertrainingruntimes

Try next:
  make train     submit a DeepSpeed TrainJob with 4 nodes and show when its pods become ready
  make preview   show what would change (nothing until you edit stacks/Pulumi.local.yaml)
  make down      destroy the stack and delete the cluster
"""


def start(_: str, _confirmed: bool = False) -> None:
    """Start the local cluster without deploying anything."""
    go_build.build(go_build.CLUSTER + operators.PROGRAMS)
    cluster.start()


def preview(stack: str, _confirmed: bool = False) -> None:
    """Show what `up` would change."""
    _cluster_for(stack)
    pulumi_engine.run("preview", stack)


def refresh(stack: str, confirmed: bool = False) -> None:
    """Update the state to match the cluster."""
    _cluster_for(stack)
    pulumi_engine.run("refresh", stack, confirmed)


def destroy(stack: str, confirmed: bool = False) -> None:
    """Destroy the stack and keep the cluster."""
    _cluster_for(stack)
    pulumi_engine.run("destroy", stack, confirmed)


def down(stack: str, confirmed: bool = False) -> None:
    """Destroy the stack. For the local stack, also delete its cluster."""
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
    print("The local cluster was deleted." if existed else "No local cluster exists.")


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
        print(f"Pulumi engine: the official one, {official}")
    processes = cluster.components()
    for name, alive in processes.items():
        print(f"{name:28} {'running' if alive else 'stopped'}")
    print(f"kubeconfig: {KUBECONFIG}" if processes else "No local cluster exists.")


def build(_: str, _confirmed: bool = False) -> None:
    """Build all missing programs."""
    wanted = go_build.CLUSTER + operators.PROGRAMS
    go_build.build(wanted if go_build.official_engine() else go_build.ENGINE + wanted)


def env(stack: str, _confirmed: bool = False) -> None:
    """Print the variables with which an official Pulumi CLI and kubectl use the local stack."""
    if stack == pulumi_engine.LOCAL_STACK and not KUBECONFIG.exists():
        raise cluster.LocalClusterError(NO_CLUSTER)
    cluster_of_it = {"KUBECONFIG": str(KUBECONFIG)} if stack == pulumi_engine.LOCAL_STACK else {}
    for name, value in (pulumi_engine.environment(stack) | cluster_of_it).items():
        print(f"export {name}={shlex.quote(value)}")
    # The provider leaves kubeconfigs in the temporary folder. The number is that of the shell that reads this.
    pulumi_engine.remove_left_folders()
    print(f'export TMPDIR={shlex.quote(str(LOCAL))}/scratch-$$-shell && mkdir -p -m 700 "$TMPDIR"')


COMMANDS = {c.__name__: c for c in (up, start, preview, refresh, destroy, train, status, down, build, env)}
CHANGES = (up, start, refresh, destroy, down)
"""Commands of which only one may run on the local stack at a time."""
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
    """Run one command. An expected failure prints a message and no traceback."""
    parser = argparse.ArgumentParser(prog="python -m tools", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        arguments = commands.add_parser(name, help=command.__doc__)
        arguments.add_argument("--stack", default=pulumi_engine.LOCAL_STACK)
        arguments.add_argument(
            "--yes", action="store_true", help="change a stack other than the local one without asking"
        )
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that cleanup runs then too
    for variable in ("NO_PROXY", "no_proxy"):  # the local cluster needs no proxy
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
