"""Versions beside each other."""

import pytest

from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.compatibility import (
    COMPATIBILITY_MATRIX,
    check_chart_keys,
    check_jobset_version,
    check_kubernetes_version,
    check_kueue_version,
    compatible_with,
    is_downgrade,
)
from components.validation.violation import Severity
from tools.local_cluster import operators

ERROR, WARNING = Severity.ERROR, Severity.WARNING


@pytest.mark.parametrize(
    ("version", "other", "older"),
    [
        ("2.2.1", "2.3.0", True),
        ("0.9.0", "0.10.1", True),
        ("v2.3.0", "2.3.0", False),
        ("2.3.0", "2.3.0", False),
        ("2.3.1", "2.3.0", False),
        ("2.3.0-rc.1", "2.3.0", True),
        ("2.3.0", "2.3.0-rc.1", False),
        ("latest", "2.3.0", True),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, other: str, older: bool) -> None:
    assert is_downgrade(version, other) == older


@pytest.mark.parametrize(
    ("trainer", "jobset", "said"),
    [
        ("2.3.0", "0.12.0", []),
        ("2.3.1", "v0.12.4", []),
        ("2.0.0", "0.8.2", []),
        ("2.3.0", "0.13.0", [("VER-01", WARNING)]),
        ("2.3.0", "0.11.0", [("VER-02", ERROR)]),
        ("2.3.0", "0.7.3", [("VER-02", ERROR)]),
        ("2.4.0", "0.12.0", [("VER-01", WARNING)]),
        ("2.4.0", "0.7.3", [("VER-02", ERROR)]),
    ],
)
def test_jobset_older_than_trainers_is_an_error_and_a_newer_one_is_a_warning(
    trainer: str, jobset: str, said: list[tuple[str, Severity]]
) -> None:
    violations = list(check_jobset_version(trainer, jobset, "jobset.version"))
    assert [(violation.rule, violation.severity) for violation in violations] == said
    assert all(violation.path == "jobset.version" for violation in violations)


@pytest.mark.parametrize(
    ("trainer", "kueue", "said"),
    [
        ("2.1.0", "0.16.9", []),
        ("2.1.0", "0.17.3", [("VER-02", ERROR)]),
        ("2.2.1", "0.17.3", []),
        ("2.2.1", "0.20.0", [("VER-02", ERROR)]),
        ("2.3.0", "0.20.1", []),
        ("2.3.0", "0.18.0", [("VER-01", WARNING)]),
        ("2.0.0", "0.20.0", []),
        ("9.0.0", "0.20.0", []),
    ],
)
def test_kueue_that_does_not_start_trainjobs_is_an_error(
    trainer: str, kueue: str, said: list[tuple[str, Severity]]
) -> None:
    violations = list(check_kueue_version(trainer, kueue, "trainer.version"))
    assert [(violation.rule, violation.severity) for violation in violations] == said


def test_error_names_a_compatible_version() -> None:
    (violation,) = check_kueue_version("2.1.0", "0.17.3", "trainer.version")
    assert str(violation) == (
        "trainer.version: Kueue 0.17.3 in the cluster does not start TrainJobs of Trainer 2.1.0: it expects "
        "newer ones. Fix: Use Trainer 2.2, or a Kueue older than 0.17. [VER-02]"
    )


@pytest.mark.parametrize(("kubernetes", "said"), [("v1.37.9", 0), ("v1.38.0", 1), ("v1.30.1-gke.1", 0), ("", 0)])
def test_untested_kubernetes_is_a_warning(kubernetes: str, said: int) -> None:
    violations = list(check_kubernetes_version("2.3.0", kubernetes, "trainer.version"))
    assert [violation.severity for violation in violations] == [WARNING] * said


def test_the_defaults_are_known_to_work_together() -> None:
    trainer, jobset = KubeflowTrainerSpec().version, JobSetOperatorSpec().version
    assert list(check_jobset_version(trainer, jobset, "jobset.version")) == []
    known = compatible_with(trainer)
    assert known is not None
    assert known.kubernetes is not None


def test_versions_marked_as_run_are_those_that_are_built() -> None:
    built = {(each.module, each.version.rpartition(".")[0]) for each in operators.known()}
    run_here = [known for known in COMPATIBILITY_MATRIX if "run here" in known.source]
    assert {(operators.TRAINER_MODULE, known.trainer) for known in run_here} | {
        (operators.JOBSET_MODULE, known.jobset) for known in run_here
    } == built


def test_each_row_of_the_table_has_a_source_and_the_newest_is_last() -> None:
    assert all("kubeflow/trainer" in known.source for known in COMPATIBILITY_MATRIX)
    assert all("kueue #" in known.source for known in COMPATIBILITY_MATRIX if known.kueue)
    assert [known.trainer for known in COMPATIBILITY_MATRIX] == sorted(known.trainer for known in COMPATIBILITY_MATRIX)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            KubeflowTrainerSpec(version="2.2.0", qps=20),
            "trainer.qps: This key has no effect: the chart of Trainer 2.2.0 does not read it. "
            "Fix: Install Trainer 2.3 or newer, or remove the key. [VER-06]",
        ),
        (KubeflowTrainerSpec(common_labels={"team": "a"}), None),
        (
            JobSetOperatorSpec(version="0.11.1", istio=True),
            "jobset.istio: The chart of JobSet 0.11.1 cannot set pod annotations, so the sidecar blocks the API "
            "server's calls to the webhooks. Fix: Install JobSet 0.12 or newer, or disable sidecar injection in "
            "`jobset-system`. [VER-06]",
        ),
        (JobSetOperatorSpec(istio=True, pod_annotations={"a": "b"}, host_network=True), None),
        (KubeflowTrainerSpec(version="2.2.0", pod_annotations={"a": "b"}, host_network=True), None),
    ],
)
def test_a_key_that_the_chart_of_a_version_does_not_read_is_a_warning(
    spec: JobSetOperatorSpec | KubeflowTrainerSpec, said: str | None
) -> None:
    found = list(check_chart_keys(spec))
    assert [str(each) for each in found] == ([said] if said else [])
    assert all(each.severity is WARNING for each in found)


@pytest.mark.parametrize(
    ("version", "image"), [("2.0.1", {"tag": "v2.0.1"}), ("2.1.0", {"tag": "v2.1.0"}), ("2.2.0", {})]
)
def test_trainers_charts_before_22_get_the_controllers_tag(version: str, image: dict[str, str]) -> None:
    assert KubeflowTrainerSpec(version=version).chart_values().get("image", {}) == image
    assert KubeflowTrainerSpec(version=version, image_registry="r.example.com").chart_values()["image"] == {
        **image,
        "registry": "r.example.com",
    }
    assert KubeflowTrainerSpec(version=version, values={"image": {"tag": "mine"}}).chart_values()["image"] == {
        "tag": "mine"
    }
