"""GKE node pools."""
