"""TrainJobs that Trainer rejects, or does not train as they read."""

from typing import Any

from components.runtimes.api import BaseTrainingRuntime
from components.validation.violation import Severity

from ...explain.pairs import job, runtime, train_job
from ..samples import Case, Sample, patches, pod_patch

REPLICATED_JOB = "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]"
POD = f"{REPLICATED_JOB}.template.spec.template.spec"


def sample(made: BaseTrainingRuntime | None = None, **spec: Any) -> Sample:
    return Sample(train_job(**spec), made or runtime())


def old(made: BaseTrainingRuntime | None = None, **spec: Any) -> Sample:
    return sample(made, **spec)._replace(trainer="2.0.0")


def of_kind(kind: str, namespace: str | None = None, **metadata: Any) -> BaseTrainingRuntime:
    made = runtime()
    changed = made.metadata.model_copy(update={"namespace": namespace, **metadata})
    return made.model_copy(update={"kind": kind, "metadata": changed})


CLUSTER, NAMESPACED = of_kind("ClusterTrainingRuntime"), of_kind("TrainingRuntime", "default")
ANYWHERE = of_kind("TrainingRuntime")
DEPRECATED = of_kind("ClusterTrainingRuntime", labels={"trainer.kubeflow.org/support": "deprecated"})
REFERENCES = (
    Case(
        "TJC-04",
        "spec.runtimeRef.kind",
        sample(runtimeRef={"name": "mine", "kind": "Runtime"}),
        sample(runtimeRef={"name": "mine", "kind": "ClusterTrainingRuntime"}),
    ),
    Case(
        "TJC-04",
        "spec.runtimeRef.apiGroup",
        sample(runtimeRef={"name": "mine", "apiGroup": "kubeflow.org"}),
        sample(runtimeRef={"name": "mine", "apiGroup": "trainer.kubeflow.org"}),
    ),
    Case(
        "TJC-05",
        "spec.runtimeRef.kind",
        sample(NAMESPACED, runtimeRef={"name": "mine"}),
        sample(NAMESPACED, runtimeRef={"name": "mine", "kind": "TrainingRuntime"}),
    ),
    Case(
        "TJC-05",
        "spec.runtimeRef.kind",
        sample(CLUSTER, runtimeRef={"name": "mine", "kind": "TrainingRuntime"}),
        sample(CLUSTER, runtimeRef={"name": "mine"}),
    ),
    Case(
        "TJC-05",
        "metadata.namespace",
        Sample(train_job(namespace="other", runtimeRef={"name": "mine", "kind": "TrainingRuntime"}), NAMESPACED),
        Sample(train_job(namespace="default", runtimeRef={"name": "mine", "kind": "TrainingRuntime"}), NAMESPACED),
        seen=False,
    ),
    Case(
        "TJC-05",
        "metadata.namespace",
        Sample(train_job(namespace="other", runtimeRef={"name": "mine", "kind": "TrainingRuntime"}), NAMESPACED),
        Sample(train_job(namespace="other", runtimeRef={"name": "mine", "kind": "TrainingRuntime"}), ANYWHERE),
        seen=False,
    ),
    Case(
        "TJC-06",
        "spec.runtimeRef.name",
        sample(DEPRECATED),
        sample(CLUSTER),
        severity=Severity.WARNING,
        shows="never",
    ),
)

