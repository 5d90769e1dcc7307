"""The runtimes that a cluster has already, from upstream's chart or from kubectl: from now on they are code.

`runtimes.yaml` is what `kubectl get clustertrainingruntimes -o yaml > runtimes.yaml` prints. What the API server and
Trainer wrote into the objects is left out when it is read; what would not work is refused with its line.
"""

import pulumi
import pulumi_kubernetes as kubernetes
from training_platform.cluster.client import ClusterClient
from training_platform.cluster.context import StackContext
from training_platform.runtimes import load_runtimes
from training_platform.training_runtimes import TrainingRuntimes, TrainingRuntimesArgs

access = ClusterClient(pulumi.Config().require("context"))
in_place = kubernetes.Provider("runtimes", **access.provider_arguments, enable_server_side_apply=False)

adopted = load_runtimes("runtimes.yaml", adopt=True)
args: TrainingRuntimesArgs = {
    "runtimes": adopted,
    "stack_context": StackContext(access, f"{pulumi.get_project()}/{pulumi.get_stack()}"),
    # Without their names here `pulumi up` would refuse to touch what others made, and say whose it is.
    "adopt": [runtime.metadata.name for runtime in adopted if runtime.metadata.name],
}
runtimes = TrainingRuntimes("runtimes", args, pulumi.ResourceOptions(provider=in_place))

pulumi.export("runtimes", runtimes.names)
