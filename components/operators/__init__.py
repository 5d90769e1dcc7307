"""How an operator's chart is installed, found in the cluster, upgraded and removed."""
