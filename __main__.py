"""The Pulumi program: load the stack's file, resolve it, deploy it, export what others need."""

import gc
from typing import Any

import pulumi

from stacks.deploy import deploy
from stacks.settings.load import load_running
from stacks.settings.resolve import resolve

# What is imported stays to the end. The collector need not look through all of it again whenever something is made.
gc.freeze()


async def main() -> dict[str, Any]:
    """Declares the stack, and returns what it exports."""
    return await deploy(resolve(load_running()))


if __name__ == "__main__":
    pulumi.run(main)