SIDECAR = runtime(job(pod={"initContainers": [{"name": "prepare", "image": "a:1"}]}))
GPU_TAINT = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
OTHER = {"key": "team", "operator": "Exists"}
TOLERATING = runtime(job(pod={"tolerations": [GPU_TAINT]}))
PATCHES = (
    Case(
        "TJC-13",
        "spec.runtimePatches[0].manager",
        sample(runtimePatches=patches(pod_patch(), manager="me")),
        sample(runtimePatches=patches(pod_patch(), manager="example.com/me")),
    ),
    Case(
        "TJC-18",
        f"{REPLICATED_JOB}.name",
        sample(runtimePatches=patches(pod_patch("worker"))),
        sample(runtimePatches=patches(pod_patch("node"))),
        shows="reconcile",
    ),
    Case(
        "TJC-18",
        "spec.podSpecOverrides[0].targetJobs[0].name",
        old(podSpecOverrides=[{"targetJobs": [{"name": "worker"}]}]),
        old(podSpecOverrides=[{"targetJobs": [{"name": "node"}]}]),
    ),
    Case(
        "TJC-19",
        f"{POD}.containers[0].name",
        sample(runtimePatches=patches(pod_patch(containers=[{"name": "trainer"}]))),
        sample(runtimePatches=patches(pod_patch(containers=[{"name": "node"}]))),
        shows="reconcile",
    ),
    Case(
        "TJC-19",
        f"{POD}.initContainers[0].name",
        sample(SIDECAR, runtimePatches=patches(pod_patch(initContainers=[{"name": "prepared"}]))),
        sample(SIDECAR, runtimePatches=patches(pod_patch(initContainers=[{"name": "prepare"}]))),
        shows="reconcile",
    ),
    Case(
        "SIL-47",
        f"{POD}.tolerations",
        sample(TOLERATING, runtimePatches=patches(pod_patch(tolerations=[OTHER]))),
        sample(TOLERATING, runtimePatches=patches(pod_patch(tolerations=[OTHER, GPU_TAINT]))),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "TJC-20",
        f"{POD}.containers[0].env",
        sample(runtimePatches=patches(pod_patch(containers=[{"name": "node", "env": [{"name": "A", "value": "1"}]}]))),
        sample(runtimePatches=patches(pod_patch(containers=[{"name": "node", "env": []}]))),
    ),
)

DATASET, MODEL = "dataset-initializer", "model-initializer"
WORKSPACE = {"volumeMounts": [{"name": "initializer", "mountPath": "/workspace"}]}
VOLUME = {"volumes": [{"name": "initializer", "emptyDir": {}}]}


def initializing(name: str, ancestor: str | None = "", **fields: Any) -> BaseTrainingRuntime:
    fields = {"container": WORKSPACE, "pod": VOLUME, **fields}
    return runtime(job(name, name if ancestor == "" else ancestor, **fields), job())


def initialized(made: BaseTrainingRuntime, section: str = "dataset", version: str = "2.3.0") -> Sample:
    return sample(made, initializer={section: {"storageUri": "hf://a/b"}})._replace(trainer=version)


OTHER_NAME: dict[str, Any] = {"container": {**WORKSPACE, "name": "download"}}
OTHER_MOUNT: dict[str, Any] = {"container": {"volumeMounts": [{"name": "data", "mountPath": "/workspace"}]}}
OTHER_MOUNT |= {"pod": {"volumes": [{"name": "data", "emptyDir": {}}]}}
INITIALIZERS = (
    Case("TJC-14", "spec.initializer.dataset", initialized(initializing(MODEL)), initialized(initializing(DATASET))),
    Case(
        "TJC-15",
        "spec.initializer.dataset",
        initialized(initializing(DATASET, DATASET, **OTHER_NAME)),
        initialized(initializing(DATASET)),
        seen=False,
    ),
    Case(
        "TJC-16",
        "spec.initializer.dataset",
        initialized(initializing(DATASET, **OTHER_MOUNT)),
        initialized(initializing(DATASET)),
    ),
    Case(
        "TJC-17",
        "spec.initializer.model",
        initialized(initializing(DATASET), "model"),
        initialized(initializing(MODEL), "model"),
    ),
    Case(
        "TJC-17",
        "spec.initializer.model",
        initialized(initializing(MODEL, MODEL, **OTHER_NAME), "model"),
        initialized(initializing(MODEL), "model"),
        seen=False,
    ),
    Case(
        "TJC-17",
        "spec.initializer.model",
        initialized(initializing(MODEL, **OTHER_MOUNT), "model"),
        initialized(initializing(MODEL, **OTHER_MOUNT), "model", "2.2.0"),
    ),
    Case(
        "SIL-28",
        "spec.initializer.dataset",
        initialized(initializing(DATASET, None)),
        initialized(initializing(DATASET)),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-28",
        "spec.initializer.dataset",
        initialized(initializing(DATASET, None)),
        sample(initializing(DATASET, None)),
        severity=Severity.WARNING,
        shows="never",
    ),
)

TORCH, JAX, XGBOOST = (runtime(policy={name: {}}) for name in ("torch", "jax", "xgboost"))


def mpi(node: dict[str, Any] | None = None, as_node: bool = True, **policy: Any) -> BaseTrainingRuntime:
    """A runtime whose launcher waits for the job `node`."""
    ready = [{"name": "node", "status": "Ready"}]
    jobs = job("node", None, container=node or {}), job("launcher", dependsOn=ready)
    return runtime(*jobs, policy={"mpi": {"runLauncherAsNode": as_node, **policy}})


