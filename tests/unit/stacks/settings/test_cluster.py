"""Where a stack goes: what its section `cluster` may say."""

import pytest

from stacks.settings.cluster import ContextCluster

ID = "aaaaaaaa-0000-4000-8000-000000000000"


def test_which_cluster_took_the_place_of_another_must_be_said() -> None:
    with pytest.raises(ValueError, match="`replaces` alone does not say which cluster took the other's place"):
        ContextCluster.model_validate({"context": "c", "replaces": ID})
