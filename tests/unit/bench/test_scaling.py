"""How costs grow."""

import pytest

from bench.scaling import exponent, marginal_costs
from bench.timing import Spread


@pytest.mark.parametrize("power", [0, 1, 2])
def test_exponent_is_that_of_the_growth(power: int) -> None:
    costs = {number: Spread((5.0 * number**power,)) for number in (1, 10, 100)}
    assert exponent(costs) == pytest.approx(power)


def test_marginal_cost_is_that_of_one_more() -> None:
    costs = {1: Spread((3.0,)), 11: Spread((23.0,)), 21: Spread((73.0,))}
    assert marginal_costs(costs) == {(1, 11): 2.0, (11, 21): 5.0}
