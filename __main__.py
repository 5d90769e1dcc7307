"""The Pulumi program: load the stack's settings, deploy them, export what others need."""

from typing import Any

import pulumi

from stacks.settings import Settings
from stacks.training_platform import deploy


async def main() -> dict[str, Any]:
    """Declares the stack, and returns what it exports."""
    return await deploy(Settings.from_config())


if __name__ == "__main__":
    pulumi.run(main)
