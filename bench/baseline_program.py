"""The baseline: a program that registers the same resources as ours from dictionaries, with nothing but the engine.

It is `__main__.py` in a copy of the project, next to `resources.json`, which lists what our program registered there.
"""

import json
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

CLASSES: dict[str, type[pulumi.Resource]] = {
    "kubernetes:core/v1:Namespace": kubernetes.core.v1.Namespace,
    "kubernetes:core/v1:ConfigMap": kubernetes.core.v1.ConfigMap,
    "kubernetes:helm.sh/v4:Chart": kubernetes.helm.v4.Chart,
    "kubernetes:helm.sh/v3:Release": kubernetes.helm.v3.Release,
}
WITHOUT_CLASS = {"kubernetes:core/v1:Node"}
"""The class of Node has no argument for the status."""


async def main() -> dict[str, Any]:
    """Declare the resources, each layer after the one before."""
    content = json.loads(Path("resources.json").read_text())
    provider = kubernetes.Provider("cluster", **content["provider"])
    before: list[pulumi.Resource] = []
    for layer in content["layers"]:
        options = pulumi.ResourceOptions(provider=provider, depends_on=before)
        before = [_declared(each["type"], each["name"], each["inputs"], options) for each in layer]
    return {}


def _declared(type_: str, name: str, inputs: dict[str, Any], options: pulumi.ResourceOptions) -> pulumi.Resource:
    if type_ in CLASSES:
        return CLASSES[type_](name, **inputs, opts=options)
    if type_ in WITHOUT_CLASS:
        return pulumi.CustomResource(type_, name, inputs, options)
    api_version = inputs.pop("apiVersion")
    return kubernetes.apiextensions.CustomResource(name, api_version=api_version, **inputs, opts=options)
