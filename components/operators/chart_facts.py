"""Facts about the operators' charts, once for whoever needs one: how a copy is recognized, where its values are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ChartFacts:
    """An operator's chart, as upstream publishes it. Every fact is compared with every chart of the version matrix
    (`tests/unit/operators/test_compatibility_upstream.py`)."""

    section: str
    """The operator's section in a stack file, by which messages name it."""

    title: str
    """The operator's name in messages."""

    release: str
    """Name of the Helm release, which the chart puts into the names of its objects."""

    crds: tuple[str, ...]
    """Names of the CRDs."""

    webhooks: tuple[str, ...]
    """Names of a validating webhook by which an installation is recognized: one name for each way to install it. The
    webhook's Service is in the operator's namespace."""

    upstream_registry: str
    """Registry of the controller's image if `image_registry` is not set."""

    image_path: str
    """Path of the controller's image in its registry. Its tag is `v` and the chart's version."""

    configuration: tuple[str, ...]
    """The paths in the chart's values that its ConfigMap with the controller's configuration reads."""

    value_paths: Mapping[str, str]
    """The paths in the chart's values of the fields of the operator's spec, by field."""

    since: Mapping[str, str]
    """Fields that older charts ignore, each with the first release line whose chart reads it, major and minor."""

    image_registry_template: str = "{registry}"
    """Value at the path of `image_registry`, with a placeholder for the registry."""

    webhook_port: str = "9443"
    """Port of the webhooks."""

    adds_runtime_finalizers: bool = False
    """Whether the operator adds finalizers to runtimes, which nothing removes after it is gone."""

    reserved_values: Mapping[str, str] = field(default_factory=dict)
    """Keys of the chart's values that cannot be set, each with the reason."""

    enforced_values: Mapping[str, Any] = field(default_factory=dict)
    """Values of the chart that are always set."""

    @property
    def image_name(self) -> str:
        """Last part of the controller's image path, which is the same in every registry."""
        return self.image_path.rpartition("/")[2]


def _controller_paths(pod: str) -> dict[str, str]:
    """The paths of the fields that every chart has. `pod` is the path of its controller's values."""
    return {
        "replicas": f"{pod}.replicas",
        "resources": f"{pod}.resources",
        "node_selector": f"{pod}.nodeSelector",
        "tolerations": f"{pod}.tolerations",
        "affinity": f"{pod}.affinity",
        "pod_annotations": f"{pod}.podAnnotations",
        "pull_secrets": "image.pullSecrets",
    }


JOBSET = ChartFacts(
    section="jobset",
    title="JobSet",
    release="jobset",
    crds=("jobsets.jobset.x-k8s.io",),
    # Helm's name (charts/jobset/templates/webhook) and kustomize's (config/components/webhook/manifests.yaml), both in
    # JobSet 0.8.2, 0.11.1 and 0.12.0.
    webhooks=("validate-jobset-x-k8s-io-v1alpha2-jobset.x-k8s.io", "vjobset.kb.io"),
    upstream_registry="registry.k8s.io",
    image_path="jobset/jobset",
    image_registry_template="{registry}/jobset/jobset",
    configuration=("controller.leaderElection", "controller.clientConnection", "certManager.enable"),
    value_paths={
        **_controller_paths("controller"),
        "host_network": "controller.hostNetwork",
        "qps": "controller.clientConnection.qps",
        "burst": "controller.clientConnection.burst",
        "prometheus": "prometheus",
        "image_registry": "image.repository",
    },
    since={"host_network": "0.9", "pod_annotations": "0.12"},
)
"""JobSet 0.12.0, charts/jobset."""

_RUNTIMES_REASON = (
    "the chart installs runtimes with a hook Job, which Pulumi does not run; deploy them as `TrainingRuntimes`"
)

TRAINER = ChartFacts(
    section="trainer",
    title="Trainer",
    release="kubeflow-trainer",
    crds=tuple(
        f"{plural}.trainer.kubeflow.org" for plural in ("clustertrainingruntimes", "trainingruntimes", "trainjobs")
    ),
    webhooks=("validator.trainjob.trainer.kubeflow.org",),
    adds_runtime_finalizers=True,
    upstream_registry="ghcr.io",
    image_path="kubeflow/trainer/trainer-controller-manager",
    configuration=("manager.config",),
    value_paths={
        **_controller_paths("manager"),
        "qps": "manager.config.clientConnection.qps",
        "burst": "manager.config.clientConnection.burst",
        "metrics": "manager.config.metrics",
        "feature_gates": "manager.config.featureGates",
        "failure_policy": "webhook.failurePolicy",
        "image_registry": "image.registry",
    },
    since={
        "metrics": "2.1",
        "pod_annotations": "2.2",
        "feature_gates": "2.2",
        "qps": "2.3",
        "burst": "2.3",
    },
    reserved_values={
        "jobset": "JobSet is installed as an operator of its own, not by Trainer's chart",
        "crds.enabled": "the CRDs must be installed with the chart; runtimes need them",
        "runtimes": _RUNTIMES_REASON,
        "dataCache.runtimes": _RUNTIMES_REASON,
        "manager.config.webhook.port": "`istio` and firewall rules depend on it",
    },
    enforced_values={"jobset": {"install": False}, "runtimes": {"defaultEnabled": False}},
)
"""Kubeflow Trainer 2.3.0, charts/kubeflow-trainer."""
