"""What `TrainingPlatform` takes, and how it is read: dicts become specs, and all errors are raised at once."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Any, Literal, NotRequired, TypedDict, TypeVar, get_args

import pulumi
from pydantic import TypeAdapter, ValidationError

from ..gpu_node_pool.spec import GpuNodePoolSpec
from ..jobset import ExternalJobSet, JobSetOperatorSpec
from ..k8s.names import DnsLabel
from ..kubeflow_trainer import ExternalTrainer, KubeflowTrainerSpec
from ..runtimes import ClusterTrainingRuntime, InvalidRuntimeError, TrainingRuntime
from ..runtimes.catalog import FACTORIES
from ..runtimes.placement import Placement
from ..training_validation.spec import ValidationSpec
from ..validation.argument_errors import argument_violations, in_program_spelling, suggest
from ..validation.errors import yaml_repr
from ..validation.model import StrictModel
from ..validation.violation import Severity, Violation
from .checks import check_operators, check_shared_nodes, check_validation
from .errors import InvalidPlatformError
from .spec import PlatformSpec
from .target import Target

Runtime = ClusterTrainingRuntime | TrainingRuntime
Model = TypeVar("Model", bound=StrictModel)
External = TypeVar("External", bound=StrictModel)

_POOLS: dict[str, type[StrictModel]] = {
    get_args(model.model_fields["provider"].annotation)[0]: model for model in get_args(GpuNodePoolSpec)
}
"""The models of pools by provider."""

_NAME: TypeAdapter[str] = TypeAdapter(DnsLabel)


class TrainingPlatformArgs(TypedDict):
    """What `TrainingPlatform` takes. Either `context` or `kubeconfig` is required, or `render_to` instead.

    Where a spec is expected, a dict of its fields is accepted too.
    """

    context: NotRequired[pulumi.Input[str]]
    """Name of a context. Default: the current context of `kubeconfig`."""

    kubeconfig: NotRequired[pulumi.Input[str]]
    """Path or content of a kubeconfig, for example an Output of the cluster that the same program creates. Default:
    what `$KUBECONFIG` says, else `~/.kube/config`."""

    cluster_id: NotRequired[str]
    """Uid that the namespace kube-system of the cluster must have. Default: any, the name of the context is trusted."""

    replaces: NotRequired[str]
    """Uid of the cluster that this one replaced and that no longer exists. Default: none, and another cluster than the
    state's is refused."""

    render_to: NotRequired[str]
    """Folder that manifests are written to instead of a cluster. Default: none."""

    gpu_node_pools: NotRequired[Mapping[str, GpuNodePoolSpec | Mapping[str, Any]]]
    """GPU node pools by name. Default: none."""

    jobset: NotRequired[JobSetOperatorSpec | ExternalJobSet | Mapping[str, Any] | Literal["external"]]
    """JobSet: `external` where another owner installs it. Default: it is installed, with the defaults of
    `JobSetOperatorSpec`."""

    trainer: NotRequired[KubeflowTrainerSpec | ExternalTrainer | Mapping[str, Any] | Literal["external"]]
    """Kubeflow Trainer: `external` where another owner installs it. Default: it is installed, with the defaults of
    `KubeflowTrainerSpec`."""

    runtimes: NotRequired[Sequence[Runtime] | Mapping[str, Mapping[str, Any]]]
    """Training runtimes; or by name, a `framework` and the arguments of its function in the catalogue, with
    `node_pool` for one of `gpu_node_pools`. Default: none."""

    adopt: NotRequired[Collection[str]]
    """Names of runtimes that may be in the cluster already, created by another owner: these are replaced. Default:
    none."""

    validation: NotRequired[ValidationSpec | Mapping[str, Any]]
    """A small TrainJob for each runtime at the end of each `up` that changes it; `{}` for the defaults of
    `ValidationSpec`. Default: none."""


