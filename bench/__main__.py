"""`python -m bench all|runtimes`: measures, and writes or prints tables."""

import argparse

from bench import runtimes
from bench.measurements import Measurements
from tools import LOCAL, toolchain

LAST = LOCAL / "bench.json"
"""What the last run measured."""


def everything(rounds: int) -> None:
    """Measure everything side by side, and write it into docs/benchmarks.md."""
    from bench import report  # which draws: the other subject needs no matplotlib

    toolchain.build(toolchain.ENGINE + toolchain.CLUSTER + toolchain.OPERATORS + toolchain.KUBECTL)
    before = Measurements.read(LAST) if LAST.exists() else None
    checking = runtimes.report(5 * rounds)
    measured = Measurements.measured(rounds)
    measured.write(LAST)
    report.write(measured, before, checking)
    print(f"Written into {report.FOLDER / 'benchmarks.md'}.")


def alone(rounds: int) -> None:
    """Measure what runtimes cost, without an engine, and print it."""
    print(runtimes.report(5 * rounds))


SUBJECTS = {"all": everything, "runtimes": alone}


def main() -> None:
    """Measure one subject."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("subject", choices=SUBJECTS, help="what to measure")
    parser.add_argument(
        "--rounds", type=int, default=3, help="how often what takes long is measured; default: %(default)s"
    )
    chosen = parser.parse_args()
    SUBJECTS[chosen.subject](chosen.rounds)


if __name__ == "__main__":
    main()
