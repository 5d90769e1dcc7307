"""The images and charts that a stack names, and whether they may be pulled."""

from typing import Any

import pytest

from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from stacks.settings.image_inventory import check_image_policies, of_operator
from stacks.settings.images import Images
from stacks.settings.policies import Policies
from tests.upstream import JOBSET_NOW, TRAINER_NOW

DIGEST, OWN = "sha256:" + "0" * 64, "sha256:" + "1" * 64


def test_images_in_values_are_listed() -> None:
    spec = KubeflowTrainerSpec(
        values={
            "image": {"repository": "attacker/manager", "tag": "v9"},
            "dataCache": {"cacheImage": {"registry": "evil.io", "repository": "cache", "tag": "1"}},
            "sidecars": [{"image": "evil.io/sidecar@latest"}],
            "extra": {"initImage": "evil.io/init", "pullPolicy": "Always"},
        }
    )
    assert [(each.reference, each.path) for each in of_operator("trainer", spec)][1:] == [
        ("ghcr.io/attacker/manager:v9", "trainer"),
        ("evil.io/cache:1", "trainer.values.dataCache.cacheImage"),
        ("evil.io/sidecar@latest", "trainer.values.sidecars[0].image"),
        ("evil.io/init", "trainer.values.extra.initImage"),
    ]


def forbidden_in(spec: Any, **given: Any) -> list[tuple[str, str]]:
    policies = Policies(registries=tuple(given.pop("registries", ())))
    images = Images(**given)
    return [
        (each.rule, each.path)
        for each in check_image_policies(of_operator("x", images.operator(spec)), images, policies)
    ]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"image": {"repository": "attacker/manager"}}, [("STK-15", "x")]),
        ({"image": {"tag": "v1@x"}}, [("STK-20", "x")]),
        ({"image": {"repository": "../evil"}}, [("STK-20", "x")]),
        ({"image": "evil.io/x"}, [("STK-15", "x.values.image")]),
        ({"cacheImage": {"registry": "ghcr.io/kubeflow/"}}, [("STK-20", "x.values.cacheImage")]),
        ({"manager": {"extra": [{"image": "ghcr.io/kubeflow/x:1"}]}}, []),
    ],
)
def test_registries_of_images_in_values_are_checked(values: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert forbidden_in(KubeflowTrainerSpec(values=values), registries=["ghcr.io/kubeflow"]) == found


@pytest.mark.parametrize(
    "chart", ["oci://ghcr.io/../evil.io/x", "oci://ghcr.io/kubeflow/x@latest", "oci://ghcr.io/a:1"]
)
def test_the_location_of_a_chart_is_a_reference(chart: str) -> None:
    assert forbidden_in(KubeflowTrainerSpec(chart=chart), registries=["ghcr.io"]) == [("STK-20", "x")]


def test_required_digests_apply_to_charts_and_images() -> None:
    spec = KubeflowTrainerSpec()
    pins = {spec.controller_image: DIGEST}
    assert forbidden_in(spec, digests="required") == [("STK-14", "x"), ("STK-14", "x")]
    assert forbidden_in(spec, digests="required", pins=pins) == [("STK-14", "x")]
    pins[f"{spec.chart.removeprefix('oci://')}:{spec.version}"] = DIGEST
    assert forbidden_in(spec, digests="required", pins=pins) == []
    folder = spec.model_copy(update={"chart": "charts/trainer"})
    assert forbidden_in(folder, digests="required", pins=pins) == []


def test_docker_hub_is_allowed_by_its_name() -> None:
    spec = KubeflowTrainerSpec(image_registry="docker.io/team", chart="oci://registry-1.docker.io/team/x")
    assert forbidden_in(spec, registries=["docker.io/team"]) == [("STK-15", "x")]  # the chart's host is another one


def named(values: Any) -> list[str]:
    """The images that a chart's values name, whoever switches them on; not those of its runtimes, which are refused."""
    if not isinstance(values, dict):
        return []
    mine = [str(values["repository"])] if "repository" in values else []
    return mine + [image for key, value in values.items() if key != "runtimes" for image in named(value)]


def test_charts_have_only_known_images() -> None:
    assert [image.rpartition("/")[2] for image in named(JOBSET_NOW.values)] == ["jobset"]
    assert named(TRAINER_NOW.values) == [
        KubeflowTrainerSpec.facts.image_path,
        "kubeflow/trainer/data-cache",  # with `dataCache.enabled`; runtimes name it in a variable
    ]
    assert JobSetOperatorSpec().facts.image_path == "jobset/jobset"
