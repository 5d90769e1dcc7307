"""Installs, finds, upgrades and removes an operator's Helm chart."""
