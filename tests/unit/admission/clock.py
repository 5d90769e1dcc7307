"""A clock that tests move."""


class Time:
    """Time that passes while someone sleeps."""

    now = 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
