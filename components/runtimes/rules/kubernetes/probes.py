"""What Kubernetes rejects in probes and lifecycle hooks."""

from collections.abc import Iterator

from ....k8s.grammars import HEADER_NAME, PORT_NAME
from ....k8s.probes import ExecAction, GRPCAction, HTTPGetAction, LifecycleHandler, Probe, SleepAction, TCPSocketAction
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import LocatedContainer, RuntimeView

DEFAULT_GRACE = 30
"""Default of terminationGracePeriodSeconds: pkg/apis/core/v1/defaults.go@kubernetes@v1.37.2."""

Action = ExecAction | HTTPGetAction | TCPSocketAction | GRPCAction | SleepAction


@rule("K8S-19")
def probes_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """A probe or lifecycle hook has no handler, several handlers, an invalid one, or invalid timings.

    Also reported: probes of init containers that are not sidecars, a successThreshold other than 1 of a liveness or
    startup probe, and terminationGracePeriodSeconds of a readiness probe.
    Source: pkg/apis/core/validation/validation.go:3361-3417,3460-3724,3960-3985@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        given = pod.spec.termination_grace_period_seconds
        grace = DEFAULT_GRACE if given is None else given
        for at in pod.containers:
            if at.init and not at.sidecar:
                yield from _unexpected(at)
                continue
            for name, probe in at.probes():
                yield from _probe(f"{at.path}.{name}", name, probe)
            for name, hook in _hooks(at):
                yield from _handler(f"{at.path}.lifecycle.{name}", _hook_actions(hook), grace)


def _unexpected(at: LocatedContainer) -> Iterator[Violation]:
    names = [name for name, _ in at.probes()] + (["lifecycle"] if at.model.lifecycle is not None else [])
    for name in names:
        yield violation(
            f"{at.path}.{name}",
            f"Init container {at.model.name!r} ends before the pod starts, so it cannot have a {name}.",
            "Remove it, or set the container's restartPolicy to Always to make it a sidecar.",
        )


def _hooks(at: LocatedContainer) -> Iterator[tuple[str, LifecycleHandler]]:
    if at.model.lifecycle is None:
        return
    for name, hook in (("postStart", at.model.lifecycle.post_start), ("preStop", at.model.lifecycle.pre_stop)):
        if hook is not None:
            yield name, hook


def _hook_actions(hook: LifecycleHandler) -> dict[str, Action | None]:
    return {"exec": hook.exec, "httpGet": hook.http_get, "tcpSocket": hook.tcp_socket, "sleep": hook.sleep}


def _probe(path: str, name: str, probe: Probe) -> Iterator[Violation]:
    actions: dict[str, Action | None] = {
        "exec": probe.exec,
        "httpGet": probe.http_get,
        "tcpSocket": probe.tcp_socket,
        "grpc": probe.grpc,
    }
    yield from _handler(path, actions, DEFAULT_GRACE)
    for field, value in (
        ("initialDelaySeconds", probe.initial_delay_seconds),
        ("periodSeconds", probe.period_seconds),
        ("timeoutSeconds", probe.timeout_seconds),
        ("successThreshold", probe.success_threshold),
        ("failureThreshold", probe.failure_threshold),
    ):
        if value is not None and value < 0:
            yield violation(f"{path}.{field}", f"{field} is {value}; it must not be negative.", "Set it to 0 or more.")
    grace = probe.termination_grace_period_seconds
    if name == "readinessProbe":
        if grace is not None:
            yield violation(
                f"{path}.terminationGracePeriodSeconds",
                "A readiness probe does not stop containers, so it cannot have a grace period.",
                "Remove it.",
            )
        return
    if (probe.success_threshold or 1) > 1:
        yield violation(
            f"{path}.successThreshold",
            f"successThreshold is {probe.success_threshold}; it must be 1 for a {name}.",
            "Remove it.",
        )
    if grace is not None and grace <= 0:
        yield violation(
            f"{path}.terminationGracePeriodSeconds",
            f"terminationGracePeriodSeconds is {grace}; it must be more than 0.",
            "Set it to 1 or more, or remove it.",
        )


def _handler(path: str, actions: dict[str, Action | None], grace: int) -> Iterator[Violation]:
    given = [name for name, action in actions.items() if action is not None]
    if len(given) != 1:
        yield violation(
            path,
            f"Several actions are set: {' and '.join(given)}." if given else "No action is set.",
            f"Set exactly one of {', '.join(actions)}.",
        )
    for name in given:
        action = actions[name]
        if isinstance(action, ExecAction) and not action.command:
            yield violation(f"{path}.exec.command", "command is empty.", "Set command.")
        if isinstance(action, HTTPGetAction | TCPSocketAction | GRPCAction):
            yield from _port(f"{path}.{name}.port", action.port)
        if isinstance(action, HTTPGetAction):
            if action.scheme and action.scheme not in {"HTTP", "HTTPS"}:
                yield violation(
                    f"{path}.httpGet.scheme", f"{action.scheme!r} is not a valid scheme.", "Use HTTP or HTTPS."
                )
            for index, header in enumerate(action.http_headers or ()):
                if not HEADER_NAME.matches(header.name):
                    yield violation(
                        f"{path}.httpGet.httpHeaders[{index}].name",
                        f"{header.name!r} is not a valid header name: it must be {HEADER_NAME}.",
                        "Rename it.",
                    )
        if isinstance(action, SleepAction) and not 0 <= action.seconds <= grace:
            yield violation(
                f"{path}.sleep.seconds",
                f"{action.seconds} is more than terminationGracePeriodSeconds ({grace}), or less than 0.",
                "Set a shorter duration.",
            )


def _port(path: str, port: int | str) -> Iterator[Violation]:
    if isinstance(port, int) and not 1 <= port <= 65535:
        yield violation(path, f"{port} is not a valid port.", "Use a number from 1 to 65535.")
    if isinstance(port, str) and not PORT_NAME.matches(port):
        yield violation(
            path, f"{port!r} is not a valid port name: it must be {PORT_NAME}.", "Write the number without quotes."
        )
