"""EKS managed node groups."""
