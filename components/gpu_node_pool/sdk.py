"""The SDKs of clouds: each is needed by its own pools only, and installed only where these are used."""

from importlib import import_module
from types import ModuleType

import pulumi


class MissingSdk(pulumi.RunError):
    """Raised when a pool's SDK is not installed. Pulumi prints its message, and no traceback."""


def sdk(module: str, provider: str) -> ModuleType:
    """The module of an SDK. Raises MissingSdk, which says what to install."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        message = (
            f"GPU node pools of provider `{provider}` need {error.name}: pip install -r requirements/{provider}.txt"
        )
        raise MissingSdk(message) from None
