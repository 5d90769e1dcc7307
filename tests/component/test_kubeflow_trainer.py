"""Trainer's chart."""

from components.kubeflow_trainer import KubeflowTrainer, KubeflowTrainerSpec

from .monitor import Monitor, run


def trainer(spec: KubeflowTrainerSpec) -> Monitor:
    return run(lambda: KubeflowTrainer("trainer", {"spec": spec}))


def test_trainer_chart_is_pinned_and_has_neither_jobset_nor_runtimes() -> None:
    _, namespace, chart = trainer(KubeflowTrainerSpec()).registered.values()
    assert namespace.inputs["metadata"]["name"] == "kubeflow-system"
    assert chart.inputs == {
        "name": "kubeflow-trainer",
        "namespace": "kubeflow-system",
        "chart": "oci://ghcr.io/kubeflow/charts/kubeflow-trainer",
        "version": "2.3.0",
        "values": {"jobset": {"install": False}, "runtimes": {"defaultEnabled": False}},
    }
