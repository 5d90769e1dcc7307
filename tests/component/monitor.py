"""A Pulumi engine that makes nothing and writes down everything that was registered, options included."""

import contextvars
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
from pulumi.runtime import mocks, rpc, settings
from pulumi.runtime.proto import engine_pb2, resource_pb2

# Pulumi's mocks are not typed.
_MOCK: Any = mocks.MockMonitor
_run_and_wait: Any = mocks.test

PROJECT = "training-platform"
STACK = "test"
STACK_URN = f"urn:pulumi:{STACK}::{PROJECT}::pulumi:pulumi:Stack::{PROJECT}-{STACK}"


@dataclass(frozen=True)
class Registered:
    """One resource, as the engine was asked for it."""

    urn: str
    type: str
    name: str
    inputs: dict[str, Any]
    parent: str
    dependencies: frozenset[str]
    provider: str
    aliases: tuple[Any, ...]
    protect: bool
    retain_on_delete: bool
    delete_before_replace: bool
    replace_on_changes: tuple[str, ...]
    ignore_changes: tuple[str, ...]
    timeouts: tuple[str, str, str]
    hooks: dict[str, list[str]]
    transforms: tuple[pulumi.ResourceTransform, ...] = field(compare=False)


@dataclass
class Log:
    """The engine's log."""

    warnings: list[tuple[str, str]] = field(default_factory=list)
    """URN of the resource and message of each warning."""

    def Log(self, request: engine_pb2.LogRequest) -> None:  # noqa: N802 - of the protocol
        if request.severity == engine_pb2.WARNING:
            self.warnings.append((request.urn, request.message))


@dataclass(frozen=True)
class Outside:
    """What there is outside of the program."""

    stacks: Mapping[str, Any] = field(default_factory=dict)
    """What each stack exports, by its name."""

    secret: Sequence[str] = ()
    """Names of those outputs that are secret."""

    identity: Mapping[str, Any] | None = None
    """What the state remembers of the stack: `id` and `cluster`. None: what the program gives it first."""


class _Echo(mocks.Mocks):
    def __init__(self, outside: Outside) -> None:
        self._outside = outside

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        if args.typ == "pulumi:pulumi:StackReference":
            outputs = self._outside.stacks[args.name]
            return args.name, {"name": args.name, "outputs": outputs, "secretOutputNames": [*self._outside.secret]}
        if args.typ == "pulumi:index:Stash":
            kept = self._outside.identity or args.inputs["input"]
            return args.name, {"input": args.inputs["input"], "output": kept}
        return f"{args.name}-id", args.inputs

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[str, Any], None]:
        raise AssertionError(f"nothing may be looked up: {args.token}")


class Monitor(mocks.MockMonitor):
    """Records each registration, then lets it be mocked."""

    def __init__(self, outside: Outside | None = None) -> None:
        super().__init__(_Echo(outside or Outside()))
        self.registered: dict[str, Registered] = {}
        """What was registered, by URN. Resources that don't wait for each other come in any order."""
        self.outputs: dict[str, dict[str, Any]] = {}
        """What components say of themselves, by URN."""
        self.exports: dict[str, Any] = {}
        """What the program exports."""
        self.log = Log()

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        """The URN as the real engine writes it: types from the topmost component down."""
        above = parent.split("::")[2] if parent else ""
        qualified = type_ if above in ("", "pulumi:pulumi:Stack") else f"{above}${type_}"
        return f"urn:pulumi:{STACK}::{PROJECT}::{qualified}::{name}"

    def RegisterResource(self, request: resource_pb2.RegisterResourceRequest) -> Any:  # noqa: N802 - of the protocol
        response = _MOCK.RegisterResource(self, request)
        if request.type != "pulumi:pulumi:Stack":
            self.registered[response.urn] = Registered(
                urn=response.urn,
                type=request.type,
                name=request.name,
                inputs=rpc.deserialize_properties(request.object),
                parent=request.parent,
                dependencies=frozenset(request.dependencies),
                provider=request.provider.rpartition("::")[0],
                aliases=tuple(request.aliases),
                protect=request.protect,
                retain_on_delete=request.retainOnDelete,
                delete_before_replace=request.deleteBeforeReplace,
                replace_on_changes=tuple(request.replaceOnChanges),
                ignore_changes=tuple(request.ignoreChanges),
                timeouts=(
                    request.customTimeouts.create,
                    request.customTimeouts.update,
                    request.customTimeouts.delete,
                ),
                hooks={kind.name: [*names] for kind, names in request.hooks.ListFields()},
                transforms=tuple(mocks._resolve_callbacks(request.transforms)),
            )
        return response

    def RegisterResourceOutputs(self, request: resource_pb2.RegisterResourceOutputsRequest) -> Any:  # noqa: N802
        self.outputs[request.urn] = rpc.deserialize_properties(request.outputs)
        return _MOCK.RegisterResourceOutputs(self, request)

    def by_name(self) -> list[Registered]:
        """What was registered, by name."""
        return sorted(self.registered.values(), key=lambda registered: registered.name)

    def of_type(self, token: str) -> list[Registered]:
        """What was registered of a type, by name."""
        return [registered for registered in self.by_name() if registered.type == token]


def applied(
    transform: pulumi.ResourceTransform, token: str, props: Any, opts: pulumi.ResourceOptions | None = None
) -> pulumi.ResourceTransformResult:
    """What a transform makes of a resource whose properties are all known."""
    result = transform(pulumi.ResourceTransformArgs(True, token, "x", props, opts or pulumi.ResourceOptions()))
    assert isinstance(result, Coroutine)
    try:
        result.send(None)
    except StopIteration as done:
        value = done.value
    else:
        raise AssertionError("it waits for something")
    assert isinstance(value, pulumi.ResourceTransformResult)
    return value


def _finished(program: Callable[[], Any]) -> Any:
    """The awaitable that an async program is; what another one returns is nobody's."""
    made = program()
    return _exported(made) if inspect.isawaitable(made) else None


async def _exported(program: Awaitable[Mapping[str, Any]]) -> None:
    """As the engine's own entrypoint does it."""
    for name, value in (await program).items():
        pulumi.export(name, value)


def run(
    program: Callable[[], Any],
    config: Mapping[str, str] | None = None,
    preview: bool = False,
    monitor: Monitor | None = None,
    secret: Sequence[str] = (),
) -> Monitor:
    """Runs a program against a monitor, by default one of its own. `secret` are the keys of the config that are."""
    monitor = monitor or Monitor()

    def isolated() -> None:
        mocks.set_mocks(monitor.mocks, project=PROJECT, stack=STACK, preview=preview, monitor=monitor)
        settings.SETTINGS.engine = monitor.log
        pulumi.runtime.set_all_config(dict(config or {}), [*secret])
        _run_and_wait(lambda: _finished(program))()
        stack: Any = pulumi.runtime.get_root_resource()
        monitor.exports = dict(stack.outputs)

    contextvars.copy_context().run(isolated)
    return monitor
