"""What is said when a runtime is built or read wrong: everything at once, where, and what to write."""

import pytest

from components.k8s.containers import Container, ContainerPort
from components.k8s.env import EnvVar
from components.k8s.jobs import JobSpec
from components.k8s.metadata import EmbeddedMetadata, ObjectMeta
from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError, TrainingRuntimeSpec
from components.runtimes.jobset import DependsOn, JobSetSpec, JobSetTemplate, ReplicatedJob
from components.runtimes.ml_policy import MLPolicy
from components.validation.model import StrictModel
from components.validation.violation import Severity, Violation


def test_invalid_part_reports_all_violations() -> None:
    with pytest.raises(InvalidRuntimeError) as caught:
        Container(name=1, imgae="a", env=[{"value": 2}], ports=(ContainerPort(container_port=1),) * 2)  # type: ignore[call-arg, arg-type]

    assert [(each.rule, each.path, each.severity) for each in caught.value.violations] == [
        ("CTR-34", "name", Severity.ERROR),
        ("CTR-35", "env[0].name", Severity.ERROR),
        ("CTR-34", "env[0].value", Severity.ERROR),
        ("CTR-33", "ports[1]", Severity.ERROR),
        ("CTR-36", "imgae", Severity.ERROR),
    ]
    assert str(caught.value).splitlines() == [
        "Container is invalid:",
        '  name: 1 is not a string. Fix: Put it in quotes: "1". [CTR-34]',
        "  env[0].name: name is required and missing. Fix: Set name. [CTR-35]",
        '  env[0].value: 2 is not a string. Fix: Put it in quotes: "2". [CTR-34]',
        '  ports[1]: Duplicate item: 1, "TCP" as containerPort, protocol is already at [0]. '
        "Fix: Remove or change one of them. [CTR-33]",
        "  imgae: The API has no field imgae here: it rejects the field or drops it silently. "
        "Fix: Did you mean image? [CTR-36]",
    ]


def test_errors_of_schema_and_rules_are_reported_together_despite_unknown_fields() -> None:
    waits = [{"name": "later", "status": "Ready"}]
    jobs = [{"name": "node", "dependsOn": waits, "replica": 1, "template": {}}]

    with pytest.raises(InvalidRuntimeError) as caught:
        ClusterTrainingRuntime(
            metadata={"name": "a"},  # type: ignore[arg-type] # mappings are taken as well
            spec={"template": {"spec": {"replicatedJobs": jobs}}},  # type: ignore[arg-type]
        )

    rules = [each.rule for each in caught.value.violations]
    assert rules[0] == "CTR-36"
    assert "JSW-01" in rules
    assert str(caught.value).startswith("ClusterTrainingRuntime a is invalid:\n")


def test_schema_errors_hidden_by_unknown_fields_are_reported() -> None:
    with pytest.raises(InvalidRuntimeError) as caught:
        ClusterTrainingRuntime.from_manifest(
            {
                "apiVersion": "trainer.kubeflow.org/v1alpha1",
                "kind": "ClusterTrainingRuntime",
                "metadata": {"name": "a"},
                "spec": {"mlPolicy": {"torch": {}, "mpi": {}, "numNode": 1}},
            }
        )

    assert [(each.rule, each.path) for each in caught.value.violations] == [
        ("CTR-36", "spec.mlPolicy.numNode"),
        ("CTR-03", "spec.mlPolicy"),
    ]


def test_rule_error_stops_reading_and_is_reported_with_warnings() -> None:
    job = {"name": "node", "template": {}, "dependsOn": [{"name": "a", "status": "Ready"}]}
    manifest = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "a"},
        "spec": {"template": {"spec": {"replicatedJobs": [job]}}},
    }

    with pytest.raises(InvalidRuntimeError) as caught:
        ClusterTrainingRuntime.from_manifest(manifest)

    assert "JSW-01" in [each.rule for each in caught.value.violations]
    assert {each.severity for each in caught.value.violations} == {Severity.ERROR, Severity.WARNING}


@pytest.mark.parametrize(
    ("labels", "path"), [({1: "a"}, "labels[1]"), ({None: "a"}, "labels[None]"), ({"a": None}, "labels[a]")]
)
def test_keys_and_values_of_mappings_are_strings(labels: dict[object, object], path: str) -> None:
    with pytest.raises(InvalidRuntimeError) as caught:
        EmbeddedMetadata(labels=labels)  # type: ignore[arg-type] # that is the point

    assert [(each.rule, each.path) for each in caught.value.violations] == [("CTR-34", path)]


def test_paths_are_of_the_wire_also_for_what_is_named_in_python() -> None:
    rules = [{"action": "Ignore", "on_exit_codes": {"operator": "In", "values": ["1"]}}, {"on_pod_conditions": []}]

    with pytest.raises(InvalidRuntimeError) as caught:
        JobSpec(template={}, pod_failure_policy={"rules": rules, "rule": 1})  # type: ignore[arg-type] # mappings too

    assert [(each.rule, each.path, each.fix) for each in caught.value.violations] == [
        ("CTR-34", "podFailurePolicy.rules[0].onExitCodes.values[0]", "Write an integer, without quotes."),
        ("CTR-35", "podFailurePolicy.rules[1].action", "Set action."),
        ("CTR-36", "podFailurePolicy.rule", "Did you mean rules?"),
    ]


