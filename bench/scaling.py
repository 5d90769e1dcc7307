"""How a cost grows with the number of things: its exponent and its marginal cost."""

from collections.abc import Mapping
from itertools import pairwise
from math import log
from statistics import linear_regression

from bench.timing import Spread


def exponent(costs: Mapping[int, Spread]) -> float:
    """The exponent that fits the costs best: 1 is linear, 2 is quadratic."""
    numbers = [*map(log, costs)]
    return linear_regression(numbers, [log(cost.median) for cost in costs.values()]).slope


def marginal_costs(costs: Mapping[int, Spread]) -> dict[tuple[int, int], float]:
    """The cost of one more, between two numbers. If it rises, growth is worse than linear."""
    points = [(number, cost.median) for number, cost in costs.items()]
    return {
        (first, second): (dearer - cheaper) / (second - first)
        for (first, cheaper), (second, dearer) in pairwise(points)
    }
