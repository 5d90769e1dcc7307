"""What is copied into a mirror, from where and to where."""

import json
from pathlib import Path

import pytest

from stacks.image_copies import ImageCopy, as_copies, as_json, as_text, image_copies
from stacks.settings.error_report import InvalidSettingsError
from stacks.settings.load import load_stack

DIGEST = f"sha256:{'1' * 64}"
STACK = f"""\
config:
  training-platform:cluster: {{context: far-away}}
  training-platform:jobset: {{version: 0.12.0}}
  training-platform:trainer: {{chart: charts/trainer, imageRegistry: own.example.com}}
  training-platform:runtimes:
    plain: {{framework: torch, image: pytorch/pytorch:2}}
    other: {{framework: torch, image: quay.io/a/b:1}}
    pinned: {{framework: torch, image: "quay.io/a/c@{DIGEST}"}}
  training-platform:images:
    mirrors: {{docker.io: m.example.com:5000/hub, registry.k8s.io: m.example.com:5000/k8s}}
    pins: {{docker.io/pytorch/pytorch:2: {DIGEST}}}
    digests: required
  training-platform:policies: {{registries: [m.example.com:5000]}}
"""


def copies(project: Path, text: str = STACK) -> list[ImageCopy]:
    (project / "stacks" / "Pulumi.prod.yaml").write_text(text)
    (project / "charts" / "trainer").mkdir(parents=True, exist_ok=True)
    (project / "charts" / "trainer" / "Chart.yaml").write_text("name: kubeflow-trainer\nversion: 2.3.0\n")
    return image_copies(load_stack("prod", "training-platform"))


K8S = "m.example.com:5000/k8s/jobset"
COPIES = [
    ImageCopy("chart", "registry.k8s.io/jobset/charts/jobset:0.12.0", f"{K8S}/charts/jobset:0.12.0", None),
    ImageCopy("image", f"docker.io/pytorch/pytorch@{DIGEST}", "m.example.com:5000/hub/pytorch/pytorch:2", DIGEST),
    ImageCopy(
        "image",
        "own.example.com/kubeflow/trainer/trainer-controller-manager:v2.3.0",
        "own.example.com/kubeflow/trainer/trainer-controller-manager:v2.3.0",
        None,
    ),
    ImageCopy("image", "quay.io/a/b:1", "quay.io/a/b:1", None),
    ImageCopy("image", f"quay.io/a/c@{DIGEST}", "quay.io/a/c", DIGEST),
    ImageCopy("image", "registry.k8s.io/jobset/jobset:v0.12.0", f"{K8S}/jobset:v0.12.0", None),
]


def test_source_is_upstream_and_target_the_mirror_although_the_policies_are_not_met(project: Path) -> None:
    assert copies(project) == COPIES


def test_other_errors_of_the_file_are_raised(project: Path) -> None:
    with pytest.raises(InvalidSettingsError, match=r"jobset\.replica "):
        copies(project, STACK.replace("{version: 0.12.0}", "{replica: 2}"))


def test_build_metadata_of_a_chart_version_is_written_as_helm_does(project: Path) -> None:
    [chart, *_] = copies(
        project, STACK.replace("{version: 0.12.0}", "{version: 0.12.0+b1, values: {image: {tag: v1}}}")
    )
    assert (chart.source, chart.target) == (
        "registry.k8s.io/jobset/charts/jobset:0.12.0_b1",
        f"{K8S}/charts/jobset:0.12.0_b1",
    )


def test_only_mirrored_images_are_copied() -> None:
    assert [each.is_mirrored for each in COPIES] == [True, True, False, False, False, True]
    assert as_copies(COPIES).splitlines() == [
        f"chart registry.k8s.io/jobset/charts/jobset:0.12.0 {K8S}/charts/jobset:0.12.0",
        f"image docker.io/pytorch/pytorch@{DIGEST} m.example.com:5000/hub/pytorch/pytorch:2",
        f"image registry.k8s.io/jobset/jobset:v0.12.0 {K8S}/jobset:v0.12.0",
    ]


def test_text_has_what_is_pulled() -> None:
    assert as_text(COPIES[:2]) == (
        f"chart  {K8S}/charts/jobset:0.12.0\nimage  m.example.com:5000/hub/pytorch/pytorch:2@{DIGEST}"
    )


def test_json_has_everything() -> None:
    assert json.loads(as_json(COPIES[1:2])) == [
        {
            "kind": "image",
            "source": f"docker.io/pytorch/pytorch@{DIGEST}",
            "target": "m.example.com:5000/hub/pytorch/pytorch:2",
            "digest": DIGEST,
        }
    ]
