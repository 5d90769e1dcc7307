"""How a cost grows with the number of things: as a power of it, and where it stops growing with the first power."""

from collections.abc import Mapping
from itertools import pairwise
from math import log
from statistics import linear_regression

from bench.timing import Spread


def exponent(costs: Mapping[int, Spread]) -> float:
    """The power of the number that fits the costs best: 1 is linear, 2 is quadratic."""
    numbers = [*map(log, costs)]
    return linear_regression(numbers, [log(cost.median) for cost in costs.values()]).slope


def marginal_costs(costs: Mapping[int, Spread]) -> dict[tuple[int, int], float]:
    """What each one more costs between two numbers. Where it rises the growth is no longer linear."""
    points = [(number, cost.median) for number, cost in costs.items()]
    return {
        (first, second): (dearer - cheaper) / (second - first)
        for (first, cheaper), (second, dearer) in pairwise(points)
    }
