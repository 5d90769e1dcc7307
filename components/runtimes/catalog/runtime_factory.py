"""An entry of the catalogue: keyword arguments in, a checked runtime out, or everything that is wrong with them."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature
from typing import ParamSpec, TypeVar, cast

from pydantic import ValidationError

from ...k8s.invalid import InvalidRuntimeError
from ..editing import evolve
from ..runtime import ClusterTrainingRuntime
from .checks import check_options
from .option_errors import option_violations
from .options import RuntimeOptions

Arguments = ParamSpec("Arguments")
Options = TypeVar("Options", bound=RuntimeOptions)
Build = Callable[[Options], ClusterTrainingRuntime]


def runtime_factory(
    options: Callable[Arguments, Options],
) -> Callable[[Build[Options]], Callable[Arguments, ClusterTrainingRuntime]]:
    """Makes a function of `options` one of their fields: keyword arguments, with the fields' types and defaults."""
    # Pydantic's own signature is there only once the validator is built, for which nobody should wait yet.
    arguments = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=field.get_default(call_default_factory=True),
            annotation=field.annotation,
        )
        for name, field in cast("type[RuntimeOptions]", options).model_fields.items()
    ]

    def decorate(build: Build[Options]) -> Callable[Arguments, ClusterTrainingRuntime]:
        @wraps(build)
        def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> ClusterTrainingRuntime:
            try:
                given = options(*args, **kwargs)
            except ValidationError as error:
                found = tuple(option_violations(error, cast("type[RuntimeOptions]", options), kwargs))
                raise InvalidRuntimeError(found, build.__name__) from None
            wrong = list(check_options(given))
            try:
                # What the contradictions are about would be found again, in the words of the manifest.
                runtime = build(evolve(given, nodes=None, placement=None, volumes={}) if wrong else given)
            except InvalidRuntimeError as error:
                wrong.extend(error.violations)
            if wrong:
                raise InvalidRuntimeError(wrong, build.__name__)
            return runtime

        # What help() shows: by @wraps alone it would be the signature of `build`.
        vars(call)["__signature__"] = Signature(arguments, return_annotation=ClusterTrainingRuntime)
        return call

    return decorate
