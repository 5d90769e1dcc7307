"""What to install where a package is missing."""

import pytest

from components.validation.extras import install_command, missing_extra


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("components.jobset", "pip install -r requirements.txt"),
        ("training_platform.jobset", "pip install 'training-platform[pulumi]'"),
    ],
    ids=["checkout", "wheel"],
)
def test_message_has_the_command_of_a_checkout_or_of_the_wheel(module: str, command: str) -> None:
    assert install_command("pulumi", module) == command
    error = missing_extra("pulumi", ModuleNotFoundError(name="pulumi_kubernetes.core"), module)
    assert (str(error), error.name) == (f"{module} needs pulumi_kubernetes: {command}", "pulumi_kubernetes.core")


@pytest.mark.parametrize("name", ["kubeflow_trainer_api", "pulumi_aws", None])
def test_error_about_a_package_that_the_extra_does_not_bring_is_unchanged(name: str | None) -> None:
    error = ModuleNotFoundError(name=name)
    assert missing_extra("pulumi", error, "components.jobset") is error
