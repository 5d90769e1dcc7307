"""Which cluster a stack belongs to: the one that its state remembers."""

import pytest

from stacks.cluster_guard import check_cluster, check_id
from stacks.settings.cluster import ContextCluster

A, B, C = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "abc")


def cluster(**fields: str) -> ContextCluster:
    return ContextCluster.model_validate({"context": "c", **fields})


@pytest.mark.parametrize(
    ("target", "answering", "remembered", "refused"),
    [
        (cluster(), A, A, False),
        (cluster(), B, A, True),
        (cluster(), None, A, False),
        (cluster(), A, None, False),
        (cluster(id=B), B, A, True),
        (cluster(id=B, replaces=A), B, A, False),
        (cluster(id=B, replaces=C), B, A, True),
        (cluster(id=B, replaces=A), B, B, False),
    ],
)
def test_another_cluster_than_the_states_is_refused_unless_it_took_its_place(
    target: ContextCluster, answering: str | None, remembered: str | None, refused: bool
) -> None:
    assert bool(check_cluster(target, answering, remembered)) is refused


def test_both_ids_and_both_ways_out_are_said() -> None:
    assert str(check_cluster(cluster(), B, A)) == (
        f"cluster: This stack's state belongs to the cluster {A}, but the cluster {B} answers. Its objects would be "
        "mistaken for this stack's. Fix: Name the context that leads to the cluster of the state. If that one is gone "
        f"and this one took its place, write `cluster: {{id: {B}, replaces: {A}}}`, and run `pulumi refresh "
        "--run-program` first. [STK-17]"
    )


def test_an_id_in_the_settings_is_asserted_besides() -> None:
    assert check_id(cluster(), B) is None
    assert check_id(cluster(id=A), A) is None
    assert check_id(cluster(id=A), None) is None
    assert str(check_id(cluster(id=A), B)) == (
        f"cluster.id: The cluster that answers has the id {B}, not {A}: it is not the one that is meant. Fix: Name the "
        "context that leads to the one that is meant. If it was created anew, write its new id here. [STK-17]"
    )


def test_which_cluster_took_the_place_of_another_must_be_said() -> None:
    with pytest.raises(ValueError, match="`replaces` alone does not say which cluster took the other's place"):
        cluster(replaces=A)
