"""The runtimes that a cluster has already, from upstream's chart or from kubectl: from now on they are code.

`runtimes.yaml` is what `kubectl get clustertrainingruntimes -o yaml > runtimes.yaml` prints. What the API server and
Trainer wrote into the objects is left out when it is read; what would not work is refused with its line.
"""

import pulumi
import pulumi_kubernetes as kubernetes
from training_platform.runtimes import load_runtimes
from training_platform.training_runtimes import TrainingRuntimes

# To create what is there is an error, and rightly so. This provider takes it over: give it nothing but these runtimes,
# and take the option out once `pulumi up` has run.
provider = kubernetes.Provider(
    "runtimes",
    context=pulumi.Config().require("context"),
    enable_server_side_apply=False,
    upsert_existing_objects=True,
)
adopted = load_runtimes("runtimes.yaml", adopt=True)
runtimes = TrainingRuntimes("runtimes", {"runtimes": adopted}, pulumi.ResourceOptions(provider=provider))

pulumi.export("runtimes", runtimes.names)
