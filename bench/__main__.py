"""`python -m bench runtimes`: measures, and prints tables."""

import argparse

from bench import runtimes

SUBJECTS = {"runtimes": runtimes.report}


def main() -> None:
    """Measure one subject."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("subject", choices=SUBJECTS, help="what to measure")
    parser.add_argument("--rounds", type=int, default=15, help="how often each thing is measured; default: %(default)s")
    chosen = parser.parse_args()
    print(SUBJECTS[chosen.subject](chosen.rounds))


if __name__ == "__main__":
    main()
