"""Real nodes for the local cluster: DNS, container runtimes, kubelets and kube-proxy, in this order."""

from pathlib import Path

from tools.real_pods import STATE, container_runtime, dns, images, kube_proxy, kubelet, node, operator_images
from tools.real_pods.images import Image
from tools.real_pods.node import Node
from tools.real_pods.operator_images import OperatorImage

IMAGES: dict[Node, tuple[Image | OperatorImage, ...]] = {
    node.SYSTEM: (images.OPENMPI_4, *operator_images.ALL),
    node.GPU: images.ALL,
}
"""The images on each node. One of them also holds the namespaces of its pods."""


def start(kubeconfig: Path) -> None:
    """Add real nodes to the cluster of a kubeconfig and wait until they are Ready. They end with the sandbox."""
    dns.start(kubeconfig, STATE)
    for each, on_it in IMAGES.items():
        each.home.mkdir()
        container_runtime.start(each, images.OPENMPI_4.name)
        container_runtime.import_images(each, (image.archive for image in on_it))
        kubelet.start(each, kubeconfig)
    kube_proxy.start(kubeconfig, STATE, node.GPU)
