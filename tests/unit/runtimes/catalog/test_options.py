"""Every argument of the catalogue lands where it belongs, and nowhere else."""

from components.k8s.env import EnvVarSource, KeySelector
from components.k8s.scheduling import Toleration
from components.k8s.volumes import PersistentVolumeClaimVolumeSource, Volume
from components.runtimes.catalog import (
    VolumeClaim,
    deepspeed,
    flux,
    jax,
    mlx,
    torch,
    torch_with_cache,
    torchtune,
    xgboost,
)
from components.runtimes.jobset import FailurePolicy
from components.runtimes.ml_policy import CoschedulingPolicy, PodGroupPolicy, VolcanoPolicy
from components.runtimes.placement import Placement

from ..differences import added


def test_name_is_the_name_of_the_runtime() -> None:
    assert added(torch(name="mine"), to=torch()) == {"metadata.name": "mine"}


def test_image_is_that_of_the_training_and_not_of_initializers() -> None:
    image = "registry.example.com/train:1"

    assert added(torchtune(image=image), to=torchtune()) == {"node: image": image}
    assert added(deepspeed(image=image), to=deepspeed()) == {
        "node: image": image,
        "launcher: image": image,
        "launcher: initContainers[wait-for-hosts].image": image,
    }


def test_registry_mirrors_every_image_of_the_catalogue() -> None:
    registry = "mirror.example.com/hub"

    assert added(torch_with_cache(registry=registry), to=torch_with_cache()) == {
        "node: image": "mirror.example.com/hub/pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime",
        "dataset-initializer: containers[dataset-initializer].image": (
            "mirror.example.com/hub/kubeflow/trainer/dataset-initializer:v2.3.0"
        ),
        "dataset-initializer: containers[dataset-initializer].env[CACHE_IMAGE].value": (
            "mirror.example.com/hub/kubeflow/trainer/data-cache:v2.3.0"
        ),
    }
    assert added(jax(registry=registry), to=jax()) == {"node: image": "mirror.example.com/hub/nvidia/jax:25.10-py3"}
    assert added(flux(registry=registry), to=flux()) == {
        "node: image": "mirror.example.com/hub/library/ubuntu:jammy",
        "node: env[FLUX_VIEW_IMAGE].value": ("mirror.example.com/hub/converged-computing/flux-view-ubuntu:tag-jammy"),
    }


def test_nodes_set_num_nodes_and_for_mpi_the_pods_of_the_node_job() -> None:
    assert added(xgboost(nodes=4), to=xgboost()) == {"spec.mlPolicy.numNodes": 4}
    assert added(mlx(nodes=4), to=mlx()) == {"node].template.spec.parallelism": 3}


def test_gpus_are_limits_and_for_mpi_set_in_both_jobs_with_one_process_each() -> None:
    assert added(torch(gpus_per_node=8), to=torch()) == {"node: resources": {"limits": {"nvidia.com/gpu": "8"}}}
    assert added(deepspeed(gpus_per_node=8), to=deepspeed()) == {
        "spec.mlPolicy.mpi.numProcPerNode": 8,
        "node: resources": {"limits": {"nvidia.com/gpu": "8"}},
        "launcher: resources": {"limits": {"nvidia.com/gpu": "8"}},
    }


def test_gpu_resource_cpus_and_memory_are_limits() -> None:
    runtime = torch(gpus_per_node=4, gpu_resource="amd.com/gpu", cpus_per_node=64, memory_per_node="512Gi")

    assert added(runtime, to=torch()) == {
        "node: resources": {"limits": {"cpu": "64", "memory": "512Gi", "amd.com/gpu": "4"}}
    }


def test_env_is_a_value_or_a_source() -> None:
    token = EnvVarSource(secret_key_ref=KeySelector(name="hub", key="token"))

    assert added(torch_with_cache(env={"A": "1", "TOKEN": token}), to=torch_with_cache()) == {
        "node: env[A]": {"name": "A", "value": "1"},
        "node: env[TOKEN]": {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "token"}}},
    }


def test_env_overrides_variables_of_the_catalogue() -> None:
    assert added(torch_with_cache(env={"TRAIN_JOB_NAME": "mine"}), to=torch_with_cache()) == {
        "node: env[TRAIN_JOB_NAME].value": "mine",
        "node: env[TRAIN_JOB_NAME].valueFrom": None,
    }


