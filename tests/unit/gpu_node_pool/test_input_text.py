"""Text that may be known only later."""

import pulumi
import pytest
from pydantic import TypeAdapter, ValidationError

from components.gpu_node_pool.input_text import InputText

TEXT: TypeAdapter[object] = TypeAdapter(InputText)


def test_text_and_outputs_are_kept() -> None:
    output = pulumi.Output.from_input("a")
    assert TEXT.validate_python("a") == "a"
    assert TEXT.validate_python(output) is output


@pytest.mark.parametrize(("value", "rule"), [("", "POOL-09"), (7, "CTR-34"), (None, "CTR-34")])
def test_other_values_are_rejected(value: object, rule: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TEXT.validate_python(value)
    assert [each["ctx"]["rule"] for each in refused.value.errors()] == [rule]
