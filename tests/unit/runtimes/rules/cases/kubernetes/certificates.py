"""What Kubernetes refuses in certificates as files of projected volumes."""

from typing import Any

from tests.unit.runtimes.rules.samples import TORCH, Case

from .volumes import FILE, VOLUME, projected, volume

SOURCE = f"{VOLUME}.projected.sources[0]"
NAMED = {"name": "bundle", "path": "ca.pem"}
SIGNED = {"signerName": "example.com/signer", "path": "ca.pem"}
CERTIFICATE = {"signerName": "example.com/signer", "keyType": "ED25519", "credentialBundlePath": "a.pem"}
DAY = 24 * 3600
PATHS: dict[str, dict[str, Any]] = {
    "clusterTrustBundle.path": {"clusterTrustBundle": NAMED},
    "podCertificate.keyPath": {"podCertificate": CERTIFICATE | {"keyPath": "ca.pem"}},
}


def bundle(*path: str, broken: dict[str, Any], sound: dict[str, Any]) -> Case:
    return case("clusterTrustBundle", path, broken, sound)


def certificate(*path: str, broken: dict[str, Any], sound: dict[str, Any]) -> Case:
    return case("podCertificate", path, CERTIFICATE | broken, CERTIFICATE | sound)


def case(source: str, path: tuple[str, ...], broken: dict[str, Any], sound: dict[str, Any]) -> Case:
    where = ".".join((SOURCE, source, *path))
    return Case("K8S-07", where, TORCH, volume(**projected({source: broken})), volume(**projected({source: sound})))


CASES = [
    bundle(broken={"path": "a"}, sound=NAMED),
    bundle(broken=NAMED | SIGNED, sound=SIGNED),
    bundle("name", broken=NAMED | {"name": "Bundle"}, sound=NAMED | {"name": "example.com:signer:bundle"}),
    bundle("name", broken=NAMED | {"name": ":bundle"}, sound=NAMED),
    bundle("path", broken=NAMED | {"path": "/ca.pem"}, sound=NAMED),
    bundle("labelSelector", broken=NAMED | {"labelSelector": {}}, sound=SIGNED | {"labelSelector": {}}),
    bundle(
        "labelSelector.matchLabels[a b]",
        broken=SIGNED | {"labelSelector": {"matchLabels": {"a b": ""}}},
        sound=SIGNED | {"labelSelector": {"matchLabels": {"a-b": ""}}},
    ),
    bundle("signerName", broken=SIGNED | {"signerName": "example/signer"}, sound=SIGNED),
    bundle("signerName", broken=SIGNED | {"signerName": "example.com"}, sound=SIGNED),
    certificate("signerName", broken={"signerName": "example.com/a/b"}, sound={"signerName": "example.com/a.b"}),
    certificate("keyType", broken={"keyType": "RSA2048"}, sound={"keyType": "RSA3072"}),
    certificate("maxExpirationSeconds", broken={"maxExpirationSeconds": 3599}, sound={"maxExpirationSeconds": 3600}),
    certificate(
        "maxExpirationSeconds", broken={"maxExpirationSeconds": 91 * DAY + 1}, sound={"maxExpirationSeconds": 91 * DAY}
    ),
    certificate(
        "maxExpirationSeconds",
        broken={"signerName": "kubernetes.io/a", "maxExpirationSeconds": DAY + 1},
        sound={"signerName": "kubernetes.io/a", "maxExpirationSeconds": DAY},
    ),
    certificate(
        "userAnnotations[a]", broken={"userAnnotations": {"a": ""}}, sound={"userAnnotations": {"example.com/a": ""}}
    ),
    certificate(broken={"credentialBundlePath": ""}, sound={"credentialBundlePath": "", "keyPath": "key.pem"}),
    certificate("keyPath", broken={"keyPath": "../key.pem"}, sound={"keyPath": "key.pem"}),
    *(
        Case(
            "K8S-07",
            f"{VOLUME}.projected.sources[1].{path}",
            TORCH,
            volume(**projected({"downwardAPI": {"items": [FILE | {"path": "ca.pem"}]}}, source)),
            volume(**projected({"downwardAPI": {"items": [FILE | {"path": "other"}]}}, source)),
        )
        for path, source in PATHS.items()
    ),
    certificate(
        "userAnnotations[a b]",
        broken={"userAnnotations": {"a b": ""}},
        sound={"userAnnotations": {"example.com/a": "b c"}},
    ),
]
