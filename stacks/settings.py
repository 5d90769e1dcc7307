"""The settings of a stack: the only reader of its config, and the rules that hold across its sections."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Self

import pulumi
import yaml
from pulumi.runtime.config import CONFIG, is_config_secret
from pydantic import Field, ValidationError
from pydantic.alias_generators import to_camel

from components.gpu_node_pool.pools import ExistingPool, GpuNodePoolSpec, placement
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.model import Model
from components.names import DnsLabel
from components.operator_spec import OperatorSpec
from components.runtimes import InvalidRuntime
from components.violation import Severity, Violation, errors_in

from .cluster import Cluster, UnreachableCluster
from .controller_nodes import homeless
from .images import OCI, Images
from .invalid_settings import InvalidSettings
from .mistakes import mistakes, nearest
from .operators import JobSetSettings, installed, operator_findings
from .runtime_settings import Runtime, RuntimeSettings, runtime
from .stack_file import StackFile

ABSENT = "none"
"""What Pulumi.yaml gives to a section that a stack leaves out."""

EMPTY, CONTRADICTION, SECRET = "STK-04", "STK-06", "STK-10"

Pool = Annotated[GpuNodePoolSpec, Field(discriminator="provider")]


class Sections(Model):
    """What a stack's file says. A section that it leaves out is a layer that the stack does not deploy."""

    cluster: Cluster | None = None
    """Where everything goes."""

    gpu_node_pools: dict[DnsLabel, Pool] = Field(default_factory=dict)
    """GPU node pools by name."""

    jobset: JobSetSettings | None = None
    """The JobSet operator, or that someone else installs it."""

    trainer: KubeflowTrainerSpec | None = None
    """The Kubeflow Trainer operator."""

    runtimes: dict[str, RuntimeSettings] = Field(default_factory=dict)
    """Training runtimes by name, the one that TrainJobs refer to."""

    images: Images = Field(default_factory=Images)
    """Where images and charts are pulled from."""

    def made_runtime(self, name: str) -> Runtime:
        """The runtime of that name, bound to its pool, its images taken from the mirrors. Raises InvalidRuntime."""
        settings = self.runtimes[name]
        pool = self.gpu_node_pools.get(settings.node_pool or "")
        bound = placement(settings.node_pool or "", pool) if pool else None
        return self.images.runtime(runtime(name, settings, bound))

    def contradictions(self, pools: Collection[str]) -> Iterator[Violation]:
        """What is wrong although each section is right by itself. `pools` are those that the file names."""
        if self.cluster:
            try:
                self.cluster.server()
            except UnreachableCluster as error:
                yield error.violation
        yield from _shared_nodes(self.gpu_node_pools)
        for operator, spec in installed(self.jobset, self.trainer).items():
            if not spec.chart.startswith(OCI):
                yield from _chart_folder(operator, spec)
            others = self.cluster is None or self.cluster.other_nodes
            yield from homeless(operator, spec, self.gpu_node_pools, others)
        yield from errors_in(operator_findings(self.jobset, self.trainer))
        for name, settings in self.runtimes.items():
            if settings.node_pool is not None and settings.node_pool not in pools:
                message = f"There is no GPU node pool `{settings.node_pool}`."
                fix = nearest(settings.node_pool, list(pools)) if pools else "Add it to `gpuNodePools`."
                yield Violation(CONTRADICTION, f"runtimes.{name}.nodePool", message, fix)
            try:
                self.made_runtime(name)
            except InvalidRuntime as error:
                errors = (violation for violation in error.violations if violation.severity is Severity.ERROR)
                yield from (_of_runtime(name, settings, violation) for violation in errors)


