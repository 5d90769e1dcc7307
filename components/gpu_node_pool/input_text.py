"""A text that is known now, or only when something else has been created."""

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
        raise rule_error("POOL-09", "it is empty.", "Write it, or take the key out.")
    return value


InputText = Annotated[str | pulumi.Output[str], PlainValidator(_text, json_schema_input_type=str)]
"""A text that isn't empty; in Python also the output of another resource, such as a cluster's name."""