MPI = mpi()


def with_env(made: BaseTrainingRuntime, name: str, version: str = "2.3.0", **trainer: Any) -> Sample:
    env = [{"name": "A", "value": "1"}, {"name": name, "value": "1"}]
    return sample(made, trainer={"env": env, "args": ["-x", "A"], **trainer})._replace(trainer=version)


SECOND_VARIABLE = "spec.trainer.env[1]"
VARIABLES = (
    *(
        Case("TJC-24", SECOND_VARIABLE, with_env(MPI, name), with_env(MPI, f"{name}_2"))
        for name in ("OMPI_MCA_orte_default_hostfile", "OMPI_MCA_plm_rsh_args")
    ),
    Case(
        "TJC-25",
        SECOND_VARIABLE,
        with_env(TORCH, "PET_NNODES"),
        with_env(TORCH, "PET_RDZV_BACKEND"),
    ),
    Case(
        "TJC-25",
        SECOND_VARIABLE,
        with_env(TORCH, "PET_NNODES", "2.0.0", numProcPerNode=1),
        with_env(TORCH, "DMLC_TASK_ID", "2.0.0", numProcPerNode=1),
    ),
    Case("TJC-27", SECOND_VARIABLE, with_env(XGBOOST, "DMLC_TASK_ID"), with_env(XGBOOST, "PET_NNODES")),
    *(
        Case(
            "SIL-13",
            SECOND_VARIABLE,
            with_env(made, name, version),
            with_env(made, f"{name}_2", version),
            severity=Severity.WARNING,
            shows="never",
        )
        for made, name, version in (
            (JAX, "JAX_PROCESS_ID", "2.3.0"),
            (MPI, "OMPI_MCA_plm_rsh_args", "2.2.0"),
            (TORCH, "PET_NNODES", "2.0.0"),
        )
    ),
)

WITHOUT_NODE = runtime(job("launcher"), policy={"mpi": {"runLauncherAsNode": True}})
GPUS = {"resources": {"limits": {"nvidia.com/gpu": "4"}}}
ONE_GPU_EACH = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
OF_MPI = (
    Case(
        "TJC-23",
        "spec.trainer.numNodes",
        sample(WITHOUT_NODE, trainer={"numNodes": 2}),
        sample(WITHOUT_NODE, trainer={"numNodes": 1}),
    ),
    *(
        Case(
            "SIL-02",
            "spec.trainer.numNodes",
            sample(MPI, trainer={"numNodes": nodes}),
            sample(MPI, trainer={"numNodes": 2}),
            severity=Severity.WARNING,
            shows="never",
        )
        for nodes in (1, 0, -1)
    ),
    Case(
        "SIL-21",
        "spec.trainer.resourcesPerNode",
        sample(mpi(GPUS), trainer={"numNodes": 2, "resourcesPerNode": {"limits": {"cpu": "1"}}}),
        sample(mpi(GPUS), trainer={"numNodes": 2, "resourcesPerNode": {"limits": {"nvidia.com/gpu": "2"}}}),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-21",
        "spec.trainer.resourcesPerNode",
        sample(mpi(GPUS), trainer={"resourcesPerNode": {"limits": {"cpu": "1"}}}),
        sample(mpi(ONE_GPU_EACH), trainer={"resourcesPerNode": {"limits": {"cpu": "1"}}}),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-21",
        "spec.trainer.resourcesPerNode",
        sample(mpi(GPUS), trainer={"resourcesPerNode": {"limits": {"cpu": "1"}}}),
        sample(mpi(GPUS, numProcPerNode=4), trainer={"resourcesPerNode": {"limits": {"cpu": "1"}}}),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-20",
        "spec.trainer.numProcPerNode",
        sample(MPI, trainer={"numProcPerNode": 0}),
        sample(MPI, trainer={"numProcPerNode": 1}),
        shows="never",
    ),
    *(
        Case(
            "SIL-46",
            "spec.trainer.env[0]",
            sample(MPI, trainer={"env": [{"name": "TOKEN", "value": "1"}], "args": ["mpirun"]}),
            sound,
            severity=Severity.WARNING,
            shows="never",
        )
        for sound in (
            sample(MPI, trainer={"env": [{"name": "TOKEN", "value": "1"}], "args": ["mpirun", "-x", "TOKEN"]}),
            sample(MPI, trainer={"env": [{"name": "NCCL_DEBUG", "value": "1"}], "args": ["mpirun"]}),
            sample(mpi({"args": ["sshd", "TOKEN"]}), trainer={"env": [{"name": "TOKEN", "value": "1"}]}),
            sample(TORCH, trainer={"env": [{"name": "TOKEN", "value": "1"}]}),
        )
    ),
    Case(
        "SIL-42",
        "spec.trainer.image",
        sample(MPI, trainer={"image": "a:2"}),
        sample(MPI, trainer={"image": "a:1"}),
        severity=Severity.WARNING,
        shows="never",
    ),
)

