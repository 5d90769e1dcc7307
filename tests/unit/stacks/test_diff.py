"""`python -m stacks compare`: the differences of two stacks."""

import pytest

from .command import run


@pytest.mark.usefixtures("stacks")
def test_compare_prints_differences_with_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, monkeypatch, "compare", "dev", "prod") == (
        1,
        "                                dev  prod\n"
        "jobset.replicas                 1    2\n"
        "jobset.values.a.b[0]            -    1\n"
        "jobset.values.a.b[1]            -    2\n"
        'images.mirrors.registry.k8s.io  -    "m.example.com"\n',
        "",
    )
