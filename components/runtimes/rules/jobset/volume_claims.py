"""The claims that a JobSet creates for its pods."""

from collections.abc import Iterator

from ....k8s.claims import PersistentVolumeClaimSpec
from ....k8s.grammars import DNS_LABEL, DNS_SUBDOMAIN
from ....validation.violation import Violation
from ..kubernetes.claims import claim_problems
from ..rule import rule, violation
from ..view import JOBSET_PATH, RuntimeView, claim_templates
from .replicated_jobs import TRAIN_JOB_NAME_LENGTH

MAX_CLAIM_NAME_LENGTH = 63
"""Maximum length of a claim's name, `<template>-<trainjob>`: pkg/webhooks/jobset_webhook.go:561-567@jobset@v0.12.0."""


@rule("RUN-05")
def claim_policies_have_claims(view: RuntimeView) -> Iterator[Violation]:
    """A volume claim policy has no templates.

    The runtime is created. Trainer then leaves the empty list out of the JobSet, and the schema of JobSet rejects a
    policy without templates.
    Source: api/jobset/v1alpha2/jobset_types.go VolumeClaimPolicy@jobset@v0.12.0.
    """
    for index, policy in enumerate((view.jobset and view.jobset.volume_claim_policies) or ()):
        if not policy.templates:
            yield violation(
                f"{JOBSET_PATH}.volumeClaimPolicies[{index}].templates",
                "The list is empty, so the JobSet is rejected.",
                "Add a template, or remove the policy.",
            )


@rule("JSW-24")
def claim_names_are_unique(view: RuntimeView) -> Iterator[Violation]:
    """Two claim templates have the same name.

    Source: pkg/webhooks/jobset_webhook.go:547-553@jobset@v0.12.0.
    """
    seen: set[str] = set()
    for path, name, _ in claim_templates(view):
        if name in seen:
            yield violation(
                f"{path}.metadata.name", f"{name!r} is already the name of another claim.", "Rename one of them."
            )
        seen.add(name)


@rule("JSW-25")
def claim_names_are_dns_names(view: RuntimeView) -> Iterator[Violation]:
    """A claim template's name is not a DNS name.

    Source: pkg/webhooks/jobset_webhook.go:556-558@jobset@v0.12.0.
    """
    for path, name, _ in claim_templates(view):
        if not DNS_SUBDOMAIN.matches(name):
            yield violation(
                f"{path}.metadata.name", f"{name!r} is not a valid claim name: it must be {DNS_LABEL}.", "Rename it."
            )


@rule("K8S-27")
def claim_names_have_no_dots(view: RuntimeView) -> Iterator[Violation]:
    """A claim template's name has a dot.

    JobSet's webhook accepts it. The claim then becomes a volume of the same name, and the Jobs are rejected.
    Source: pkg/apis/core/validation/validation.go:453-480@kubernetes@v1.37.2.
    """
    for path, name, _ in claim_templates(view):
        if "." in name and DNS_SUBDOMAIN.matches(name):
            yield violation(
                f"{path}.metadata.name",
                f"{name!r} has a dot, but the pods get a volume of this name, which must be {DNS_LABEL}.",
                "Use '-' instead.",
            )


@rule("JSW-26")
def claim_names_fit(view: RuntimeView) -> Iterator[Violation]:
    """The names of the claims of a template are longer than 63 characters.

    A claim is called `<template>-<trainjob>`. Checked for TrainJob names of 12 characters, which is the length that the
    SDK generates.
    Source: pkg/webhooks/jobset_webhook.go:561-567@jobset@v0.12.0.
    """
    for path, name, _ in claim_templates(view):
        length = len(name) + 1 + TRAIN_JOB_NAME_LENGTH
        if length > MAX_CLAIM_NAME_LENGTH:
            yield violation(
                f"{path}.metadata.name",
                f"{name!r} is too long: the claim's name would have {length} characters with a TrainJob name of "
                f"{TRAIN_JOB_NAME_LENGTH}; the maximum is {MAX_CLAIM_NAME_LENGTH}.",
                f"Shorten it by {length - MAX_CLAIM_NAME_LENGTH} characters or more.",
            )


@rule("JSW-27")
def claims_are_mounted(view: RuntimeView) -> Iterator[Violation]:
    """No container mounts a claim.

    Source: pkg/webhooks/jobset_webhook.go:611-655@jobset@v0.12.0.
    """
    mounted = {mount.name for container in view.containers for mount in container.model.volume_mounts or ()}
    for path, name, _ in claim_templates(view):
        if name not in mounted:
            yield violation(
                f"{path}.metadata.name",
                f"No container mounts the claim {name!r}.",
                f"Add a volumeMount named {name!r} to the containers that use it, or remove the claim.",
            )


@rule("JSW-28")
def claims_are_no_volumes(view: RuntimeView) -> Iterator[Violation]:
    """A pod declares a volume with the name of a claim.

    JobSet adds a volume of that name itself.
    Source: pkg/webhooks/jobset_webhook.go:619-627@jobset@v0.12.0.
    """
    claims = {name for _, name, _ in claim_templates(view)}
    for pod in view.pods:
        for index, volume in enumerate(pod.spec.volumes or ()):
            if volume.name in claims:
                yield violation(
                    f"{pod.path}.volumes[{index}].name",
                    f"{volume.name!r} is a claim in volumeClaimPolicies, for which JobSet adds the volume itself.",
                    "Remove the volume and keep the mount.",
                )


@rule("K8S-23")
def claims_say_what_they_claim(view: RuntimeView) -> Iterator[Violation]:
    """A claim template has no accessModes, no request for storage, or invalid values.

    The JobSet is created, but its claims are not: the event is PVCCreationFailed.
    Source: pkg/apis/core/validation/validation.go:2489-2560@kubernetes@v1.37.2.
    """
    for path, _, template in claim_templates(view):
        yield from claim_problems(f"{path}.spec", template.spec or PersistentVolumeClaimSpec())


@rule("RUN-17")
def claims_are_folders(view: RuntimeView) -> Iterator[Violation]:
    """A claim template is a block device.

    JobSet requires a mount of each claim, and the kubelet cannot mount a block device. The pods would never start.
    Source: pkg/webhooks/jobset_webhook.go:611-655@jobset@v0.12.0; pkg/kubelet/volumemanager/populator
    desired_state_of_world_populator.go@kubernetes@v1.37.2.
    """
    for path, name, template in claim_templates(view):
        if template.spec and template.spec.volume_mode == "Block":
            yield violation(
                f"{path}.spec.volumeMode",
                f"Claim {name!r} is a block device, which cannot be mounted: the pods would never start.",
                "Remove volumeMode; the default is Filesystem.",
            )
