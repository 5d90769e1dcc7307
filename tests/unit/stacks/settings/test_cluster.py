"""Where a stack goes: what its section `cluster` may say."""

import pytest

from stacks.settings.cluster import ContextCluster

ID = "aaaaaaaa-0000-4000-8000-000000000000"


def test_replaces_requires_the_id_of_the_new_cluster() -> None:
    with pytest.raises(ValueError, match="`replaces` alone does not say which cluster took the other's place"):
        ContextCluster.model_validate({"context": "c", "replaces": ID})
