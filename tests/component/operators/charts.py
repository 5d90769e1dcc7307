"""A chart as the provider renders it."""

NAMESPACE, CHART = "kubernetes:core/v1:Namespace", "kubernetes:helm.sh/v4:Chart"
