"""Lets runtimes go that are being deleted while TrainJobs still refer to them, as Trainer does since 2.3.

Trainer 2.0 to 2.2 hold such a runtime with a finalizer for as long as any TrainJob names it, also a finished one
(Trainer 2.0.0 pkg/controller/clustertrainingruntime_controller.go; 2.3 has no such finalizer). A `destroy` would wait
for people to delete their TrainJobs. The local environment runs 2.0.0 and stands for what runs elsewhere: it does not.
"""

from typing import Any

FINALIZER = "trainer.kubeflow.org/resource-in-use"
RUNTIMES = {"group": "trainer.kubeflow.org", "version": "v1alpha1", "plural": "clustertrainingruntimes"}


def release(custom: Any) -> None:
    """Take the finalizer off every cluster-wide runtime whose deletion it holds up.

    Args:
        custom: A client of the API for custom objects.
    """
    for runtime in custom.list_cluster_custom_object(**RUNTIMES)["items"]:
        metadata = runtime["metadata"]
        if "deletionTimestamp" in metadata and FINALIZER in metadata.get("finalizers", []):
            others = [finalizer for finalizer in metadata["finalizers"] if finalizer != FINALIZER]
            # With the revision the patch fails when someone else changed the list meanwhile; a later round tries again.
            body = {"metadata": {"finalizers": others, "resourceVersion": metadata["resourceVersion"]}}
            custom.patch_cluster_custom_object(**RUNTIMES, name=metadata["name"], body=body)