def test_shared_memory_is_an_empty_dir_in_memory_at_dev_shm() -> None:
    assert added(torch(shared_memory="16Gi"), to=torch()) == {
        "node: volumes": [{"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}}],
        "node: volumeMounts": [{"name": "shared-memory", "mountPath": "/dev/shm"}],  # noqa: S108 - a mount
    }


def test_volumes_are_mounted_at_their_keys() -> None:
    data = Volume(name="data", persistent_volume_claim=PersistentVolumeClaimVolumeSource(claim_name="datasets"))

    assert added(torch(volumes={"/data": data, "/mnt/data": data}), to=torch()) == {
        "node: volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "datasets"}}],
        "node: volumeMounts": [{"name": "data", "mountPath": "/data"}, {"name": "data", "mountPath": "/mnt/data"}],
    }


def test_claim_is_created_for_each_train_job_and_mounted() -> None:
    claim = VolumeClaim(name="checkpoints", storage="1Ti", storage_class="nfs", retain=True)

    assert added(torch(volumes={"/checkpoints": claim}), to=torch()) == {
        "volumeClaimPolicies": [
            {
                "templates": [
                    {
                        "metadata": {"name": "checkpoints"},
                        "spec": {
                            "accessModes": ["ReadWriteMany"],
                            "resources": {"requests": {"storage": "1Ti"}},
                            "storageClassName": "nfs",
                        },
                    }
                ],
                "retentionPolicy": {"whenDeleted": "Retain"},
            }
        ],
        "node: volumeMounts": [{"name": "checkpoints", "mountPath": "/checkpoints"}],
    }


def test_placement_sets_the_gpus_unless_fewer_are_requested() -> None:
    toleration = Toleration(key="amd.com/gpu", operator="Exists")
    pool = Placement(
        node_selector={"pool": "mi300"}, tolerations=(toleration,), gpu_resource="amd.com/gpu", gpus_per_node=8
    )
    where = {
        "node: nodeSelector": {"pool": "mi300"},
        "node: tolerations": [{"key": "amd.com/gpu", "operator": "Exists"}],
    }

    assert added(torch(placement=pool, cpus_per_node=96), to=torch()) == {
        **where,
        "node: resources": {"limits": {"cpu": "96", "amd.com/gpu": "8"}},
    }
    assert added(torch(placement=pool, gpus_per_node=2, cpus_per_node=24), to=torch()) == {
        **where,
        "node: resources": {"limits": {"cpu": "24", "amd.com/gpu": "2"}},
    }


def test_service_account_is_set_in_training_pods() -> None:
    assert added(torchtune(service_account="trainer"), to=torchtune()) == {"node: serviceAccountName": "trainer"}


def test_pull_secrets_priority_and_scheduler_are_set_in_all_pods() -> None:
    runtime = torchtune(pull_secrets=("hub", "mirror"), priority_class="urgent", scheduler="bin-packing")

    assert added(runtime, to=torchtune()) == {
        f"{job}: {field}": value
        for job in ("dataset-initializer", "model-initializer", "node")
        for field, value in {
            "imagePullSecrets": [{"name": "hub"}, {"name": "mirror"}],
            "priorityClassName": "urgent",
            "schedulerName": "bin-packing",
        }.items()
    }


def test_pod_group_is_set_and_volcano_schedules_the_pods_of_its_groups() -> None:
    volcano, plugins = PodGroupPolicy(volcano=VolcanoPolicy()), PodGroupPolicy(coscheduling=CoschedulingPolicy())

    assert added(torch(pod_group=volcano), to=torch()) == {
        "spec.podGroupPolicy": {"volcano": {}},
        "node: schedulerName": "volcano",
    }
    assert added(torch(pod_group=volcano, scheduler="mine"), to=torch())["node: schedulerName"] == "mine"
    assert added(torch(pod_group=plugins), to=torch()) == {"spec.podGroupPolicy": {"coscheduling": {}}}


def test_kueue_queue_failure_policy_and_ttl_are_set_in_the_jobset() -> None:
    runtime = torch(
        kueue_queue="research", failure_policy=FailurePolicy(max_restarts=3), ttl_seconds_after_finished=3600
    )

    assert added(runtime, to=torch()) == {
        "spec.template.metadata": {"labels": {"kueue.x-k8s.io/queue-name": "research"}},
        "failurePolicy": {"maxRestarts": 3},
        "ttlSecondsAfterFinished": 3600,
    }


def test_istio_sidecar_false_labels_every_pod() -> None:
    label = {"labels": {"sidecar.istio.io/inject": "false"}}

    assert added(deepspeed(istio_sidecar=False), to=deepspeed()) == {
        "node].template.spec.template.metadata": label,
        "launcher].template.spec.template.metadata": label,
    }


def test_torchtune_has_uris_storage_and_model() -> None:
    storage = "volumeClaimPolicies"
    runtime = torchtune(
        dataset_uri="hf://acme/data",
        model_uri="s3://models/llama",
        storage="100Gi",
        storage_access_mode="ReadWriteMany",
        storage_class="nfs",
    )

    assert added(runtime, to=torchtune()) == {
        "dataset-initializer: containers[dataset-initializer].env[STORAGE_URI].value": "hf://acme/data",
        "model-initializer: containers[model-initializer].env[STORAGE_URI].value": "s3://models/llama",
        storage: [
            {
                "templates": [
                    {
                        "metadata": {"name": "initializer"},
                        "spec": {
                            "accessModes": ["ReadWriteMany"],
                            "resources": {"requests": {"storage": "100Gi"}},
                            "storageClassName": "nfs",
                        },
                    }
                ]
            }
        ],
    }


def test_cache_initializer_has_its_service_account() -> None:
    assert added(torch_with_cache(initializer_service_account="cache"), to=torch_with_cache()) == {
        "dataset-initializer: serviceAccountName": "cache"
    }


def test_flux_has_processes_and_view_image() -> None:
    view = "ghcr.io/converged-computing/flux-view-rocky:tag-9"

    assert added(flux(processes_per_node=4), to=flux()) == {"spec.mlPolicy.flux.numProcPerNode": 4}
    assert added(flux(view_image=view, registry="mirror.example.com"), to=flux(registry="mirror.example.com")) == {
        "node: env[FLUX_VIEW_IMAGE].value": view
    }
    assert added(flux(view_image=view, like_upstream=True), to=flux(like_upstream=True)) == {
        "node: env": [{"name": "FLUX_VIEW_IMAGE", "value": view}]
    }
