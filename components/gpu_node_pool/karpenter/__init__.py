"""Karpenter node pools on EKS."""
