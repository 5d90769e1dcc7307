"""What rules are made of: grammars, quantities, commands that never end."""

import pytest

from components.k8s.grammars import DNS_LABEL, DOMAIN_PATH, PORT_NAME, QUALIFIED_NAME, NameFormat


@pytest.mark.parametrize(
    ("grammar", "good", "bad"),
    [
        (DNS_LABEL, ["a", "1-a", "a" * 63], ["", "-a", "a-", "a.b", "A", "a" * 64, "a\n"]),
        (
            QUALIFIED_NAME,
            ["a", "A.b_c-d", "acme.io/a"],
            ["", "/a", "a/", "a/b/c", "A.io/a", "a b", "acme.io/" + "a" * 64],
        ),
        (PORT_NAME, ["http", "a-1", "1a"], ["", "1", "a--b", "a-", "http-metrics-port"]),
        (DOMAIN_PATH, ["acme.io/foo", "a/b/c%20"], ["acme.io", "/foo", "acme.io/", "Acme.io/foo", "a/b c"]),
    ],
)
def test_name_format_matches_what_kubernetes_accepts(grammar: NameFormat, good: list[str], bad: list[str]) -> None:
    assert [value for value in good if not grammar.matches(value)] == []
    assert [value for value in bad if grammar.matches(value)] == []
