"""Runtimes for torchtune."""

from tests.unit.runtimes.rules.samples import FRAMEWORK, TUNE, container, warns

COMMAND = f"{container(2)}.command"

CASES = [
    warns(
        "TJC-28", "metadata.name", TUNE, {"metadata.name": "torchtune-gemma3-4b"}, {"metadata.name": "our-qwen2.5-1.5b"}
    ),
    warns("TJC-28", "metadata.name", TUNE, {"metadata.name": "torchtune-llama3.2-1b-lab"}, {}),
    warns("SIL-30", COMMAND, TUNE, {COMMAND: ["tune", "run", "output_dir=/o"]}, {}),
    warns(
        "SDK-08",
        f"metadata.labels[{FRAMEWORK}]",
        TUNE,
        {"metadata.labels": {FRAMEWORK: "torch"}},
        {"metadata.labels": {FRAMEWORK: "torch"}, COMMAND: ["python"]},
    ),
    warns("SDK-08", f"metadata.labels[{FRAMEWORK}]", TUNE, {"spec.mlPolicy.torch": None}, {}),
]
