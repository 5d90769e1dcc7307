"""Names as Kubernetes takes them."""

import pytest
from pydantic import TypeAdapter, ValidationError

from components.k8s.names import DnsLabel, DnsSubdomain

LABEL, SUBDOMAIN = TypeAdapter[str](DnsLabel), TypeAdapter[str](DnsSubdomain)


@pytest.mark.parametrize("name", ["a", "7", "gpu-0", "a" * 63])
def test_valid_label_is_accepted(name: str) -> None:
    assert LABEL.validate_python(name) == name


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a_b", "a.b", "a" * 64, "a\n"])
def test_invalid_label_is_rejected(name: str) -> None:
    with pytest.raises(ValidationError) as refused:
        LABEL.validate_python(name)
    assert [details["ctx"]["rule"] for details in refused.value.errors()] == ["NAME-01"]


@pytest.mark.parametrize("name", ["a", "ip-10-0-0-1.ec2.internal", ".".join(["a" * 62] * 4)])
def test_valid_subdomain_is_accepted(name: str) -> None:
    assert SUBDOMAIN.validate_python(name) == name


@pytest.mark.parametrize("name", ["", ".a", "a.", "a..b", "a.-b", "a" * 64, ".".join(["a" * 63] * 4)])
def test_invalid_subdomain_is_rejected(name: str) -> None:
    with pytest.raises(ValidationError) as refused:
        SUBDOMAIN.validate_python(name)
    assert [details["ctx"]["rule"] for details in refused.value.errors()] == ["NAME-02"]
