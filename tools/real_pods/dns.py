"""CoreDNS: the names of the pods, as a cluster has them."""

from pathlib import Path

from tools import BIN
from tools.real_pods import background_process, network

DOMAIN = "cluster.local"

UNRESOLVABLE_SUFFIX = "-node-0-3"
"""The end of a pod's host name that no one gets an address for, though the pod is there: the fourth worker of an MPI
training. For tests of what happens when a name never resolves."""

# As a cluster set up by kubeadm has it: names of pods are not cached, their answers hold for 5 s.
COREFILE = """\
. {{
    bind {address}
    errors
    template ANY ANY {domain} {{
        match "{unresolvable}[.]"
        rcode NXDOMAIN
        fallthrough
    }}
    kubernetes {domain} in-addr.arpa {{
        kubeconfig {kubeconfig}
        ttl 5
    }}
}}
"""


def start(kubeconfig: Path, home: Path) -> None:
    """Start it, at the control plane's address."""
    corefile = home / "Corefile"
    corefile.write_text(
        COREFILE.format(
            address=network.CONTROL_PLANE, domain=DOMAIN, unresolvable=UNRESOLVABLE_SUFFIX, kubeconfig=kubeconfig
        )
    )
    background_process.start(home, "coredns", BIN / "coredns", "-conf", corefile)
