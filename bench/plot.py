"""Plots how costs grow with the number of runtimes."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from bench.timing import Panel

COLOURS = {"bare": "#888888", "ours": "#1f77b4", "kubectl": "#d6952e"}


def draw(panels: Mapping[str, Panel], file: Path) -> None:
    """Write the panels side by side into an SVG. The same numbers give the same file."""
    mpl.rcParams["svg.hashsalt"] = file.name
    figure = Figure(figsize=(4 * len(panels), 3.6), layout="constrained")
    for axes, (title, panel) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        for subject, costs in panel.items():
            middles = [cost.median for cost in costs.values()]
            below = [cost.median - min(cost.values) for cost in costs.values()]
            above = [max(cost.values) - cost.median for cost in costs.values()]
            axes.errorbar(
                [*costs], middles, yerr=[below, above], marker="o", capsize=3, label=subject, color=COLOURS[subject]
            )
        axes.set(title=title, xlabel="runtimes", xscale="log", yscale="log")
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.legend()
    figure.savefig(file, metadata={"Date": None})
