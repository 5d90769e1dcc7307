"""AKS agent pools."""
