"""`python -m bench [SUBJECT ...]`: measures, and writes docs/benchmarks.md from what was measured last."""

import argparse

from bench import report, runtime_cost
from bench.results import FOLDER, SUBJECTS, Measurement
from tools import go_build
from tools.local_cluster import operators

CHECKING = "checking"
"""The subject that needs no engine."""
CHECKING_PAGE = f"{CHECKING}.md"


def measure(subjects: list[str], rounds: int) -> None:
    """Measure subjects one after the other, and keep what was found."""
    if subjects != [CHECKING]:
        go_build.build(go_build.ENGINE + go_build.CLUSTER + operators.PROGRAMS + go_build.KUBECTL)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for subject in subjects:
        print(f"Measuring {subject} ...", flush=True)
        if subject == CHECKING:
            (FOLDER / CHECKING_PAGE).write_text(runtime_cost.report(5 * rounds))
        else:
            Measurement.made(subject, rounds)


def write() -> None:
    """Write the page from what was measured last."""
    checking = FOLDER / CHECKING_PAGE
    report.write(checking.read_text() if checking.exists() else "Not measured yet.")
    print(f"Written into {report.FOLDER / 'benchmarks.md'}.")


def main() -> None:
    """Measure some subjects, or all."""
    every = [CHECKING, *SUBJECTS]
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="subject", help=f"{', '.join(every)}; default: all of them")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured; default: %(default)s")
    chosen = parser.parse_args()
    if unknown := ", ".join(each for each in chosen.subjects if each not in every):
        parser.error(f"nothing is measured by the name of {unknown}: there are {', '.join(every)}")
    measure(chosen.subjects or every, chosen.rounds)
    write()


if __name__ == "__main__":
    main()
