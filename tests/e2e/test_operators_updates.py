"""Operators that change while users submit: certificates stay, webhooks answer, nothing is made anew."""

import os
from typing import Any

import yaml

from tools.local_cluster import operators

from .conftest import Platform
from .stack_objects import counts, trainjobs
from .submitter import TRAINJOB, Submitter

CHARTS = {"jobset": operators.DEFAULT[0].chart.name, "trainer": operators.DEFAULT[1].chart.name}
"""The folder of each operator's chart, which is upstream's."""

SAME_IMAGE = {"image": {"tag": operators.DEFAULT[1].image_reference.rpartition(":")[2]}}
"""Trainer's chart derives the image's tag from its own version. JobSet's has it in its values."""

Change = tuple[str, dict[str, Any], bool]
"""Section, what is written there beside what the stack has, and whether the controller's pod starts again for it, or
because what was written before is not there any more."""

SHORT: list[Change] = [
    ("trainer", {"version": "2.3.1", "values": SAME_IMAGE}, False),
    ("jobset", {"version": "0.12.1"}, True),
]
UPGRADES = (("jobset", "0.12.1"), ("trainer", "2.3.1"))
LONG: list[Change] = [
    ("jobset", {"commonLabels": {"team": "platform"}}, True),
    ("jobset", {"qps": 50}, True),
    ("jobset", {"qps": 50, "burst": 60}, True),
    ("jobset", {"podAnnotations": {"example.com/a": "b"}}, True),
    ("jobset", {"hostNetwork": True}, True),
    ("jobset", {"priorityClass": "system-cluster-critical"}, True),
    ("jobset", {"istio": True}, True),
    ("jobset", {"resources": {"requests": {"cpu": "100m"}}}, True),
    ("jobset", {"tolerations": [{"key": "system", "operator": "Exists"}]}, True),
    ("jobset", {"version": "0.12.1"}, True),
    ("jobset", {"version": "0.12.0", "allowDowngrade": True}, True),
    ("trainer", {"commonLabels": {"team": "platform"}}, True),
    ("trainer", {"commonLabels": {"team": "platform", "tier": "one"}}, True),
    ("trainer", {"failurePolicy": "Ignore"}, True),
    ("trainer", {"version": "2.3.1", "values": SAME_IMAGE}, False),
    ("trainer", {"version": "2.3.0", "allowDowngrade": True}, False),
    ("trainer", {"podAnnotations": {"example.com/a": "b"}}, True),
    ("trainer", {"priorityClass": "system-cluster-critical"}, True),
    ("trainer", {"qps": 40}, True),
    ("trainer", {"pullSecrets": ["registry"]}, True),
    ("trainer", {"values": {"manager": {"env": [{"name": "A", "value": "b"}]}}}, True),
]


CRDS = {
    "jobset": ("crds/jobset.x-k8s.io_jobsets.yaml", "jobsets.jobset.x-k8s.io"),
    "trainer": ("templates/crd/trainer.kubeflow.org_trainjobs.yaml", "trainjobs.trainer.kubeflow.org"),
}
"""A CRD of each chart: its file, its name."""


def extend_crd(platform: Platform, section: str) -> None:
    """What a newer version's CRD has more: a field `spec.newer`."""
    file = platform.project / ".local" / "charts" / CHARTS[section] / CRDS[section][0]
    before, spec, rest = file.read_text().partition("\n          spec:\n")
    above, properties, below = rest.partition("\n            properties:\n")
    newer = "              newer:\n                type: string\n"
    file.write_text(before + spec + above + properties + newer + below)


def extended(platform: Platform) -> list[str]:
    """The sections whose CRD in the cluster has that field."""
    crds = platform.cluster().resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    specs = {
        section: crds.get(name=name).to_dict()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
        for section, (_, name) in CRDS.items()
    }
    return [section for section, spec in specs.items() if "newer" in spec["properties"]]


def labels_of_pods(platform: Platform, section: str) -> list[dict[str, str]]:
    """The labels of an operator's Deployments and of their pods."""
    namespace = {"jobset": "jobset-system", "trainer": "kubeflow-system"}[section]
    return [
        each.metadata.labels.to_dict()
        for api_version, kind in (("apps/v1", "Deployment"), ("v1", "Pod"))
        for each in platform.cluster().resources.get(api_version=api_version, kind=kind).get(namespace=namespace).items
        if not each.metadata.deletionTimestamp
    ]


def set_version(platform: Platform, section: str, version: str) -> None:
    """A chart of another version, whose labels say so."""
    file = platform.project / ".local" / "charts" / CHARTS[section] / "Chart.yaml"
    chart = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump({**chart, "version": version}))


def test_users_submit_while_operators_change(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections(*CHARTS)
    assert extended(platform) == []
    seen: dict[str, set[str]] = {}
    for section, values, restarts in LONG if "SOAK" in os.environ else SHORT:
        if "version" in values:
            set_version(platform, section, values["version"])
        if (section, values.get("version")) in UPGRADES:
            extend_crd(platform, section)
        platform.edit(**{section: {**before[section], **values}})
        with Submitter(platform.kubeconfig) as user:
            done = counts(platform.succeed("up"))
        told = f"{section} {values}: {done}, admitted {user.admitted}, refused {len(user.refusals)}"
        print(told)
        # For another content the provider replaces a ConfigMap: JobSet's configuration, Trainer's public version.
        assert done.get("replaced", 0) <= 1, told
        assert done.get("updated", 0) >= 1, told
        assert set(done) <= {"updated", "replaced", "unchanged"}, told
        if not restarts:
            assert user.refusals == [], told
        assert all("failed calling webhook" in refusal for refusal in user.refusals), (told, user.refusals)
        assert all(count > 0 for count in user.admitted.values()), told
        if labels := values.get("commonLabels"):
            assert all(labels.items() <= found.items() for found in labels_of_pods(platform, section)), told
        for namespace, certificates in user.certificates.items():
            seen.setdefault(namespace, set()).update(certificates)
        if "SOAK" in os.environ:
            assert set(counts(platform.succeed("preview"))) == {"unchanged"}, told
    assert set(counts(platform.succeed("preview"))) == {"unchanged"}
    assert platform.names("batch/v1", "Job") == []
    # CRDs are those of the newer versions, where Helm leaves those that it finds: their fields are known, and kept.
    assert extended(platform) == [*CRDS]
    newer = {**TRAINJOB, "spec": {**TRAINJOB["spec"], "newer": "x"}}
    kept = trainjobs(platform).create(body=newer, namespace="default", dry_run="All", field_validation="Strict")
    assert kept.spec.newer == "x"
    # The same ones all the time, and never none.
    assert {namespace: len(certificates) for namespace, certificates in seen.items()} == dict.fromkeys(seen, 1)
    assert all("" not in certificates for certificates in seen.values())
    # A version does not go back by accident: the preview says so already.
    version = operators.DEFAULT[0].version
    for section, operator in zip(before, operators.DEFAULT, strict=True):
        set_version(platform, section, operator.version)
    platform.edit(**before)
    if "SOAK" not in os.environ:
        refused = platform.run("preview")
        assert refused.returncode == 1
        assert f"jobset.version: {version} is older than the installed JobSet 0.12.1" in refused.stdout
        assert "Traceback" not in refused.stdout
    platform.edit(**{section: {**sections, "allowDowngrade": True} for section, sections in before.items()})
