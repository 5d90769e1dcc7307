"""What JobSet's webhooks and controller reject, or handle in a way that the author did not intend."""