class Settings(Sections):
    """The settings of a stack, checked."""

    cluster: Cluster
    """Where everything goes."""

    @classmethod
    def from_config(cls) -> Self:
        """The settings of the stack that runs. Raises InvalidSettings with everything that is wrong with them, or when
        they are right and the cluster does not answer; with the secret sections alone, if there are any."""
        project = pulumi.get_project()
        file = StackFile(pulumi.get_stack(), project)
        namespace = f"{project}:"
        config = {
            key.removeprefix(namespace): value for key, value in CONFIG.get().items() if key.startswith(namespace)
        }
        # Before anything is looked at: what is wrong with a section may show what is in it.
        if secrets := [_secret(section) for section in config if is_config_secret(namespace + section)]:
            raise InvalidSettings(file, secrets)
        sections = {section: _value(text) for section, text in config.items()}
        settings = cls.from_sections(sections, file)
        try:
            settings.cluster.require_answer()
        except UnreachableCluster as error:
            raise InvalidSettings(file, [error.violation]) from None
        return settings

    @classmethod
    def from_sections(cls, sections: Mapping[str, Any], file: StackFile) -> Self:
        """The settings that these sections of `file` make. Raises InvalidSettings likewise."""
        present = {section: value for section, value in sections.items() if value not in (ABSENT, None, "")}
        pools = present.get("gpuNodePools")
        violations = [
            Violation(EMPTY, section, f"`{section}` is empty.", "Write `{}` for all defaults, or take it out.")
            for section, value in sections.items()
            if value in (None, "")
        ]
        settings, sound = None, Sections()
        try:
            settings = sound = cls.model_validate(present, by_alias=True, by_name=False)
        except ValidationError as error:
            violations.extend(mistakes(error, cls))
            sound = Sections.model_validate(_without_faults(present, error), by_alias=True, by_name=False)
        violations.extend(sound.contradictions(pools if isinstance(pools, Mapping) else ()))
        if settings is None or violations:
            raise InvalidSettings(file, violations)
        return settings


def _secret(section: str) -> Violation:
    message = f"`{section}` is encrypted, but what is deployed of it is not: previews and the cluster show it to all."
    fix = "Take out `secure:`, or set it without `--secret`. Where a secret is needed, name a Secret of the cluster."
    return Violation(SECRET, section, message, fix)


def _value(text: str) -> Any:
    """A section as it was written: the engine hands out JSON, or a plain word."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _without_faults(sections: Mapping[str, Any], error: ValidationError) -> dict[str, Any]:
    """The sections without what `error` is about: without a pool or a runtime, or without the section."""
    sound = dict(sections)
    for section, *below in (details["loc"] for details in error.errors()):
        if section in ("gpuNodePools", "runtimes") and below and isinstance(sound.get(section), Mapping):
            sound[section] = {name: value for name, value in sound[section].items() if name != below[0]}
        else:
            sound.pop(str(section), None)
    return sound


def _shared_nodes(pools: Mapping[str, Pool]) -> Iterator[Violation]:
    taken: dict[str, str] = {}
    for pool, spec in pools.items():
        for index, node in enumerate(spec.nodes if isinstance(spec, ExistingPool) else ()):
            if taken.get(node, pool) != pool:
                message = f"{node} is a node of the pool `{taken[node]}` already, and a node belongs to one pool."
                yield Violation(CONTRADICTION, f"gpuNodePools.{pool}.nodes[{index}]", message, "Take it out of one.")
            taken.setdefault(node, pool)


def _chart_folder(operator: str, spec: OperatorSpec) -> Iterator[Violation]:
    """A chart in a folder must be there, and of the version that the settings say."""
    try:
        chart = yaml.safe_load(Path(spec.chart, "Chart.yaml").read_text())
        version = chart["version"]
    except (OSError, yaml.YAMLError, KeyError, TypeError):
        message = f"There is no chart in the folder {spec.chart}."
        fix = "Write `oci://` and the path in a registry, or a folder with a Chart.yaml, relative to the project's."
        yield Violation(CONTRADICTION, f"{operator}.chart", message, fix)
    else:
        if version != spec.version:
            message = f"The chart in {spec.chart} is of version {version}, not {spec.version}."
            yield Violation(CONTRADICTION, f"{operator}.version", message, f'Write "{version}", or change the chart.')


def _of_runtime(name: str, settings: Model, violation: Violation) -> Violation:
    """A runtime's violation as one of the stack's file, where the catalogue's arguments are camelCase."""
    spelling = {field: to_camel(field) for field in type(settings).model_fields}

    def spelt(text: str) -> str:
        return re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda word: spelling.get(word[0], word[0]), text)

    return replace(
        violation,
        path=f"runtimes.{name}.{spelt(violation.path)}",
        message=spelt(violation.message),
        fix=spelt(violation.fix),
    )
