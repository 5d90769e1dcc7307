"""References to variables."""

from tests.unit.runtimes.rules.samples import (
    HELPED,
    JAX,
    MPI,
    PLAIN,
    TORCH,
    XGBOOST,
    Changes,
    Manifest,
    a_container,
    changed,
    container,
    init,
    pod,
    spec,
    warns,
)

COMMAND, ARGS, ENV = (f"{container(0)}.{field}" for field in ("command", "args", "env"))
A = {"name": "A", "value": "1"}


def says(value: str, *before: Manifest) -> Changes:
    return {ENV: [*before, {"name": "B", "value": value}]}


def runs(*args: str, **fields: object) -> Changes:
    return {ARGS: list(args), **{f"{container(0)}.{name}": value for name, value in fields.items()}}


SECRET = {"valueFrom": {"secretKeyRef": {"name": "ours", "key": "token"}}}
MAP = {"valueFrom": {"configMapKeyRef": {"name": "ours", "key": "host"}}}
TOKEN: Changes = {ENV: [{"name": "TOKEN", **SECRET}]}

INJECTED = changed(
    HELPED,
    {"spec.mlPolicy.torch": {"envInjection": {"targets": [{"jobName": "helper", "containerNames": ["helper"]}]}}},
)

CASES = [
    warns("SIL-38", f"{ARGS}[0]", TORCH, runs("--nnodes=$(TRAINER_NNODES)"), runs("--nnodes=$(PET_NNODES)")),
    warns("SIL-38", f"{COMMAND}[1]", TORCH, {COMMAND: ["train", "$(NODES)"]}, {COMMAND: ["train", "$$(NODES)"]}),
    warns("SIL-38", f"{ARGS}[0]", PLAIN, runs("$(PET_NNODES)"), runs("$(PET_NNODES)", env=[{"name": "PET_NNODES"}])),
    warns("SIL-38", f"{ARGS}[0]", TORCH, runs("$(A)"), runs("$(A)", envFrom=[{"configMapRef": {"name": "all"}}])),
    warns("SIL-38", f"{ARGS}[0]", JAX, runs("$(PET_NNODES)"), runs("$(JAX_NUM_PROCESSES)")),
    warns("SIL-38", f"{ARGS}[0]", XGBOOST, runs("$(TRACKER)"), runs("$(DMLC_TRACKER_URI):$(DMLC_TRACKER_PORT)")),
    warns("SIL-38", f"{ARGS}[1]", TORCH, runs("-c", "$(NODES)"), runs("-c", "$(JOB_COMPLETION_INDEX)")),
    warns("SIL-38", f"{ARGS}[0]", TORCH, runs("$(DATABASE)"), runs("$(DATABASE_SERVICE_HOST):$(DATABASE_PORT_80_TCP)")),
    warns(
        "SIL-38",
        f"{COMMAND}[2]",
        TORCH,
        {COMMAND: ["sh", "-c", "train --nodes=$(PET_NODES)"]},
        {COMMAND: ["sh", "-c", "train --jobs=$(nproc) --at=$(date +%s) --host=$(hostname)"]},
    ),
    warns("SIL-38", f"{COMMAND}[1]", TORCH, {COMMAND: ["train", "$(nproc)"]}, {COMMAND: ["train", "$NPROC", "${N}"]}),
    warns("SIL-38", f"{ENV}[0].value", TORCH, says("$(JOB_NAME)-node-0-0"), says("$(A)", A)),
    warns("SIL-38", f"{ENV}[0].value", TORCH, says("$(PET_NNODES)"), says("$$(PET_NNODES)")),
    warns("SIL-38", f"{ENV}[0].value", TORCH, says("$(JOB_COMPLETION_INDEX)"), says("none")),
    warns("SIL-38", f"{ENV}[0].value", TORCH, {ENV: [{"name": "B", "value": "$(A)"}, A]}, says("$(A)", A)),
    warns("SIL-38", f"{ENV}[0].value", TORCH, says("$(B)"), says("b")),
    warns(
        "SIL-38",
        f"{init(0)}.args[0]",
        TORCH,
        {f"{pod(0)}.initContainers": [a_container("init", args=["$(PET_NNODES)"])]},
        {
            "spec.mlPolicy.torch.envInjection": {"targets": [{"jobName": "node", "containerNames": ["init"]}]},
            f"{pod(0)}.initContainers": [a_container("init", args=["$(PET_NNODES)"])],
        },
    ),
    warns("SIL-38", f"{ARGS}[0]", INJECTED, runs("$(PET_RANK)"), runs("$(PET_NODE_RANK)")),
    warns("SIL-38", f"{ARGS}[0]", HELPED, runs("$(PET_NODE_RANK)"), runs("$(JOB_COMPLETION_INDEX)")),
    warns(
        "SIL-38",
        f"{ARGS}[0]",
        HELPED,
        {**runs("$(JOB_COMPLETION_INDEX)"), f"{spec(0)}.completionMode": "NonIndexed"},
        runs("$(JOB_COMPLETION_INDEX)"),
    ),
    warns(
        "SIL-38",
        f"{container(1)}.args[0]",
        MPI,
        {f"{container(1)}.args": ["$(PET_NNODES)"]},
        {f"{container(1)}.args": ["$(OMPI_MCA_orte_default_hostfile)"]},
    ),
    warns(
        "RUN-24",
        f"{ARGS}[1]",
        TORCH,
        {**TOKEN, ARGS: ["--token", "$(TOKEN)"]},
        {**TOKEN, ARGS: ["--token", "$$(TOKEN)"]},
    ),
    warns(
        "RUN-24",
        f"{COMMAND}[2]",
        TORCH,
        {**TOKEN, COMMAND: ["sh", "-c", "login $(TOKEN)"]},
        {**TOKEN, COMMAND: ["sh", "-c", "login $TOKEN"]},
    ),
    warns(
        "RUN-24",
        f"{ARGS}[0]",
        JAX,
        {**TOKEN, ARGS: ["-$(TOKEN)"]},
        {ENV: [{"name": "TOKEN", **MAP}], ARGS: ["-$(TOKEN)"]},
    ),
    warns(
        "RUN-24",
        f"{ARGS}[2]",
        MPI,
        {**TOKEN, ARGS: ["-De", "-o", 'SetEnv=TOKEN="$(TOKEN)"']},
        {**TOKEN, ARGS: ["-De", "-o", 'SetEnv=OTHER="1"']},
    ),
]
