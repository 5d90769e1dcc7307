"""A Kubernetes control plane on this machine, with simulated nodes and the real operators."""
