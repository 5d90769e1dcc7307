"""A real node for the local cluster: container runtime, DNS and kubelet, in their order."""

from pathlib import Path

from tools.pods import STATE, container_runtime, dns, images, kubelet


def start(kubeconfig: Path) -> None:
    """Bring a real node to the cluster of the kubeconfig, and wait until it is Ready. It lasts as long as the box."""
    container_runtime.start(STATE, images.OPENMPI_4.name)
    container_runtime.import_images(image.archive for image in images.IMAGES_OF_TESTS)
    dns.start(kubeconfig, STATE)
    kubelet.start(kubeconfig, STATE)
