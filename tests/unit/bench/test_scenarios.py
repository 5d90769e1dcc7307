"""What benchmarks compare with: the bare program."""

from bench import scenarios


def test_the_bare_program_is_a_file() -> None:
    assert "async def main" in scenarios.BARE.read_text()
