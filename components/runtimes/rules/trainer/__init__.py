"""What Kubeflow Trainer's webhooks and controller reject, or handle in a way the author did not intend."""
