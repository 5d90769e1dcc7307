"""Mirrors, digests and pull secrets: where every image and chart is pulled from."""

from typing import Any

import pytest

from components.jobset import JobSetOperatorSpec
from components.k8s.volumes import ImageVolumeSource, Volume
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.runtimes import ClusterTrainingRuntime, TrainingRuntime, deepspeed, flux, torch_with_cache, torchtune
from components.runtimes.editing import pod_of, replicated_jobs
from stacks.settings.image_inventory import of_operator, of_runtime
from stacks.settings.images import Images
from stacks.settings.load import load_sections
from stacks.settings.resolve import resolve
from stacks.settings.stack_file import StackFile

DIGEST, OWN = "sha256:" + "0" * 64, "sha256:" + "1" * 64
MIRROR = {"ghcr.io": "m.example.com/ghcr", "registry.k8s.io": "m.example.com/k8s", "docker.io": "m.example.com/hub"}


@pytest.mark.parametrize(
    ("image", "pulled"),
    [
        ("ghcr.io/a/b:1", f"m.example.com/ghcr/a/b:1@{DIGEST}"),
        ("busybox:1", f"m.example.com/hub/library/busybox:1@{DIGEST}"),
        ("quay.io/a:1", "quay.io/a:1"),
        ("ghcr.io/a/c:1", f"m.example.com/ghcr/a/c:1@{DIGEST}"),
        (f"ghcr.io/a/b:1@{OWN}", f"m.example.com/ghcr/a/b:1@{OWN}"),
    ],
)
def test_pin_is_found_by_the_name_of_upstream_or_of_the_mirror(image: str, pulled: str) -> None:
    pins = dict.fromkeys(["ghcr.io/a/b:1", "busybox:1", "m.example.com/ghcr/a/c:1", f"ghcr.io/a/b:1@{OWN}"], DIGEST)
    assert Images(mirrors=MIRROR, pins=pins).image(image) == pulled


@pytest.mark.parametrize("spec", [JobSetOperatorSpec(), KubeflowTrainerSpec()], ids=["jobset", "trainer"])
def test_operator_gets_digest_and_pull_secrets(spec: Any) -> None:
    images = Images(mirrors=MIRROR, pins={spec.controller_image: DIGEST}, pull_secrets=("pull",))
    mirrored = images.operator(spec)
    assert mirrored.chart_values()["image"] == {
        "tag": f"v{spec.version}@{DIGEST}",
        "pullSecrets": [{"name": "pull"}],
        **({"repository": "m.example.com/k8s/jobset/jobset"} if isinstance(spec, JobSetOperatorSpec) else {}),
        **({"registry": "m.example.com/ghcr"} if isinstance(spec, KubeflowTrainerSpec) else {}),
    }
    assert [each.reference for each in of_operator("x", mirrored)] == [
        f"{mirrored.chart}:{spec.version}",
        f"{images.image(spec.controller_image)}",
    ]


@pytest.mark.parametrize("spec", [JobSetOperatorSpec(), KubeflowTrainerSpec()], ids=["jobset", "trainer"])
def test_chart_gets_its_digest_by_the_name_of_upstream_or_of_the_mirror(spec: Any) -> None:
    upstream = f"{spec.chart.removeprefix('oci://')}:{spec.version}"
    mirrored = Images(mirrors=MIRROR).operator(spec).chart
    for key in (upstream, f"{mirrored.removeprefix('oci://')}:{spec.version}"):
        pinned = Images(mirrors=MIRROR, pins={key: DIGEST}).operator(spec)
        assert (pinned.chart, pinned.version) == (f"{mirrored}@{DIGEST}", spec.version)
        assert next(of_operator("x", pinned)).reference == f"{mirrored}:{spec.version}@{DIGEST}"


def test_images_set_by_an_operator_are_kept() -> None:
    spec = JobSetOperatorSpec(pull_secrets=("own",), values={"image": {"tag": "mine", "pullPolicy": "Always"}})
    mirrored = Images(pins={"registry.k8s.io/jobset/jobset:v0.12.0": DIGEST}, pull_secrets=("pull",)).operator(spec)
    assert (mirrored.values, mirrored.pull_secrets) == (spec.values, ("own",))
    assert mirrored.controller_image == "registry.k8s.io/jobset/jobset:mine"


def test_operator_is_unchanged_without_image_settings() -> None:
    assert Images().operator(JobSetOperatorSpec()) == JobSetOperatorSpec()


def references(runtime: ClusterTrainingRuntime | TrainingRuntime) -> list[str]:
    return [each.reference for each in of_runtime("x", runtime)]


def test_init_containers_and_images_in_variables_come_from_the_mirror() -> None:
    images = Images(mirrors=MIRROR)
    for runtime in (deepspeed(name="d"), torchtune(name="t"), torch_with_cache(name="c"), flux(name="f")):
        assert {each.split("/")[0] for each in references(images.runtime(runtime))} == {"m.example.com"}
    assert "m.example.com/ghcr/kubeflow/trainer/data-cache:v2.3.0" in references(images.runtime(torch_with_cache()))
    view = "m.example.com/ghcr/converged-computing/flux-view-ubuntu:tag-jammy"
    assert references(images.runtime(flux())) == ["m.example.com/hub/library/ubuntu:jammy", view]


def test_image_volumes_come_from_the_mirror() -> None:
    runtime = deepspeed(
        volumes={"/models": Volume(name="models", image=ImageVolumeSource(reference="ghcr.io/a/models:1"))}
    )
    assert "m.example.com/ghcr/a/models:1" in references(Images(mirrors=MIRROR).runtime(runtime))


def test_pull_secrets_are_added_to_runtimes_without_their_own() -> None:
    images = Images(pull_secrets=("one", "two"))
    for runtime, names in ((deepspeed(), ["one", "two"]), (deepspeed(pull_secrets=("own",)), ["own"])):
        for pod in map(pod_of, replicated_jobs(images.runtime(runtime))):
            assert [secret.name for secret in (pod and pod.image_pull_secrets) or ()] == names
    assert Images().runtime(deepspeed()) == deepspeed()


def test_pull_secrets_are_added_to_device_plugins() -> None:
    pool = {"provider": "karpenter", "machineType": "p5.48xlarge", "size": {"max": 1}, "zones": ["a"]}
    node_class = {
        "kind": "ec2",
        "role": "a",
        "subnetIds": ["subnet-0a"],
        "securityGroupIds": ["sg-0a"],
        "image": "al2023@v1",
    }
    sections = {
        "cluster": {"context": "c"},
        "gpuNodePools": {"gpu": pool | {"nodeClass": node_class, "network": {"kind": "efa"}}},
        "images": {"pullSecrets": ["pull"], "mirrors": {"nvcr.io": "m.example.com/nvcr"}},
    }
    resolved = resolve(load_sections(sections, StackFile("test", "training-platform"), require_local_state=False))
    plugins = getattr(resolved.pools["gpu"], "device_plugins", ())
    assert [plugin.pull_secrets for plugin in plugins] == [("pull",), ("pull",)]
    assert [(each.kind, each.reference, each.path) for each in resolved.artifacts()] == [
        ("image", "m.example.com/nvcr/nvidia/k8s-device-plugin:v0.17.4", "gpuNodePools.gpu"),
        (
            "image",
            "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.18",
            "gpuNodePools.gpu",
        ),
    ]


def test_unchanged_runtime_is_the_same_object() -> None:
    runtime = deepspeed()
    assert Images().runtime(runtime) is runtime
    assert Images(pull_secrets=("pull",)).runtime(runtime) != runtime
