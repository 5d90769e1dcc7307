"""Settings of runtimes in a stack file: from the catalogue, or as a manifest."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Tag, field_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError, TrainingRuntime, catalog
from components.runtimes.bind import bind_to_pool
from components.runtimes.loader import load_report
from components.runtimes.placement import Placement
from components.runtimes.rules.summaries import reported_as, rule_summaries
from components.validation.errors import raise_errors, rule_error, yaml_repr
from components.validation.model import FrozenList, StrictModel
from components.validation.near import did_you_mean
from components.validation.one_of import OneOf
from components.validation.report import FileViolation
from components.validation.violation import Severity, Violation

REVOKE_FIX = (
    "Remove it from the file and revoke it, because the history keeps it. Store a new one in a Secret in the "
    "TrainJobs' namespace, and refer to it here: `env: {NAME: {secretKeyRef: {name: my-secret, key: token}}}`."
)

Runtime = ClusterTrainingRuntime | TrainingRuntime


class RuntimeSettingsBase(StrictModel):
    """Settings of every runtime."""

    node_pool: str | None = None
    """Name of the pool in `gpuNodePools` for pods with GPUs. Default: any node with the requested GPUs."""

    adopt: bool = False
    """Replace an existing runtime of this name that another owner created. Default: `up` fails and names the owner."""

    accept: FrozenList[str] = ()
    """Ids of rules whose warnings are accepted for this runtime: `[SIL-36]`. They are not shown, and
    `policies.warnings: refused` does not apply to them. SIL-36, a launcher that does not wait for its workers, is an
    error unless it is accepted here. Errors cannot be accepted. Default: none."""

    @field_validator("accept")
    @classmethod
    def _require_rules(cls, accepted: tuple[str, ...]) -> tuple[str, ...]:
        known = rule_summaries()
        unknown = [((index,), _unknown_rule(each)) for index, each in enumerate(accepted) if each not in known]
        if unknown:
            raise_errors(unknown)
        return accepted


def _unknown_rule(rule_id: str) -> PydanticCustomError:
    fix = did_you_mean(rule_id, rule_summaries()) or "Write the id of a rule in docs/runtime-rules.md."
    return rule_error("STK-22", f"{yaml_repr(rule_id)} is not the id of a rule.", fix)


class CatalogRuntime(RuntimeSettingsBase):
    """A runtime of the catalogue. Its key in the stack file is its name."""

    @field_validator("name", check_fields=False)
    @classmethod
    def _leave_the_name_to_the_key(cls, name: str) -> str:
        raise rule_error(
            "STK-08", f"{yaml_repr(name)} sets a second name: the key above it is the runtime's name.", "Remove it."
        )


class Torch(catalog.RuntimeOptions, CatalogRuntime):
    """PyTorch, with torchrun. Keys are the arguments of the catalogue's `torch`."""

    framework: Literal["torch"]


class TorchWithCache(catalog.CacheOptions, CatalogRuntime):
    """PyTorch with a cache of its data. Keys are the arguments of the catalogue's `torch_with_cache`."""

    framework: Literal["torch-with-cache"]


class Torchtune(catalog.TorchtuneOptions, CatalogRuntime):
    """Fine-tuning of a language model with torchtune. Keys are the arguments of the catalogue's `torchtune`."""

    framework: Literal["torchtune"]


class DeepSpeed(catalog.MPIOptions, CatalogRuntime):
    """DeepSpeed over MPI. Keys are the arguments of the catalogue's `deepspeed`."""

    framework: Literal["deepspeed"]


class MLX(catalog.MPIOptions, CatalogRuntime):
    """MLX over MPI. Keys are the arguments of the catalogue's `mlx`."""

    framework: Literal["mlx"]


class JAX(catalog.RuntimeOptions, CatalogRuntime):
    """JAX. Keys are the arguments of the catalogue's `jax`."""

    framework: Literal["jax"]


class XGBoost(catalog.RuntimeOptions, CatalogRuntime):
    """XGBoost. Keys are the arguments of the catalogue's `xgboost`."""

    framework: Literal["xgboost"]


class Flux(catalog.FluxOptions, CatalogRuntime):
    """Flux, which runs MPI programs without ssh. Keys are the arguments of the catalogue's `flux`."""

    framework: Literal["flux"]


class Manifest(RuntimeSettingsBase):
    """A runtime from a manifest."""

    framework: Literal["manifest"] = "manifest"

    manifest: str | dict[str, Any]
    """The manifest, or the path of a YAML file with it, relative to the project."""


def _framework(settings: object) -> str | None:
    """The tag of a runtime: its framework. A manifest can leave it out."""
    if isinstance(settings, Mapping):
        return settings.get("framework") or ("manifest" if "manifest" in settings else None)
    return getattr(settings, "framework", None)


CATALOG_RUNTIMES = (Torch, TorchWithCache, Torchtune, DeepSpeed, MLX, JAX, XGBoost, Flux)

AnyRuntimeSettings = Torch | TorchWithCache | Torchtune | DeepSpeed | MLX | JAX | XGBoost | Flux | Manifest

RuntimeSettings = Annotated[
    Annotated[Torch, Tag("torch")]
    | Annotated[TorchWithCache, Tag("torch-with-cache")]
    | Annotated[Torchtune, Tag("torchtune")]
    | Annotated[DeepSpeed, Tag("deepspeed")]
    | Annotated[MLX, Tag("mlx")]
    | Annotated[JAX, Tag("jax")]
    | Annotated[XGBoost, Tag("xgboost")]
    | Annotated[Flux, Tag("flux")]
    | Annotated[Manifest, Tag("manifest")],
    OneOf("framework", _framework),
]


