"""Permissions of a validation."""

import re
from pathlib import Path

import pytest
import yaml

from components.cluster.hook_error import PreflightError
from components.training_validation.rights import REPORT_RIGHTS, RUN_RIGHTS, require_rights

from .training_cluster import TrainingCluster

PAGE = Path(__file__).parent.parent.parent.parent / "docs" / "permissions.md"


def test_all_missing_permissions_are_named_at_once() -> None:
    cluster = TrainingCluster()
    cluster.denied = {("create", "trainjobs"), ("get", "pods/log"), ("patch", "configmaps")}
    with pytest.raises(PreflightError) as raised:
        require_rights(cluster, "team-a", with_report=True)
    (found,) = raised.value.violations
    assert found.path == "validation.namespace"
    assert found.message == (
        "The validation did not run, because permissions are missing in namespace team-a: "
        "create trainjobs.trainer.kubeflow.org, get pods/log, patch configmaps."
    )
    assert found.fix == (
        "Ask for a Role in team-a with these rules:\n"
        '  - {apiGroups: ["trainer.kubeflow.org"], resources: [trainjobs], verbs: [create]}\n'
        '  - {apiGroups: [""], resources: [pods/log], verbs: [get]}\n'
        '  - {apiGroups: [""], resources: [configmaps], verbs: [patch]}'
    )


def test_without_a_report_no_config_map_is_needed() -> None:
    cluster = TrainingCluster()
    cluster.denied = {("patch", "configmaps")}
    require_rights(cluster, "team-a", with_report=False)


def test_role_on_the_page_is_what_is_asked_for() -> None:
    roles = [*map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL))]
    (role,) = [each for each in roles if each["metadata"]["name"] == "training-platform-validation"]
    granted = {
        (group, resource, verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    asked = {(group, name, verb) for group, name, verbs in (*RUN_RIGHTS, *REPORT_RIGHTS) for verb in verbs}
    assert granted - asked == {("", "configmaps", "watch"), ("", "configmaps", "delete")}
    assert asked <= granted
