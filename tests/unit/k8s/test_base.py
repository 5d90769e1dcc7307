"""Models: names on both sides, what is guessed and what is not, and runtimes as values."""

import pytest
from pydantic import ValidationError

from components.k8s.containers import ContainerPort
from components.k8s.metadata import ObjectMeta
from components.k8s.pods import PodSpec
from components.runtimes import ClusterTrainingRuntime, TrainingRuntime, TrainingRuntimeSpec
from components.runtimes.jobset import Network
from components.runtimes.ml_policy import MLPolicy, TorchPolicy
from components.validation.model import FrozenList, StrictModel


class Room(StrictModel):
    """A model with one field of each kind."""

    seat_count: int | None = None
    open: bool | None = None
    name: str | None = None
    shelves: FrozenList[str] | None = None


def test_a_field_has_its_name_in_python_and_its_name_on_the_wire() -> None:
    assert Room(seat_count=1) == Room.model_validate({"seatCount": 1}) == Room.model_validate({"seat_count": 1})
    assert Room(seat_count=1).model_dump(exclude_none=True) == {"seatCount": 1}


@pytest.mark.parametrize(
    "wrong", [{"seat_count": "8"}, {"seat_count": True}, {"name": 1}, {"open": "true"}, {"open": 1}, {"shelves": "ab"}]
)
def test_scalars_are_not_guessed(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        Room.model_validate(wrong)
    assert [str(each["loc"][0]) for each in refused.value.errors()] == [*wrong]


def test_lists_are_tuples_here() -> None:
    assert Room(shelves=["a", "b"]).shelves == ("a", "b")  # type: ignore[arg-type] # lists are taken as well


def test_models_do_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Room(name="a").name = "b"  # type: ignore[misc] # that is the point


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(ValidationError, match="nmae"):
        Room.model_validate({"nmae": "a"})


def test_acronyms_are_written_as_the_api_writes_them() -> None:
    pod = PodSpec(containers=(), host_ipc=True, host_pid=True, set_hostname_as_fqdn=False, dns_policy="None")
    port = ContainerPort(container_port=1, host_ip="::1")

    assert list(pod.model_dump(exclude_none=True)) == [
        "containers",
        "hostPID",
        "hostIPC",
        "setHostnameAsFQDN",
        "dnsPolicy",
    ]
    assert port.model_dump(exclude_none=True) == {"containerPort": 1, "hostIP": "::1"}
    assert Network(enable_dns_hostnames=True).model_dump(exclude_none=True) == {"enableDNSHostnames": True}


def torch(**container: object) -> TrainingRuntimeSpec:
    node = {"name": "node", "image": "registry/torch:1", **container}
    job = {
        "name": "node",
        "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
            "spec": {"template": {"spec": {"containers": [node]}}},
        },
    }
    return TrainingRuntimeSpec.model_validate(
        {"mlPolicy": {"torch": {}}, "template": {"spec": {"replicatedJobs": [job]}}}
    )


def test_a_runtime_built_in_python_is_the_manifest() -> None:
    metadata = ObjectMeta(name="torch", labels={"trainer.kubeflow.org/framework": "torch"})
    spec = torch().model_dump(exclude_none=True, mode="json")

    assert ClusterTrainingRuntime(metadata=metadata, spec=torch()).to_manifest() == {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "torch", "labels": {"trainer.kubeflow.org/framework": "torch"}},
        "spec": spec,
    }
    namespaced = TrainingRuntime(metadata=ObjectMeta(name="torch", namespace="team"), spec=torch())
    assert (namespaced.to_manifest()["kind"], namespaced.metadata.namespace) == ("TrainingRuntime", "team")


def test_equal_values_are_equal_runtimes() -> None:
    assert MLPolicy(torch=TorchPolicy()) == MLPolicy(torch=TorchPolicy(env_injection=None))
    assert MLPolicy(torch=TorchPolicy()) != MLPolicy()