def build_runtime(name: str, settings: AnyRuntimeSettings, pool: Placement | None) -> Runtime:
    """Builds a runtime whose pods with GPUs run in `pool`. Raises InvalidRuntimeError with all errors."""
    if isinstance(settings, Manifest):
        made = _from_manifest(name, settings.manifest)
        try:
            return bind_to_pool(made, pool) if pool else made
        except InvalidRuntimeError as error:
            raise InvalidRuntimeError([_of_manifest(settings.manifest, each) for each in error.violations]) from None
    known = {"name": name} | ({"placement": pool} if pool else {})
    return catalog.runtime_of(catalog.FACTORIES[settings.framework], settings.model_copy(update=known))


BLOCKING_WARNINGS = ("SIL-36",)
"""Rules whose warnings are errors in a stack file: TrainJobs of such a runtime fail now and then."""


TOLD_BY_STACKS = ("RUN-13",)
"""Rules that are not reported, because a check of the stack file reports the same as an error: image references
(STK-20)."""


def in_stack_file(
    path: str, settings: AnyRuntimeSettings, found: Iterable[Violation], is_built: bool
) -> Iterator[Violation]:
    """Yields a runtime's violations with paths of the stack file, without duplicates and accepted warnings.

    `path` is the runtime's path in the stack file. `is_built`: the violations are those of the runtime, not of an
    InvalidRuntimeError.
    """
    accepted = reported_as(settings.accept)
    told = set()
    for violation in found:
        is_error = violation.severity is Severity.ERROR
        if violation.rule in TOLD_BY_STACKS or (not is_error and violation.rule in accepted):
            continue
        if isinstance(settings, Manifest):
            # An InvalidRuntimeError has the key `manifest` already.
            placed = _of_manifest(settings.manifest, violation) if is_built else violation
        else:
            placed = replace(violation, path=_key_of(violation.path, settings))
        placed = _in_yaml_spelling(path, settings, placed)
        identity = placed.rule, placed.path, placed.message
        if identity not in told:
            told.add(identity)
            yield _as_error(path, placed) if not is_error and placed.rule in BLOCKING_WARNINGS else placed


def _key_of(path: str, settings: CatalogRuntime) -> str:
    """The key of a catalogue runtime that sets the value at a path of its manifest. Empty if there is none."""
    if not path.startswith(("spec.", "metadata.")):
        return path
    keys = (key for key, pattern in _KEYS.items() if re.search(pattern, path))
    return next((key for key in keys if key in settings.model_fields_set), "")


_KEYS = {"image": r"\.image$", "env": r"\.env\b", "volumes": r"\.volume(Mount|ClaimPolicie)?s\b"}
"""Keys of catalogue runtimes whose values are copied to the manifest, with patterns of their paths there."""


def _as_error(path: str, violation: Violation) -> Violation:
    fix = f"{violation.fix} If the launcher waits by itself, accept this: `accept: [{violation.rule}]` at `{path}`."
    return replace(violation, severity=Severity.ERROR, fix=fix)


def _in_yaml_spelling(path: str, settings: StrictModel, violation: Violation) -> Violation:
    """The violation at `path`, with camelCase names for the catalogue's arguments."""
    spelling = {field: to_camel(field) for field in type(settings).model_fields}

    def spelt(text: str) -> str:
        return re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda word: spelling.get(word[0], word[0]), text)

    whole = f"{path}.{spelt(violation.path)}".rstrip(".")
    return replace(violation, path=whole, message=spelt(violation.message), fix=spelt(violation.fix))


def _from_manifest(name: str, manifest: str | Mapping[str, Any]) -> Runtime:
    if isinstance(manifest, str):
        runtimes, where = _load(manifest), manifest
    else:
        runtimes, where = (_inline(manifest),), "The manifest"
    for made in runtimes:
        if made.metadata.name == name:
            return made
    message = f"{where} has no runtime whose `metadata.name` is `{name}`."
    raise InvalidRuntimeError(
        [Violation("STK-07", "manifest", message, "Give the runtime here the name that it has there.")]
    )


def _inline(manifest: Mapping[str, Any]) -> Runtime:
    kind = TrainingRuntime if manifest.get("kind") == "TrainingRuntime" else ClusterTrainingRuntime
    try:
        return kind.from_manifest(manifest)
    except InvalidRuntimeError as error:
        raise InvalidRuntimeError([_of_manifest(manifest, each) for each in error.violations]) from None


def _load(file: str) -> tuple[Runtime, ...]:
    try:
        report = load_report(file)
    # A NUL in the path is a ValueError.
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"{file} cannot be read: {reason}."
        raise InvalidRuntimeError(
            [Violation("STK-07", "manifest", message, "Write the path of a YAML file.")]
        ) from None
    found = [each for each in report.violations if each.rule == "YAML-04"] or (report.errors and report.violations)
    if found:
        raise InvalidRuntimeError([_of_manifest(file, violation) for violation in found])
    return tuple(report.runtimes)


def _of_manifest(manifest: str | Mapping[str, Any], violation: Violation) -> Violation:
    """The violation of a manifest as one of the key `manifest`."""
    if not isinstance(manifest, str):
        return replace(violation, path=f"manifest.{violation.path}")
    place = f"{manifest}:{violation.line}" if isinstance(violation, FileViolation) else manifest
    said = ": ".join(filter(None, (place, violation.path, violation.message)))
    if violation.rule == "YAML-04":
        return Violation("STK-11", "manifest", said, REVOKE_FIX)
    return Violation(violation.rule, "manifest", said, violation.fix, violation.severity)
