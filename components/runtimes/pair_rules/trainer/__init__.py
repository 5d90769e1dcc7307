"""What Trainer's webhook and controller do with a TrainJob."""
