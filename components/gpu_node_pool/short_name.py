"""Logical names short enough for what a cloud makes of them."""

import hashlib

SUFFIX = 8
"""Characters that Pulumi puts behind a logical name where it makes a cloud's name of it."""


def shorten_name(name: str, max_length: int) -> str:
    """The name; a shorter one, with a mark of the whole, where a cloud that takes `max_length` characters refused
    it."""
    room = max_length - SUFFIX
    return name if len(name) <= room else f"{name[: room - 7]}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