def test_keys_of_objects_are_strings() -> None:
    with pytest.raises(InvalidRuntimeError) as caught:
        TrainingRuntimeSpec(ml_policy={1: {}}, pod_group_policy={"volcano": {2: 3}})  # type: ignore[arg-type]

    assert [(each.rule, each.path) for each in caught.value.violations] == [
        ("CTR-36", "mlPolicy[1]"),
        ("CTR-36", "podGroupPolicy.volcano[2]"),
    ]


def test_an_error_of_the_rules_stops_construction() -> None:
    job = ReplicatedJob.model_validate(
        {"name": "node", "template": {}, "dependsOn": [{"name": "a", "status": "Ready"}]}
    )
    template = JobSetTemplate(spec=JobSetSpec(replicated_jobs=(job,)))

    with pytest.raises(InvalidRuntimeError) as caught:
        ClusterTrainingRuntime(metadata=ObjectMeta(name="a"), spec=TrainingRuntimeSpec(template=template))

    assert "JSW-01" in [each.rule for each in caught.value.violations]
    assert {each.severity for each in caught.value.violations} == {Severity.ERROR}


@pytest.mark.parametrize(
    ("path", "wrong", "fix"),
    [
        ("spec.numNodes", {"spec": {"numNodes": 2, "mlPolicy": {}}}, "Move it to spec.mlPolicy.numNodes."),
        ("spec.MLPOLICY", {"spec": {"MLPOLICY": {}, "mlPolicy": {}}}, "Did you mean mlPolicy?"),
        (
            "spec.template.spec.replicatedJobs[0].template.annotations",
            {"spec": {"template": {"spec": {"replicatedJobs": [{"name": "a", "template": {"annotations": {}}}]}}}},
            "Move it to spec.template.spec.replicatedJobs[].template.metadata.annotations.",
        ),
        (
            "spec.startupPolicy",
            {"spec": {"startupPolicy": {}, "mlPolicy": {}}},
            "Move it to spec.template.spec.startupPolicy.",
        ),
        ("spec.ml_policy", {"spec": {"ml_policy": {}, "mlPolicy": {}}}, "Did you mean mlPolicy?"),
        (
            "spec.template.spec.containers",
            {"spec": {"template": {"spec": {"containers": []}}}},
            "Move it to spec.template.spec.replicatedJobs[].template.spec.template.spec.containers.",
        ),
        (
            "spec.mlPolicy.jax.zzz",
            {"spec": {"mlPolicy": {"jax": {"zzz": 1}}}},
            "Remove it. Known fields: none.",
        ),
        (
            "spec.podGroupPolicy.zzz",
            {"spec": {"podGroupPolicy": {"zzz": 1}}},
            "Remove it. Known fields: coscheduling, volcano.",
        ),
    ],
)
def test_unknown_field_is_reported_with_the_fields_of_the_api(path: str, wrong: dict[str, object], fix: str) -> None:
    manifest = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "a"},
    }

    with pytest.raises(InvalidRuntimeError) as caught:
        ClusterTrainingRuntime.from_manifest(manifest | wrong)

    assert [each.fix for each in caught.value.violations if each.path == path] == [fix]


@pytest.mark.parametrize(
    ("model", "wrong", "fix"),
    [
        (EnvVar, {"name": "A", "value": True}, 'Put it in quotes: "true". YAML reads y, yes and on as true; '),
        (EnvVar, {"name": "A", "value": 1.5}, 'Put it in quotes: "1.5".'),
        (ReplicatedJob, {"name": "a", "template": {}, "replicas": "2"}, "Write an integer, without quotes."),
        (Container, {"name": "a", "tty": "true"}, "Write true or false, without quotes."),
        (Container, {"name": "a", "command": "sh"}, "Write a list."),
        (EmbeddedMetadata, {"labels": []}, "Write a mapping."),
        (Container, {"name": "a", "resources": {"limits": {"memory": "16 GiB"}}}, 'Did you mean "16Gi"?'),
        (Container, {"name": "a", "resources": {"limits": {"cpu": 2.5}}}, 'Put it in quotes: "2.5".'),
        (DependsOn, {"name": "a", "status": "ready"}, "Use 'Ready' or 'Complete'."),
        (MLPolicy, {"numNodes": 2**31}, "Write a number from -2147483648 to 2147483647."),
    ],
)
def test_fix_states_what_to_write(model: type[StrictModel], wrong: dict[str, object], fix: str) -> None:
    with pytest.raises(InvalidRuntimeError) as caught:
        model(**wrong)

    assert [each.fix[: len(fix)] for each in caught.value.violations] == [fix]


@pytest.mark.parametrize(("length", "message"), [(60, '"' + "a" * 60 + '"'), (61, '"' + "a" * 57 + '..."')])
def test_long_values_are_shown_short(length: int, message: str) -> None:
    with pytest.raises(InvalidRuntimeError) as caught:
        DependsOn(name="a", status="a" * length)  # type: ignore[arg-type]

    assert caught.value.violations[0].message == f"{message} is not supported here."


def test_a_violation_reads_as_one_line() -> None:
    violation = Violation("CTR-01", "spec", "The spec is empty.", "Set its template.")

    assert (violation.severity, str(violation)) == (
        Severity.ERROR,
        "spec: The spec is empty. Fix: Set its template. [CTR-01]",
    )
