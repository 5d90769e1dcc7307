"""What is shown of the engine's output."""

from tools.engine import is_new

STACK = "    pulumi:pulumi:Stack training-platform-local running"
FROM_PATH = "warning: using pulumi-resource-kubernetes from $PATH at .local/bin/pulumi-resource-kubernetes"
VERSION = "warning: resource plugin kubernetes is expected to have version >=4.34.2, but has 4.25.0"


def test_what_is_said_of_the_provider_is_shown_once() -> None:
    said: set[str] = set()
    lines = ["Updating (local):", f"{STACK} {FROM_PATH}", "", f"{STACK} {VERSION}", FROM_PATH, VERSION, "", "Outputs:"]
    assert [line for line in lines if is_new(line, said)] == [*lines[:4], "", "Outputs:"]
