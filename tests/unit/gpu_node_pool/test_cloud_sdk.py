"""SDKs of clouds, which are imported when a pool needs them."""

import json
import sys
from pathlib import Path

import pytest

from components.gpu_node_pool.cloud_sdk import MissingSdkError, install_command, load_sdk


def test_installed_module_is_imported() -> None:
    assert load_sdk("json", "gke") is json


def test_missing_sdk_is_reported_with_the_install_command() -> None:
    with pytest.raises(MissingSdkError) as missing:
        load_sdk("pulumi_nowhere.container", "gke")
    assert str(missing.value) == (
        "GPU node pools of provider `gke` need pulumi_nowhere: pip install -r requirements/gke.txt"
    )
    assert missing.value.__suppress_context__


def test_missing_dependency_of_an_sdk_is_not_reported_as_a_missing_sdk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_sdk.py").write_text("import nowhere\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'nowhere'$"):
        load_sdk("broken_sdk", "gke")


def test_command_installs_an_extra_of_the_wheel() -> None:
    assert install_command("eks", "training_platform.gpu_node_pool.cloud_sdk") == (
        "pip install 'training-platform[eks]'"
    )
