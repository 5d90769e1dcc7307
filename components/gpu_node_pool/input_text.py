"""Text that is known now, or only when another resource has been created."""

from typing import Annotated

import pulumi
from pydantic import PlainValidator

from ..validation.errors import rule_error, wrong_type


def _text(value: object) -> object:
    if isinstance(value, pulumi.Output):
        return value
    if not isinstance(value, str):
        raise wrong_type(value, "a string")
    if not value:
        raise rule_error("POOL-09", "The value is empty.", "Set it, or remove the key.")
    return value


InputText = Annotated[str | pulumi.Output[str], PlainValidator(_text, json_schema_input_type=str)]
"""Non-empty text. In Python it can also be the output of another resource, such as a cluster's name."""
