"""Names of the resources of a device plugin."""

import pytest
from pydantic import TypeAdapter, ValidationError

from components.gpu_node_pool.resource_name import ResourceName, is_resource_name


@pytest.mark.parametrize("name", ["nvidia.com/gpu", "amd.com/gpu", "nvidia.com/mig-1g.5gb", "rdma/shared_ib", "a/B"])
def test_name_has_a_domain_and_a_name(name: str) -> None:
    assert is_resource_name(name)


@pytest.mark.parametrize("name", ["gpu", "", "/gpu", "nvidia.com/", "NVIDIA.com/gpu", "a/b/c", "a b/gpu", "a/gpu\n"])
def test_other_names_are_invalid(name: str) -> None:
    assert not is_resource_name(name)


def test_field_accepts_only_valid_names() -> None:
    field: TypeAdapter[str] = TypeAdapter(ResourceName)
    assert field.validate_python("nvidia.com/gpu") == "nvidia.com/gpu"
    with pytest.raises(ValidationError, match='"gpu" is not a valid name of a node resource'):
        field.validate_python("gpu")
