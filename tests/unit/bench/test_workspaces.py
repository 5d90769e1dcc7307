"""Copies of the project that are measured."""

from pathlib import Path

from bench.workspaces import Checkout

PROGRAM = """
import pulumi


async def main():
    pulumi.CustomResource("test:index:Thing", "thing", {"value": pulumi.Config().require("value")})
    return {}
"""


def test_registrations_of_a_program_are_returned(tmp_path: Path) -> None:
    checkout = Checkout.in_folder(tmp_path / "checkout")
    (checkout.folder / "__main__.py").write_text(PROGRAM)
    assert checkout.registered({"value": "x"}) == [
        {"type": "test:index:Thing", "name": "thing", "inputs": {"value": '"x"'}}
    ]