TUNE = {"command": ["tune", "run"]}


def tuning(model: str, *args: str, limits: dict[str, str] | None = None, **trainer: Any) -> Sample:
    name = f"tune-{model}"
    container = {"resources": {"limits": limits}} if limits else {}
    made = runtime(job(container=container), policy={"torch": {}}, name=name)
    return Sample(train_job(runtime_name=name, trainer={**TUNE, "args": [*args], **trainer}), made)


QLORA = "model.quantize_base=True"
LORA = "model.lora_attn_modules=['q_proj']"
ONE_GPU, TWO_GPUS = {"nvidia.com/gpu": "1"}, {"nvidia.com/gpu": "2"}
TORCHTUNE = (
    Case("TJC-28", "spec.runtimeRef.name", tuning("llama3.2-7b"), tuning("llama3.2-1b")),
    Case("TJC-28", "spec.runtimeRef.name", tuning("llama3.2-1b-mine"), tuning("qwen2.5-1.5b")),
    Case(
        "TJC-29",
        "spec.trainer.numNodes",
        tuning("llama3.2-1b", numNodes=2),
        tuning("llama3.3-70b", numNodes=2),
    ),
    Case("TJC-30", "spec.trainer.args", tuning("qwen2.5-1.5b", QLORA), tuning("qwen2.5-1.5b", LORA)),
    Case(
        "TJC-30",
        "spec.trainer.args",
        tuning("qwen2.5-1.5b", "model.quantize_base=true"),
        tuning("qwen2.5-1.5b", QLORA, "model.use_dora=True"),
    ),
    Case(
        "TJC-31",
        "spec.trainer.numProcPerNode",
        tuning("llama3.2-1b", QLORA, limits=TWO_GPUS),
        tuning("llama3.2-1b", QLORA, limits=ONE_GPU),
    ),
    Case(
        "TJC-31",
        "spec.trainer.resourcesPerNode",
        tuning("llama3.2-3b", QLORA, resourcesPerNode={"limits": TWO_GPUS}),
        tuning("llama3.2-3b", QLORA, resourcesPerNode={"limits": ONE_GPU}),
    ),
    Case(
        "TJC-31",
        "spec.trainer.numProcPerNode",
        tuning("llama3.2-3b", QLORA),
        tuning("llama3.2-3b", QLORA, numProcPerNode=1),
    ),
    Case(
        "TJC-32",
        "spec.trainer.numNodes",
        tuning("llama3.3-70b", LORA, numNodes=2),
        tuning("llama3.3-70b", LORA, numNodes=1),
    ),
    Case(
        "TJC-32",
        "spec.trainer.numNodes",
        tuning("llama3.3-70b", QLORA, numNodes=2),
        tuning("llama3.3-70b", "epochs=1", numNodes=2),
    ),
    Case(
        "TJC-32",
        "spec.trainer.numNodes",
        tuning("llama3.3-70b", LORA, numNodes=2)._replace(trainer="2.2.0"),
        tuning("llama3.3-70b", LORA, numNodes=1)._replace(trainer="2.2.0"),
        severity=Severity.WARNING,
        shows="never",
    ),
    *(
        Case("TJC-33", "spec.trainer.args[1]", tuning("llama3.2-1b", "a=1", f"{name}=x"), tuning("llama3.2-1b", "a=1"))
        for name in ("output_dir", "tokenizer.path", "checkpointer.checkpoint_dir", "tokenizer.merges_file")
    ),
)

FLUX = runtime(policy={"flux": {}})
OF_FLUX = (
    Case(
        "TJC-34",
        "spec.trainer.numProcPerNode",
        sample(FLUX, trainer={"numNodes": 1, "numProcPerNode": 0}),
        sample(FLUX, trainer={"numNodes": 1, "numProcPerNode": 1}),
    ),
    Case(
        "REC-04",
        "spec.trainer.numNodes",
        sample(FLUX, trainer={}),
        sample(FLUX, trainer={"numNodes": 1}),
        shows="reconcile",
    ),
    Case("REC-04", "spec.trainer", sample(FLUX), sample(FLUX, trainer={"numNodes": 2}), shows="reconcile"),
)

