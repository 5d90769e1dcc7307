"""When the pods of a training were created and started, and what that means for each phase. Pure."""

from dataclasses import dataclass, field

from .observations import Observations
from .phases import Phase
from .report import Outcome, PhaseResult


@dataclass
class Timeline:
    """The course of one training. Times are in seconds from its creation."""

    seen: Observations
    """What was observed last."""

    now: float = 0.0
    """When."""

    created: dict[str, float] = field(default_factory=dict)
    """When all pods of a replicated job had been created."""

    started: dict[str, float] = field(default_factory=dict)
    """When all its pods had started."""

    ready: dict[str, float] = field(default_factory=dict)
    """When all its pods had been ready."""

    first_pod: float | None = None
    """When there was a pod."""

    _hosts: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def add(self, seen: Observations, now: float) -> None:
        """Adds what is observed now."""
        self.seen, self.now = seen, now
        if seen.pods and self.first_pod is None:
            self.first_pod = now
        for job, count in seen.expected.pods.items():
            pods = [pod for pod in seen.pods if pod.role == job]
            for state, times, hosts in (
                ("created", self.created, [pod.hostname for pod in pods]),
                ("started", self.started, [pod.hostname for pod in pods if pod.has_started]),
                ("ready", self.ready, [pod.hostname for pod in pods if pod.is_ready]),
            ):
                # A pod may be replaced by one with the same hostname.
                known = self._hosts.setdefault((state, job), set())
                known.update(hosts)
                if len(known) >= count:
                    times.setdefault(job, now)

    @property
    def has_started(self) -> bool:
        """Whether all pods have started."""
        return self.started.keys() == self.seen.expected.pods.keys()

    @property
    def is_over(self) -> bool:
        """Whether nothing more can happen."""
        return self.seen.ending is not None

    def results(self, is_simulated: bool) -> dict[Phase, PhaseResult]:
        """The results of admission, start and training, up to the first that failed.

        Args:
            is_simulated: Whether the nodes run no containers.
        """
        found: dict[Phase, PhaseResult] = {Phase.ADMISSION: self._admission()}
        if found[Phase.ADMISSION].outcome is Outcome.PASSED:
            found[Phase.START] = self._start()
            if found[Phase.START].outcome is Outcome.PASSED:
                found[Phase.TRAINING] = _SIMULATED if is_simulated else self._training()
        return found

    def _admission(self) -> PhaseResult:
        seen = self.seen
        all_created = self.created.keys() == seen.expected.pods.keys()
        if self.first_pod is not None and (all_created or not seen.refusals):
            return PhaseResult(Outcome.PASSED, self.first_pod, "The TrainJob and its pods are admitted")
        message = f": {seen.message}" if seen.message else ""
        detail = f"{_count(len(seen.pods), self._total, 'pod')} created{message}"
        return PhaseResult(Outcome.FAILED, self.now, detail)

    def _start(self) -> PhaseResult:
        begin, end = self.first_pod or 0.0, max(self.started.values(), default=self.now)
        if self.has_started:
            return PhaseResult(Outcome.PASSED, end - begin, "; ".join(map(self._course, self.seen.expected.pods)))
        count = sum(pod.has_started for pod in self.seen.pods)
        return PhaseResult(Outcome.FAILED, self.now - begin, f"{_count(count, self._total, 'pod')} started")

    def _course(self, job: str) -> str:
        times = [("created", self.created), ("started", self.started), ("ready", self.ready)]
        course = ", ".join(f"{word} at {known[job]:.1f} s" for word, known in times if job in known)
        return f"{job}: {_plural(self.seen.expected.pods[job], 'pod')} {course}"

    @property
    def _total(self) -> int:
        return sum(self.seen.expected.pods.values())

    def _training(self) -> PhaseResult:
        seconds = self.now - max(self.started.values(), default=0.0)
        wrong = _wrong(self.seen)
        if wrong:
            return PhaseResult(Outcome.FAILED, seconds, "; ".join(wrong))
        return PhaseResult(Outcome.PASSED, seconds, "; ".join(_right(self.seen)))


_SIMULATED = PhaseResult(Outcome.NOT_CHECKED, 0.0, "The nodes of the pool are simulated and run no containers")


def _wrong(seen: Observations) -> list[str]:
    """What is wrong with a training. Empty: nothing."""
    found, expected = [], seen.expected
    if seen.ending != "Complete":
        found.append(f"The TrainJob {'failed' if seen.ending else 'did not end in time'}" + _because(seen.message))
    numbers = [each.rank for each in seen.ranks]
    wanted = expected.ranks or max((each.size for each in seen.ranks), default=1)
    if numbers != [*range(wanted)] or any(each.size != wanted for each in seen.ranks):
        found.append(f"{_count(len(numbers), wanted, 'rank')} reported")
    hosts = {each.host.partition(".")[0] for each in seen.ranks}
    if len(hosts) != expected.hosts:
        found.append(f"ranks ran on {_count(len(hosts), expected.hosts, 'host')}")
    if short := sum(each.gpus < expected.gpus_per_rank for each in seen.ranks):
        found.append(f"{_count(short, len(numbers), 'rank')} did not see {_plural(expected.gpus_per_rank, 'GPU')}")
    if wrong := sum(not each.has_right_total for each in seen.ranks):
        found.append(f"the allreduce was wrong on {_count(wrong, len(numbers), 'rank')}")
    return found


def _because(message: str) -> str:
    return f" ({message})" if message else ""


def _right(seen: Observations) -> list[str]:
    """What was seen of a good training."""
    gpus = {each.gpus for each in seen.ranks}
    speeds = [each.megabytes_per_second for each in seen.ranks if each.megabytes_per_second]
    summed = all(each.total is not None for each in seen.ranks)
    return [
        f"{_plural(len(seen.ranks), 'rank')} on {_plural(seen.expected.hosts, 'host')}",
        f"each saw {_plural(min(gpus), 'GPU')}" if any(gpus) else "no GPUs",
        "allreduce right" if summed else "no allreduce, because the image has no library for it",
        *([f"{min(speeds)} MB/s"] if speeds else ()),
    ]


def _count(some: int, whole: int, noun: str) -> str:
    return f"{some} of {_plural(whole, noun)}"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
