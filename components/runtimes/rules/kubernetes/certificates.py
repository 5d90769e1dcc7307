"""What Kubernetes rejects in certificates of projected volumes."""

from collections.abc import Iterator, Mapping
from typing import Any

from ....k8s.grammars import DNS_LABEL, DNS_SUBDOMAIN, QUALIFIED_NAME
from ....k8s.metadata import LabelSelector
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import RuntimeView
from .metadata import annotation_problems, selector_problems
from .volumes import CERTIFICATE_FILES, file_problems

KEY_TYPES = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
MIN_LIFETIME, MAX_LIFETIME, MAX_KUBERNETES_LIFETIME = 3600, 91 * 24 * 3600, 24 * 3600
"""Lifetimes of certificates in seconds."""


@rule("K8S-07")
def projected_certificates_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """A projected trust bundle or pod certificate has no signer, no file, or invalid values.

    Source: pkg/apis/core/validation/validation.go:1207-1340,names.go:29-139@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        for number, volume in enumerate(pod.spec.volumes or ()):
            for index, source in enumerate((volume.projected and volume.projected.sources) or ()):
                path = f"{pod.path}.volumes[{number}].projected.sources[{index}]"
                if source.cluster_trust_bundle is not None:
                    yield from _bundle(f"{path}.clusterTrustBundle", source.cluster_trust_bundle)
                if source.pod_certificate is not None:
                    yield from _certificate(f"{path}.podCertificate", source.pod_certificate)


def _bundle(path: str, bundle: Mapping[str, Any]) -> Iterator[Violation]:
    name, signer, selector = bundle.get("name"), bundle.get("signerName"), bundle.get("labelSelector")
    if name is not None and signer is None:
        # A bundle of a signer is named after it: example.com:signer:bundle.
        owner, colon, own = name.rpartition(":")
        if not DNS_SUBDOMAIN.matches(own) or (colon and not owner):
            yield violation(
                f"{path}.name",
                f"{name!r} is not a valid trust bundle: it must be {DNS_SUBDOMAIN}.",
                "Correct the name.",
            )
        if selector is not None:
            yield violation(f"{path}.labelSelector", "labelSelector is allowed only with signerName.", "Remove it.")
    elif signer is not None and name is None:
        yield from _signer(f"{path}.signerName", signer)
        if selector is not None:
            yield from selector_problems(f"{path}.labelSelector", LabelSelector.model_validate(selector))
    else:
        what = "neither" if name is None else "both"
        yield violation(path, f"The source has {what} of name and signerName.", "Set one of them.")
    yield from file_problems(f"{path}.path", bundle["path"])


def _certificate(path: str, certificate: Mapping[str, Any]) -> Iterator[Violation]:
    signer, key_type = certificate["signerName"], certificate["keyType"]
    yield from _signer(f"{path}.signerName", signer)
    if key_type not in KEY_TYPES:
        yield violation(
            f"{path}.keyType", f"{key_type!r} is not a valid key type.", f"Use one of {', '.join(KEY_TYPES)}."
        )
    host = signer.partition("/")[0]
    longest = MAX_KUBERNETES_LIFETIME if f".{host}".endswith(".kubernetes.io") else MAX_LIFETIME
    seconds = certificate.get("maxExpirationSeconds", longest)
    if not MIN_LIFETIME <= seconds <= longest:
        yield violation(
            f"{path}.maxExpirationSeconds", f"{seconds} is not from {MIN_LIFETIME} to {longest}.", "Correct it."
        )
    yield from _annotations(f"{path}.userAnnotations", certificate.get("userAnnotations", {}))
    files = [name for name in CERTIFICATE_FILES if certificate.get(name)]
    if not files:
        yield violation(path, "The source has no file.", f"Set one or more of {', '.join(CERTIFICATE_FILES)}.")
    for name in files:
        yield from file_problems(f"{path}.{name}", certificate[name])


def _annotations(path: str, annotations: Mapping[str, str]) -> Iterator[Violation]:
    yield from annotation_problems(path, annotations)
    for key in annotations:
        if QUALIFIED_NAME.matches(key.lower()) and "/" not in key:
            yield violation(f"{path}[{key}]", f"{key!r} has no domain.", f"Write it as example.com/{key}.")


def _signer(path: str, signer: str) -> Iterator[Violation]:
    domain, slash, name = signer.partition("/")
    labels = domain.split(".")
    domain_fits = len(labels) > 1 and len(domain) <= DNS_SUBDOMAIN.max_length and all(map(DNS_LABEL.matches, labels))
    if not slash or not domain_fits or not all(map(DNS_LABEL.matches, name.split("."))):
        yield violation(
            path, f"{signer!r} is not a valid signer: it must be like example.com/signer.", "Correct the name."
        )
