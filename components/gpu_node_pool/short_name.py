"""Shortens logical names to a cloud's maximum length."""

import hashlib

SUFFIX = 8
"""Number of characters that Pulumi appends to a logical name to generate a cloud's name."""


def shorten_name(name: str, max_length: int) -> str:
    """The name, shortened to `max_length` minus Pulumi's suffix and with a hash appended if it is longer."""
    room = max_length - SUFFIX
    return name if len(name) <= room else f"{name[: room - 7]}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
