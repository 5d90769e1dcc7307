"""The SDKs of clouds: each is needed by its own pools only, and installed only where these are used."""

from importlib import import_module
from types import ModuleType

import pulumi


class MissingSdkError(pulumi.RunError):
    """Raised when a pool's SDK is not installed. Pulumi prints its message, and no traceback."""


def load_sdk(module: str, provider: str) -> ModuleType:
    """The module of an SDK. Raises MissingSdkError, which says what to install."""
    root = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != root:
            raise
        message = f"GPU node pools of provider `{provider}` need {root}: {install_command(provider, __name__)}"
        raise MissingSdkError(message) from None


def install_command(provider: str, module: str) -> str:
    """The command that installs a provider's SDK, for this project or for a program that has the wheel: `module` is
    this one's name there, `components...` or `training_platform...`."""
    if module.startswith("components."):
        return f"pip install -r requirements/{provider}.txt"
    return f"pip install 'training-platform[{provider}]'"
