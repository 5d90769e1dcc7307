"""CoreDNS: resolves the names of pods, as in any cluster."""

from pathlib import Path

from tools import BIN
from tools.real_pods import background_process, network

DOMAIN = "cluster.local"

UNRESOLVABLE_SUFFIX = "-node-0-3"
"""Suffix of host names that are not resolved although the pod exists: the fourth worker of an MPI training. For tests
of names that never resolve."""

# As in a cluster set up by kubeadm: names of pods are not cached, and answers have a TTL of 5 s.
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
    """Start CoreDNS at the control plane's address."""
    corefile = home / "Corefile"
    corefile.write_text(
        COREFILE.format(
            address=network.CONTROL_PLANE, domain=DOMAIN, unresolvable=UNRESOLVABLE_SUFFIX, kubeconfig=kubeconfig
        )
    )
    background_process.start(home, "coredns", BIN / "coredns", "-conf", corefile)
