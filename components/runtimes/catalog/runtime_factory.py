"""A function of the catalogue: keyword arguments in, a checked runtime out, or everything that is wrong with them."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature
from types import UnionType
from typing import Annotated, Any, ParamSpec, TypeVar, Union, cast, get_args, get_origin

from ...k8s.invalid import InvalidRuntimeError
from ..runtime import ClusterTrainingRuntime
from .checks import check_options
from .options import RuntimeOptions

Arguments = ParamSpec("Arguments")
Options = TypeVar("Options", bound=RuntimeOptions)
Build = Callable[[Options], ClusterTrainingRuntime]

_BUILDS: dict[object, Build[Any]] = {}
"""What makes the runtime, by the function of the catalogue."""


def runtime_factory(
    options: Callable[Arguments, Options],
) -> Callable[[Build[Options]], Callable[Arguments, ClusterTrainingRuntime]]:
    """Makes a function of `options` one of their fields: keyword arguments, with the fields' types and defaults."""
    model = cast("type[RuntimeOptions]", options)

    def decorate(build: Build[Options]) -> Callable[Arguments, ClusterTrainingRuntime]:
        @wraps(build)
        def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> ClusterTrainingRuntime:
            try:
                given = options(*args, **kwargs)
            except InvalidRuntimeError as error:
                raise InvalidRuntimeError(error.violations, build.__name__) from None
            return runtime_of(call, given)

        _BUILDS[call] = build
        # What help() and editors show: by @wraps alone it would be the signature of `build`.
        vars(call)["__signature__"] = _signature(model)
        return call

    return decorate


def runtime_of(function: Callable[..., ClusterTrainingRuntime], options: RuntimeOptions) -> ClusterTrainingRuntime:
    """The runtime that a function of the catalogue makes of options which are validated already.

    Raises InvalidRuntimeError as the function does.
    """
    build = _BUILDS[function]
    wrong = list(check_options(options))
    # What the contradictions are about would be found again, in the words of the manifest.
    clear = (
        options.model_copy(update={"nodes": None, "placement": None, "pod_group": None, "volumes": {}})
        if wrong
        else options
    )
    try:
        runtime = build(clear)
    except InvalidRuntimeError as error:
        wrong.extend(error.violations)
    if wrong:
        raise InvalidRuntimeError(wrong, build.__name__)
    return runtime


def _signature(model: type[RuntimeOptions]) -> Signature:
    # Pydantic's own signature is there only once the validator is built, for which nobody should wait yet.
    parameters = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=field.get_default(call_default_factory=True),
            annotation=_Readable(field.annotation),
        )
        for name, field in model.model_fields.items()
    ]
    return Signature(parameters, return_annotation=ClusterTrainingRuntime)


class _Readable:
    """A type that help() prints as people write it: `int | None`, without validators."""

    def __init__(self, annotation: Any) -> None:
        self._text = _written(annotation)

    def __repr__(self) -> str:
        return self._text


def _written(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _written(arguments[0])
    if origin in (Union, UnionType):
        return " | ".join(dict.fromkeys(map(_written, arguments)))
    if origin is tuple:
        return f"Sequence[{_written(arguments[0])}]"
    if isinstance(origin, type):
        return f"{origin.__name__}[{', '.join(map(_written, arguments))}]"
    if annotation is type(None):
        return "None"
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).removeprefix("typing.")
