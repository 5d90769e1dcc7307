"""`python -m bench [SUBJECT ...]`: runs benchmarks and writes docs/benchmarks.md from the latest results."""

import argparse

from bench import report, runtime_cost
from bench.results import FOLDER, SUBJECTS, Measurement
from tools import go_build
from tools.local_cluster import operators

CHECKING = "checking"
"""The subject that needs no engine."""
CHECKING_PAGE = f"{CHECKING}.md"


def measure(subjects: list[str], rounds: int) -> None:
    """Run the benchmarks of the subjects and keep the results."""
    if subjects != [CHECKING]:
        go_build.build(go_build.ENGINE + go_build.CLUSTER + operators.PROGRAMS + go_build.KUBECTL)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for subject in subjects:
        print(f"Measuring {subject} ...", flush=True)
        if subject == CHECKING:
            (FOLDER / CHECKING_PAGE).write_text(runtime_cost.report(5 * rounds))
        else:
            Measurement.run(subject, rounds)


def write() -> None:
    """Write the page from the latest results."""
    checking = FOLDER / CHECKING_PAGE
    report.write(checking.read_text() if checking.exists() else "Not measured yet.")
    print(f"Updated {report.FOLDER / 'benchmarks.md'}.")


def main() -> None:
    """Run the benchmarks of some subjects, or of all."""
    every = [CHECKING, *SUBJECTS]
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="subject", help=f"{', '.join(every)}; default: all")
    parser.add_argument("--rounds", type=int, default=3, help="number of measurements of each; default: %(default)s")
    chosen = parser.parse_args()
    if unknown := ", ".join(each for each in chosen.subjects if each not in every):
        parser.error(f"unknown subject {unknown}; choose from {', '.join(every)}")
    measure(chosen.subjects or every, chosen.rounds)
    write()


if __name__ == "__main__":
    main()