def read_args(name: str, args: TrainingPlatformArgs) -> PlatformSpec:
    """The platform that the arguments describe. Shows what is doubtful as warnings.

    Raises InvalidPlatformError with everything that is wrong.
    """
    reader = _Reader(args)
    spec = reader.spec(partial(InvalidPlatformError, name))
    errors = [each for each in reader.found if each.severity is Severity.ERROR]
    if errors:
        raise InvalidPlatformError(name, errors)
    for warning in reader.found:
        pulumi.log.warn(str(warning))
    return spec


class _Reader:
    """Reads arguments, and collects what is wrong with them."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        self.found: list[Violation] = []
        """What is wrong or doubtful so far."""
        known = [*TrainingPlatformArgs.__annotations__]
        for key in args:
            if key not in known:
                self._add("STK-01", str(key), f"Unknown argument `{key}`.", suggest(str(key), known))
        # An argument that is None is one that is not given, as everywhere in Pulumi.
        self._args = {key: value for key, value in args.items() if value is not None and key in known}

    def spec(self, error: Callable[[Sequence[Violation]], pulumi.RunError]) -> PlatformSpec:
        """The platform, without what is wrong with it."""
        target = self._target(error)
        pools = self._pools()
        jobset = self._operator("jobset", JobSetOperatorSpec, ExternalJobSet)
        trainer = self._operator("trainer", KubeflowTrainerSpec, ExternalTrainer)
        for each in (*check_shared_nodes(pools), *check_operators(jobset, trainer)):
            self.found.append(in_program_spelling(each))
        runtimes = self._runtimes({pool: spec.placement(pool) for pool, spec in pools.items()})
        for name, pool in pools.items():
            self.found += (_prefixed(f"gpu_node_pools.{name}", in_program_spelling(each)) for each in pool.check())
        adopt = self._names("adopt", [each.metadata.name for each in runtimes])
        validation = self._validation(runtimes, pools)
        if jobset is None or trainer is None:
            return PlatformSpec(target, pools, runtimes=runtimes, adopt=adopt, validation=validation)
        return PlatformSpec(target, pools, jobset, trainer, runtimes, adopt, validation)

    def _add(self, rule: str, path: str, message: str, fix: str) -> None:
        self.found.append(Violation(rule, path, message, fix))

    def _target(self, error: Callable[[Sequence[Violation]], pulumi.RunError]) -> Target:
        given = {key: value for key, value in self._args.items() if key in ("context", "kubeconfig")}
        for key, value in given.items():
            if not isinstance(value, str | pulumi.Output) and not hasattr(value, "__await__"):
                message = f"`{key}` is {yaml_repr(value)}, not a string or an Output of one."
                self._add("STK-03", key, message, f"Set `{key}` to a string.")
            elif isinstance(value, str) and not value:
                self._add("STK-05", key, f"`{key}` is empty, so it names no cluster.", f"Set `{key}`.")
        texts = {key: value for key, value in self._args.items() if key in ("cluster_id", "replaces", "render_to")}
        for key, value in texts.items():
            if not isinstance(value, str) or not value:
                self._add("STK-03", key, f"`{key}` is {yaml_repr(value)}, not a string.", f"Set `{key}` to a string.")
        unknown = [each.path for each in self.found]
        misspelt = [key for key in unknown if get_close_matches(key, ("context", "kubeconfig"), n=1)]
        if not given and not misspelt and "render_to" not in texts:
            message = "`context` and `kubeconfig` are missing, and the ambient context is never used."
            fix = "Add `context`, the name of a context in your kubeconfig, or `kubeconfig`."
            self._add("STK-02", "context", message, fix)
        if given and "render_to" in texts:
            message = f"`render_to` writes manifests to a folder, so `{next(iter(given))}` has no effect."
            self._add("STK-06", "render_to", message, "Remove one of them.")
        if "replaces" in texts and "cluster_id" not in texts:
            message = "`replaces` alone does not say which cluster took the other's place."
            self._add("STK-06", "replaces", message, "Add `cluster_id`, the id of the cluster that took its place.")
        return Target(error, **given, **texts)

    def _pools(self) -> dict[str, GpuNodePoolSpec]:
        pools: dict[str, GpuNodePoolSpec] = {}
        for name, given in self._mapping("gpu_node_pools").items():
            path = f"gpu_node_pools.{name}"
            try:
                _NAME.validate_python(name)
            except ValidationError as error:
                self.found += argument_violations(error, None, given, path)
                continue
            if isinstance(given, get_args(GpuNodePoolSpec)):
                pools[name] = given
            elif not isinstance(given, Mapping):
                self._add("STK-03", path, f"`{path}` is {yaml_repr(given)}, not a spec.", "Set a spec or a dict of it.")
            elif given.get("provider") not in _POOLS:
                self._choose(path, "provider", given, [*_POOLS])
            elif spec := self._model(path, _POOLS[given["provider"]], given):
                pools[name] = spec  # type: ignore[assignment]
        return pools

    def _operator(self, section: str, managed: type[Model], external: type[External]) -> Model | External | None:
        """The operator of an argument. None: it is wrong."""
        given = self._args.get(section, {})
        if isinstance(given, managed | external):
            return given
        if given == "external":
            given = {"mode": "external"}
        if not isinstance(given, Mapping):
            message = f"`{section}` is {yaml_repr(given)}, not a spec."
            self._add("STK-03", section, message, f"Set a {managed.__name__}, a dict of its fields, or `external`.")
            return None
        if given.get("mode") == "external":
            return self._model(section, external, given)
        return self._model(section, managed, given)

    def _runtimes(self, placements: Mapping[str, Placement]) -> list[Runtime]:
        given = self._args.get("runtimes", ())
        if isinstance(given, Mapping):
            made = [self._from_catalogue(str(name), options, placements) for name, options in given.items()]
        elif isinstance(given, Sequence) and not isinstance(given, str):
            made = [self._runtime(index, each) for index, each in enumerate(given)]
        else:
            message = f"`runtimes` is {yaml_repr(given)}, not a list of runtimes."
            self._add("STK-03", "runtimes", message, "Set a list, for example `[deepspeed(gpus_per_node=8)]`.")
            made = []
        runtimes = [each for each in made if each is not None]
        keys = [*given] if isinstance(given, Mapping) else [f"[{index}]" for index in range(len(made))]
        for key, runtime in zip(keys, made, strict=True):
            path = f"runtimes{key}" if key.startswith("[") else f"runtimes.{key}"
            self.found += (_prefixed(path, each) for each in (runtime.check() if runtime else ()))
        count = Counter((each.metadata.namespace, each.metadata.name) for each in runtimes)
        for (_, name), times in count.items():
            if name is not None and times > 1:
                message = f"{times} runtimes have the name `{name}`, and TrainJobs refer to runtimes by name."
                self._add("STK-06", "runtimes", message, "Give each runtime a name of its own.")
        return runtimes

    def _runtime(self, index: int, given: object) -> Runtime | None:
        path = f"runtimes[{index}]"
        if not isinstance(given, Runtime):
            message = f"`{path}` is {yaml_repr(given)}, not a runtime."
            self._add("STK-03", path, message, "Set what a function of the catalogue or `load_runtimes` returns.")
            return None
        if given.metadata.name is None:
            self._add("STK-02", f"{path}.metadata.name", "The runtime has no name.", "Give it one.")
            return None
        return given

    def _from_catalogue(self, name: str, options: object, placements: Mapping[str, Placement]) -> Runtime | None:
        path = f"runtimes.{name}"
        if not isinstance(options, Mapping):
            message = f"`{path}` is {yaml_repr(options)}, not a dict."
            self._add("STK-03", path, message, "Set a dict with a `framework`, or give `runtimes` as a list.")
        elif options.get("framework") not in FACTORIES:
            self._choose(path, "framework", options, [*FACTORIES])
        elif "name" in options:
            self._add("STK-08", f"{path}.name", f"The key `{name}` is the runtime's name.", "Remove `name`.")
        elif self._has_pool(path, options.get("node_pool"), placements):
            return self._built(path, name, options, placements)
        return None

    def _has_pool(self, path: str, pool: object, placements: Mapping[str, Placement]) -> bool:
        """Whether a runtime's pool is there. Of one that is wrong itself that is said already."""
        if pool is None or pool in placements:
            return True
        if pool not in self._args.get("gpu_node_pools", {}):
            fix = suggest(str(pool), [*placements]) if placements else "Add it to `gpu_node_pools`."
            self._add("STK-06", f"{path}.node_pool", f"There is no GPU node pool {yaml_repr(pool)}.", fix)
        return False

    def _built(
        self, path: str, name: str, options: Mapping[str, Any], placements: Mapping[str, Placement]
    ) -> Runtime | None:
        arguments = {key: value for key, value in options.items() if key not in ("framework", "node_pool")}
        placement = {"placement": placements[options["node_pool"]]} if options.get("node_pool") else {}
        try:
            return FACTORIES[options["framework"]](**{"name": name, **arguments, **placement})
        except InvalidRuntimeError as error:
            errors = (each for each in error.violations if each.severity is Severity.ERROR)
            self.found += (_prefixed(path, each) for each in errors)
            return None

    def _validation(self, runtimes: Sequence[Runtime], pools: Mapping[str, GpuNodePoolSpec]) -> ValidationSpec | None:
        given = self._args.get("validation")
        if given is None or isinstance(given, ValidationSpec):
            spec = given
        elif isinstance(given, Mapping):
            spec = self._model("validation", ValidationSpec, given)
        else:
            message = f"`validation` is {yaml_repr(given)}, not a spec."
            self._add("STK-03", "validation", message, "Set a ValidationSpec or a dict of its fields.")
            return None
        # What is wrong with a runtime is said already, and would be said of its name here.
        if spec and not any(each.path.startswith(("runtimes", "gpu_node_pools")) for each in self.found):
            self.found += check_validation(spec, runtimes, pools, is_rendered="render_to" in self._args)
        return spec

    def _names(self, argument: str, known: Collection[str | None]) -> frozenset[str]:
        given = self._args.get(argument, ())
        if isinstance(given, str) or not isinstance(given, Iterable):
            message = f"`{argument}` is {yaml_repr(given)}, not a list of names."
            self._add("STK-03", argument, message, "Set a list.")
            return frozenset()
        names = [str(each) for each in given]
        if "runtimes" not in [each.path.partition(".")[0].partition("[")[0] for each in self.found]:
            for each in names:
                if each not in known:
                    fix = suggest(each, [name for name in known if name])
                    self._add("STK-06", argument, f"There is no runtime `{each}` in `runtimes`.", fix)
        return frozenset(names)

    def _mapping(self, argument: str) -> Mapping[str, Any]:
        given = self._args.get(argument, {})
        if isinstance(given, Mapping):
            return given
        message = f"`{argument}` is {yaml_repr(given)}, not a dict."
        self._add("STK-03", argument, message, "Set a dict, each value under its name.")
        return {}

    def _choose(self, path: str, key: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
        if given.get(key) is not None:
            message = f"{yaml_repr(given[key])} is not a known value."
            self._add("STK-03", f"{path}.{key}", message, suggest(str(given[key]), known))
        elif close := get_close_matches(key, map(str, given), n=1):
            self._add("STK-01", f"{path}.{close[0]}", f"Unknown key `{close[0]}`.", f"Did you mean `{key}`?")
        else:
            self._add("STK-02", f"{path}.{key}", f"`{key}` is required.", f"Add `{key}`. {suggest('', known)}")

    def _model(self, path: str, model: type[Model], given: Mapping[str, Any]) -> Model | None:
        try:
            return model.model_validate({**given})
        except ValidationError as error:
            self.found += argument_violations(error, model, given, path)
            return None


def _prefixed(path: str, violation: Violation) -> Violation:
    """A violation of a value at `path`, as one of the arguments."""
    return replace(violation, path=".".join(filter(None, (path, violation.path))))