UNLABELED = runtime(job("node", None))
UNLABELED_MPI = runtime(job("node", None), job("launcher", None), policy={"mpi": {"runLauncherAsNode": True}})
TWO_NODES = runtime(policy={"torch": {}, "numNodes": 2})
CLAIMS = runtime(
    job(
        container={"resources": {"claims": [{"name": "gpu"}]}},
        pod={"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]},
    ),
    policy={"torch": {}},
)
CPU = {"limits": {"cpu": "1"}}
TORCH_GPUS = runtime(job(container=GPUS), policy={"torch": {}})
JAX_ALONE = runtime(job("node", None), policy={"jax": {}})
TRAINING = (
    Case(
        "REC-10",
        "spec.runtimeRef.name",
        sample(JAX_ALONE)._replace(trainer="2.2.0"),
        sample(JAX_ALONE),
    ),
    Case(
        "SIL-15",
        "spec.trainer",
        sample(UNLABELED, trainer={"image": "a:2"}),
        sample(UNLABELED, trainer={}),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-15",
        "spec.trainer",
        sample(UNLABELED_MPI, trainer={"command": ["a"], "numNodes": 2}),
        sample(UNLABELED_MPI, trainer={"numNodes": 2, "env": [{"name": "NCCL_DEBUG", "value": "1"}]}),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-15",
        "spec.trainer",
        sample(UNLABELED_MPI, trainer={"image": "a:2"}),
        sample(UNLABELED_MPI, trainer={"numProcPerNode": 2}),
        severity=Severity.WARNING,
        shows="never",
    ),
    *(
        Case(
            "SIL-18",
            "spec.trainer",
            sample(made),
            sample(made, trainer={}),
            severity=Severity.WARNING,
            shows="never",
        )
        for made in (TWO_NODES, TORCH_GPUS)
    ),
    Case(
        "SIL-18",
        "spec.trainer",
        sample(TORCH_GPUS),
        sample(runtime(job(container={**GPUS, "command": ["tune", "run", "full"]}), policy={"torch": {}})),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-19",
        "spec.trainer.numNodes",
        sample(TORCH, trainer={"numNodes": 0}),
        sample(TORCH, trainer={"numNodes": 1}),
        shows="never",
    ),
    Case(
        "SIL-43",
        "spec.trainer.resourcesPerNode",
        sample(CLAIMS, trainer={"resourcesPerNode": CPU}),
        sample(CLAIMS, trainer={}),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-45",
        "spec.trainer.numProcPerNode",
        sample(JAX, trainer={"numProcPerNode": 2}),
        sample(TORCH, trainer={"numProcPerNode": 2}),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-15",
        "spec.trainer",
        sample(UNLABELED, trainer={"numProcPerNode": 2}),
        sample(UNLABELED),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-45",
        "spec.trainer.numProcPerNode",
        sample(runtime(), trainer={"numProcPerNode": 2}),
        sample(runtime(), trainer={}),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-19",
        "spec.trainer.numNodes",
        Sample(train_job(trainer={"numNodes": 0})),
        Sample(train_job(trainer={"numNodes": 1})),
        severity=Severity.WARNING,
        shows="never",
        seen=False,
    ),
    Case(
        "SIL-44",
        "spec.trainer.resourcesPerNode",
        sample(runtime(), trainer={"resourcesPerNode": CPU}),
        sample(runtime(policy={"numNodes": 1}), trainer={"resourcesPerNode": CPU}),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-43",
        "spec.trainer.resourcesPerNode.claims",
        sample(TORCH, trainer={"resourcesPerNode": {"claims": [{"name": "gpu"}]}}),
        sample(TORCH, trainer={"resourcesPerNode": CPU}),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "SIL-43",
        "spec.trainer.resourcesPerNode",
        sample(TORCH_GPUS, trainer={"resourcesPerNode": CPU})._replace(trainer="2.2.0"),
        sample(TORCH_GPUS, trainer={"resourcesPerNode": CPU}),
        severity=Severity.WARNING,
        shows="never",
    ),
)

CASES = (
    *REFERENCES,
    *PATCHES,
    *INITIALIZERS,
    *VARIABLES,
    *OF_MPI,
    *TORCHTUNE,
    *OF_FLUX,
    *TRAINING,
)
