"""Selects the proxy for requests to an API server, as Go programs do.

Facts: golang.org/x/net@v0.47.0, http/httpproxy/proxy.go; k8s.io/client-go@v0.35.0, tools/clientcmd/client_config.go.
"""

import ipaddress
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from .kubeconfig import Cluster, check_proxy

PORTS = {"http": 80, "https": 443}
"""Default port by scheme."""


def proxy_for(cluster: Cluster, environ: Mapping[str, str] = os.environ) -> str | None:
    """URL of the proxy, or None. Raises KubeconfigError for one that cannot be used.

    A proxy in the kubeconfig always applies. From the environment, `HTTPS_PROXY` applies to HTTPS only and `HTTP_PROXY`
    to HTTP only, and neither to this machine or to hosts in `NO_PROXY`.
    """
    if cluster.proxy_url:
        return cluster.proxy_url
    server = urlsplit(cluster.server)
    # In a CGI program, the client of the web server can set HTTP_PROXY (golang.org/s/cgihttpproxy).
    variable = f"{server.scheme}_proxy"
    proxy = "" if server.scheme == "http" and environ.get("REQUEST_METHOD") else _either(environ, variable)
    if not proxy or _is_direct(server.hostname or "", server.port or PORTS[server.scheme], environ):
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    check_proxy(proxy, f"The environment variable `{variable.upper()}`")
    return proxy


def _either(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name.upper()) or environ.get(name) or ""


def _is_direct(host: str, port: int, environ: Mapping[str, str]) -> bool:
    address = _address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return True
    entries = (entry.strip().lower() for entry in _either(environ, "no_proxy").split(","))
    return any(_matches(entry, host.lower(), address, port) for entry in entries if entry)


def _matches(entry: str, host: str, address: ipaddress.IPv4Address | ipaddress.IPv6Address | None, port: int) -> bool:
    """Whether an entry of `NO_PROXY` matches a host: `*`, a network, an address or a domain, the latter two with an
    optional port."""
    if entry == "*":
        return True
    if "/" in entry:
        try:
            return address is not None and address in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            return False
    name, colon, its_port = entry.rpartition(":")
    # The last group of an IPv6 address is not a port.
    if not colon or (":" in name and not name.endswith("]")):
        name, its_port = entry, ""
    name = name.removeprefix("[").removesuffix("]").removeprefix("*")
    if not name or (its_port and its_port != str(port)):
        return False
    if (its_address := _address(name)) or address:
        return its_address == address
    # `example.com` matches the domain itself; `.example.com` and `*.example.com` match only its subdomains.
    return host.endswith(name if name.startswith(".") else f".{name}") or host == name


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
