"""The only reader of a stack's config."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi.runtime.config import CONFIG, is_config_secret
from pydantic import ValidationError

from components.k8s.names import is_dns_label
from components.validation.model_fields import keys_of
from components.validation.paths import format_path
from components.validation.secret_detection import Token, find_tokens
from components.validation.violation import Violation

from ..checks.config_namespaces import find_misspelt_namespaces
from .cluster import AnyTarget, ContextCluster
from .error_report import InvalidSettingsError
from .inheritance import merge_patch
from .model import StackConfig
from .pydantic_errors import suggest, translate_errors
from .runtimes import REVOKE_FIX
from .stack_file import FOLDER, StackFile, StackFileError

ABSENT = "none"
"""Value in Pulumi.yaml of a section that a stack leaves out."""

_RESTS_ON = {"gpuNodePools": ("STK-09",), "images": ("STK-15",)}
"""Rules that depend on a whole section, by section. They are not reported if the section, or a pool in it, is
invalid."""


class CompleteConfig(StackConfig):
    """A stack file with all required sections."""

    cluster: AnyTarget
    """The target of the deployment."""


@dataclass(frozen=True)
class LoadedStack:
    """A stack file after reading and validation."""

    file: StackFile
    """The stack file."""

    config: StackConfig
    """Its valid sections."""

    violations: tuple[Violation, ...]
    """The errors so far. `resolve` adds those of the valid sections and raises all of them."""

    pool_names: tuple[str, ...]
    """Names of the GPU node pools, including invalid ones."""

    unsure: frozenset[str] = frozenset()
    """Rules that are not reported, because a section that they depend on is invalid."""

    require_local_state: bool = True
    """Whether the context of the cluster, and the charts that `make up` creates, must exist on this machine."""


def load_running() -> LoadedStack:
    """Loads the stack of the running program. Raises InvalidSettingsError for secret sections, tokens and misspelled
    namespaces."""
    file = StackFile.of_running()
    file.require_readable()
    sections = _sections(CONFIG.get(), pulumi.get_project(), file, is_config_secret)
    return load_sections({section: _value(text) for section, text in sections.items()}, file)


def load_stack(stack: str, project: str) -> LoadedStack:
    """Loads a stack from its file, without an engine or a cluster. Raises InvalidSettingsError as `load_running` does,
    and StackFileError."""
    file = StackFile(stack, project)
    config = file.config()
    encrypted = [key for key, value in config.items() if isinstance(value, Mapping) and "secure" in value]
    return load_sections(_sections(config, project, file, encrypted.__contains__), file, require_local_state=False)


def load_sections(sections: Mapping[str, Any], file: StackFile, require_local_state: bool = True) -> LoadedStack:
    """Validates the sections of a stack file. Raises InvalidSettingsError for tokens."""
    violations = [
        Violation("STK-04", section, f"`{section}` is empty.", "Set it to `{}` for all defaults, or remove it.")
        for section, value in sections.items()
        if value in (None, "")
    ]
    elsewhere: tuple[str, ...] = ()
    try:
        present = _with_inherited(sections, file)
    except StackFileError as error:
        violations.append(_uninheritable(sections["inherits"], error))
        present = _with_inherited({**sections, "inherits": ABSENT}, file)
        elsewhere = "STK-02", "STK-04"  # what is missing may stand there
    # What is wrong elsewhere may show the token, too.
    if found := [*map(_token, find_tokens(present))]:
        raise InvalidSettingsError(file, found)
    config: StackConfig
    unsure: frozenset[str] = frozenset()
    try:
        config = CompleteConfig.model_validate(present, by_alias=True, by_name=False)
    except ValidationError as error:
        violations += (each for each in translate_errors(error, CompleteConfig, present) if each.rule not in elsewhere)
        # Only where something is wrong: the rest is looked at too, so that everything is said at once.
        config = StackConfig.model_validate(_drop_invalid(present, error), by_alias=True, by_name=False)
        unsure = frozenset(rule for details in error.errors() for rule in _RESTS_ON.get(str(details["loc"][0]), ()))
    if require_local_state and isinstance(config.cluster, ContextCluster):
        violations += config.cluster.check_context()
    pools = present.get("gpuNodePools")
    names = tuple(pools) if isinstance(pools, Mapping) else ()
    return LoadedStack(file, config, tuple(violations), names, unsure, require_local_state)


def _sections(
    config: Mapping[str, Any], project: str, file: StackFile, is_secret: Callable[[str], bool]
) -> dict[str, Any]:
    """The sections of a config, without the project's name as prefix.

    Raises InvalidSettingsError for misspelled namespaces and for secrets. Both come first, because other messages could
    show a secret.
    """
    namespace = f"{project}:"
    sections = {key.removeprefix(namespace): value for key, value in config.items() if key.startswith(namespace)}
    secrets = (_secret(section) for section in sections if is_secret(namespace + section))
    if found := [*find_misspelt_namespaces(config, project, keys_of(StackConfig)), *secrets]:
        raise InvalidSettingsError(file, found)
    return sections


def _with_inherited(sections: Mapping[str, Any], file: StackFile) -> dict[str, Any]:
    """The sections of a file and those that it inherits, unless it sets them to `none`."""
    own = {section: value for section, value in sections.items() if value not in (ABSENT, None, "")}
    # Only a name is looked for: a path would lead out of the folder of the stacks, and show what is there.
    if not isinstance(own.get("inherits"), str) or not is_dns_label(own["inherits"]):
        return own
    inherited = merge_patch(file.inherit(own["inherits"]), own)
    return {key: value for key, value in inherited.items() if sections.get(key) != ABSENT or not file.has(key)}


def _uninheritable(base: str, error: StackFileError) -> Violation:
    there = sorted(file.stem for file in FOLDER.glob("*.yaml") if not file.name.startswith("Pulumi."))
    fix = (
        "Correct that file."
        if base in there
        else suggest(base, there)
        if there
        else "Write it, or take `inherits` out."
    )
    return Violation("STK-16", "inherits", f"{FOLDER}/{base}.yaml cannot be read: {error.reason}", fix)


def _secret(section: str) -> Violation:
    message = f"`{section}` is encrypted, but what is deployed of it is not: previews and the cluster show it to all."
    fix = "Take out `secure:`, or set it without `--secret`. Where a secret is needed, name a Secret of the cluster."
    return Violation("STK-10", section, message, fix)


def _token(found: Token) -> Violation:
    message = f"This looks like {found.kind}, which everyone who sees the file can use."
    return Violation("STK-11", format_path(found.loc), message, REVOKE_FIX)


def _value(text: str) -> Any:
    """Parses a section: the engine returns JSON or a plain word."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    # JSONDecodeError is one; thousands of digits and NaN are others.
    except (ValueError, RecursionError):
        return text


def _refuse_constant(word: str) -> None:
    raise ValueError(word)


def _drop_invalid(sections: Mapping[str, Any], error: ValidationError) -> dict[str, Any]:
    """The sections without the invalid ones. Of pools and runtimes, only the invalid ones are removed."""
    sound = dict(sections)
    for section, *below in (details["loc"] for details in error.errors()):
        if section in ("gpuNodePools", "runtimes") and below and isinstance(sound.get(section), Mapping):
            sound[section] = {name: value for name, value in sound[section].items() if name != below[0]}
        else:
            sound.pop(str(section), None)
    return sound
