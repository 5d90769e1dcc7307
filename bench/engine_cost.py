"""Durations of engine operations: of our program, a bare program, Helm releases and kubectl, in turn on one cluster."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from bench import scenarios
from bench.timing import Results, measure_round_robin, seconds
from bench.workspaces import Checkout, cluster, run
from tools import go_build

RUNTIMES = (20, 100, 300)
POOLS = (5, 15, 45)
LONG = 200
"""With more runtimes than this, a round takes minutes."""
OPERATIONS = ("up", "preview", "refresh", "change", "destroy")


@dataclass(frozen=True)
class Program:
    """A program and its declarations before and after a change."""

    checkout: Checkout
    declare: Callable[[bool], None]
    """Writes the declarations: the original ones, or the changed ones."""

    def measure(self) -> Mapping[str, float]:
        """Measure each operation once, ending with a destroy."""
        self.declare(False)
        found = {operation: self.checkout.timed(operation) for operation in ("up", "preview", "refresh")}
        self.declare(True)
        found["change"] = self.checkout.timed("up")
        return found | {"destroy": self.checkout.timed("destroy")}


@dataclass(frozen=True)
class Kubectl:
    """The same objects, applied with server-side apply."""

    cluster: Checkout
    before: Path
    after: Path

    def measure(self) -> Mapping[str, float]:
        """Measure the operations that kubectl has."""
        found = {"up": self._timed("apply", "--server-side", "--filename", self.before)}
        found["preview"] = self._timed("diff", "--server-side", "--filename", self.before)
        found["change"] = self._timed("apply", "--server-side", "--filename", self.after)
        return found | {"destroy": self._timed("delete", "--filename", self.after)}

    def _timed(self, *arguments: str | Path) -> float:
        return seconds(lambda: kubectl(self.cluster, *map(str, arguments)))


def kubectl(on: Checkout, *arguments: str) -> str:
    """Run kubectl on a cluster and return its output. Raises CommandFailedError."""
    return run([str(go_build.KUBECTL[0].path), "--kubeconfig", str(on.kubeconfig), *arguments], on.folder)


def of_runtimes(rounds: int, counts: Sequence[int] = RUNTIMES) -> dict[int, Results]:
    """Stacks with only runtimes, by their number, on a cluster with running operators."""
    with cluster() as on, TemporaryDirectory(prefix="bench-") as folder:
        on.tools("up")
        return {count: _runtimes(on, Path(folder) / str(count), count, _fewer(rounds, count)) for count in counts}


def of_pools(rounds: int, counts: Sequence[int] = POOLS) -> dict[int, Results]:
    """Stacks with only GPU node pools of two nodes each, by their number."""
    with cluster() as on, TemporaryDirectory(prefix="bench-") as folder:
        return {count: _pools(on, Path(folder) / str(count), count, rounds) for count in counts}


def of_platform(rounds: int) -> dict[int, Results]:
    """The local stack: nodes, both operators and two runtimes."""
    with cluster() as on, TemporaryDirectory(prefix="bench-") as folder:
        sections = scenarios.platform(on)
        changed = {**sections, "jobset": {**sections["jobset"], "commonLabels": {"changed": "yes"}}}
        ours, declared = _ours(on, Path(folder), sections, changed)
        programs = {
            "bare": _bare(on, Path(folder) / "bare", declared),
            "ours": ours,
            "bare, operators at once": _bare(
                on, Path(folder) / "at-once", [*map(scenarios.operators_in_parallel, declared)]
            ),
            "bare, CRDs apart": _bare(on, Path(folder) / "apart", [*map(scenarios.without_crds, declared)]),
            "Helm releases": _bare(on, Path(folder) / "release", [*map(scenarios.as_helm_releases, declared)]),
        }
        measures = {name: _clean(on, each, name == "bare, CRDs apart") for name, each in programs.items()}
        return {2: measure_round_robin(measures, rounds, warmup_rounds=0)}


def _fewer(rounds: int, count: int) -> int:
    """The number of rounds: fewer for what takes minutes."""
    return max(1, rounds - 1) if count > LONG else rounds


def _clean(on: Checkout, program: Program, apart: bool) -> Callable[[], Mapping[str, float]]:
    """Measure a program and delete the CRDs that it leaves, so that the next one does not find them. With `apart`, CRDs
    are installed before."""

    def measure() -> Mapping[str, float]:
        for crds in (on.folder / ".local" / "charts").glob("*/crds") if apart else ():
            kubectl(on, "apply", "--server-side", "--filename", str(crds))
        found = program.measure()
        kubectl(on, "delete", "customresourcedefinitions", "--all")
        return found

    return measure


def _runtimes(on: Checkout, folder: Path, count: int, rounds: int) -> Results:
    before = scenarios.stack(on, runtimes=scenarios.runtimes(count))
    after = scenarios.stack(on, runtimes=_one_changed(before["runtimes"]))
    ours, declared = _ours(on, folder, before, after)
    bare = _bare(on, folder / "bare", declared)
    files = folder / "before.yaml", folder / "after.yaml"
    for file, resources in zip(files, declared, strict=True):
        file.write_text(yaml.safe_dump_all(each["inputs"] for layer in resources["layers"] for each in layer))
    by_hand = Kubectl(on, *files)
    return measure_round_robin(
        {"bare": bare.measure, "ours": ours.measure, "kubectl": by_hand.measure}, rounds, warmup_rounds=0
    )


def _pools(on: Checkout, folder: Path, count: int, rounds: int) -> Results:
    before = scenarios.stack(on, gpuNodePools=scenarios.pools(count, gpus=8))
    after = scenarios.stack(on, gpuNodePools=scenarios.pools(count, gpus=4))
    ours, declared = _ours(on, folder, before, after)
    bare = _bare(on, folder / "bare", declared)
    return measure_round_robin({"bare": bare.measure, "ours": ours.measure}, rounds, warmup_rounds=0)


def _ours(on: Checkout, folder: Path, before: Any, after: Any) -> tuple[Program, list[dict[str, Any]]]:
    """Our program, and the declarations of bare programs for the same sections, before and after the change."""
    ours = Checkout.in_folder(folder / "ours")
    declared = [scenarios.bare(on, ours.registered(sections)) for sections in (before, after)]
    return Program(ours, lambda changed: ours.configure(after if changed else before)), declared


def _bare(on: Checkout, folder: Path, declared: Sequence[dict[str, Any]]) -> Program:
    bare = Checkout.in_folder(folder)
    bare.configure(scenarios.stack(on))
    return Program(bare, lambda changed: bare.program(scenarios.BARE, declared[changed]))


def _one_changed(runtimes: Mapping[str, Any]) -> dict[str, Any]:
    """The runtimes with one variable of the last one changed, which updates it in place."""
    *_, name = runtimes
    changed = {**runtimes[name], "env": {**runtimes[name]["env"], "CHANGED": "yes"}}
    return {**runtimes, name: changed}
