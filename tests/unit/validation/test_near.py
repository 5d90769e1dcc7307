"""The word that was probably meant."""

import pytest

from components.validation.near import did_you_mean, nearest


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("replica", ["replicas", "version"], "replicas"),
        ("EKS", ["aks", "eks", "gke"], "eks"),
        ("gpus", ["gpusPerNode", "nodes"], "gpusPerNode"),
        ("node", ["nodesPerPool", "nodeSelectorTerms"], None),
        ("gp", ["gpusPerNode"], None),
        ("monitoring", ["jobset", "trainer"], None),
    ],
)
def test_a_word_is_like_one_that_is_known(word: str, known: list[str], meant: str | None) -> None:
    assert nearest(word, known) == meant
    assert did_you_mean(word, known) == (f"Did you mean {meant}?" if meant else "")
