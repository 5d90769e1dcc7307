"""What runtimes cost: to import, to build, to check, to lint, to explain."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from bench.timing import fresh_interpreter, machine, measure_round_robin, seconds, table
from components.k8s.metadata import ObjectMeta
from components.runtimes import ClusterTrainingRuntime, deepspeed, jax, mlx, torch, torch_with_cache, torchtune, xgboost
from components.runtimes.explain import explain
from components.runtimes.explain.page import to_page
from components.runtimes.loader import read_files
from components.runtimes.train_job import RuntimeRef, Trainer, TrainJob, TrainJobSpec

COUNT = 1000
"""How many runtimes are built and read in a round."""

PROGRAMS = {
    "bare pydantic": "import pydantic\nclass Model(pydantic.BaseModel):\n    number: int\nModel(number=1)",
    "ours": "from components.runtimes import deepspeed\ndeepspeed()",
    "the official models": "from kubeflow_trainer_api import models",
    "nothing": "",
}


def report(rounds: int) -> str:
    """Everything, as Markdown."""
    versions = ", ".join(f"{package} {version(package)}" for package in ("pydantic", "kubeflow-trainer-api"))
    head = f"{machine()}; {versions}; {rounds} rounds, of the linter a third."
    return "\n\n".join((head, common_path(rounds), many(rounds), linter(max(1, rounds // 3)), explaining(rounds)))


def common_path(rounds: int) -> str:
    """A fresh interpreter that builds one runtime, beside one that builds one model of bare pydantic."""
    found = measure_round_robin(
        {name: partial(fresh_interpreter, program) for name, program in PROGRAMS.items()}, rounds
    )
    bare = found["bare pydantic"]
    rows = [
        (
            name,
            each["ms"].text(0),
            each["ms"].over(bare["ms"]).text(2),
            each["MiB"].text(0),
            each["MiB"].over(bare["MiB"]).text(2),
        )
        for name, each in found.items()
    ]
    return table(("a fresh interpreter runs", "ms", "times bare pydantic", "peak MiB", "times bare pydantic"), *rows)


def many(rounds: int) -> str:
    """A thousand runtimes: built by the catalogue, and read from manifests, beside the official models' reading."""
    from kubeflow_trainer_api import models

    manifests = [runtime.to_manifest() for runtime in build()]

    def read() -> None:
        for manifest in manifests:
            ClusterTrainingRuntime.from_manifest(manifest).check()

    def read_officially() -> None:
        for manifest in manifests:
            models.TrainerV1alpha1ClusterTrainingRuntime.from_dict(manifest)

    def written() -> None:
        for runtime in runtimes:
            runtime.to_manifest()

    runtimes = build()
    found = measure_round_robin(
        {
            "read by the official models, which check no rule": partial(_timed, read_officially),
            "read and checked: `from_manifest`, `check`": partial(_timed, read),
            "built and checked: the catalogue's functions": partial(_timed, build),
            "written: `to_manifest`": partial(_timed, written),
        },
        rounds,
    )
    official = next(iter(found.values()))["ms"]
    rows = [
        (name, each["ms"].text(0), each["ms"].over(official).text(2), f"{COUNT / each['ms'].median * 1000:.0f}")
        for name, each in found.items()
    ]
    return table((f"{COUNT} runtimes", "ms", "times the official models", "runtimes a second"), *rows)


def linter(rounds: int) -> str:
    """The linter over a thousand files of one runtime each, beside PyYAML alone, which checks nothing."""
    with TemporaryDirectory(prefix="bench-") as folder:
        files = [Path(folder) / f"{number}.yaml" for number in range(COUNT)]
        for file, runtime in zip(files, build(), strict=True):
            file.write_text(yaml.safe_dump(runtime.to_manifest(), sort_keys=False))

        def load() -> None:
            for file in files:
                yaml.safe_load(file.read_text())

        subjects = {
            "`yaml.safe_load`, which checks nothing": partial(_timed, load),
            "the linter: lines, rules, repeated keys": partial(_timed, lambda: read_files(files)),
        }
        found = measure_round_robin(subjects, rounds)
    bare = next(iter(found.values()))["ms"]
    rows = [
        (name, each["ms"].text(0), each["ms"].over(bare).text(2), f"{COUNT / each['ms'].median * 1000:.0f}")
        for name, each in found.items()
    ]
    return table((f"{COUNT} files", "ms", "times PyYAML", "files a second"), *rows)


def explaining(rounds: int) -> str:
    """What a TrainJob becomes: one explanation with its page, and one of a thousand nodes with all pods."""
    runtime = deepspeed(gpus_per_node=8)
    wide = TrainJob(
        metadata=ObjectMeta(name="wide"),
        spec=TrainJobSpec(runtime_ref=RuntimeRef(name="deepspeed-distributed"), trainer=Trainer(num_nodes=COUNT)),
    )
    found = measure_round_robin(
        {
            "explained, as a page": partial(_timed, lambda: to_page(explain(runtime))),
            f"{COUNT} nodes explained": partial(_timed, lambda: explain(runtime, wide)),
            f"{COUNT} nodes explained, with all objects": partial(_timed, lambda: explain(runtime, wide).objects()),
        },
        rounds,
    )
    return table(("a TrainJob", "ms"), *((name, each["ms"].text(1)) for name, each in found.items()))


def _timed(work: Callable[[], object]) -> Mapping[str, float]:
    return {"ms": seconds(work) * 1000}


def build() -> list[ClusterTrainingRuntime]:
    """Runtimes of every kind in the catalogue, with arguments as people give them."""
    kinds = (deepspeed, mlx, torch, jax, xgboost, torch_with_cache)
    count = COUNT - COUNT // 7
    built = [
        kinds[number % len(kinds)](
            name=f"runtime-{number}",
            nodes=2 + number % 8,
            gpus_per_node=8,
            shared_memory="64Gi",
            env={"NCCL_DEBUG": "INFO", "RUN": str(number)},
            pull_secrets=("registry",),
        )
        for number in range(count)
    ]
    return built + [torchtune(gpus_per_node=2, env={"RUN": str(number)}) for number in range(COUNT - count)]
