"""The clouds' SDKs. Each is needed only by its own pools, and installed only where these are used."""

from importlib import import_module
from types import ModuleType

import pulumi


class MissingSdkError(pulumi.RunError):
    """The SDK of a pool's cloud is not installed. Pulumi prints the message without a traceback."""


def load_sdk(module: str, provider: str) -> ModuleType:
    """Import a module of an SDK. Raises MissingSdkError, which states the command to install it."""
    root = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != root:
            raise
        message = f"GPU node pools of provider `{provider}` need {root}: {install_command(provider, __name__)}"
        raise MissingSdkError(message) from None


def install_command(provider: str, module: str) -> str:
    """The command that installs a provider's SDK, for this project or for a program that uses the wheel: `module` is
    this module's name there, `components...` or `training_platform...`."""
    if module.startswith("components."):
        return f"pip install -r requirements/{provider}.txt"
    return f"pip install 'training-platform[{provider}]'"
