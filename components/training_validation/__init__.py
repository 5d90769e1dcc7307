"""Whether a training runs: what was observed of a small TrainJob, what failed and why. Pure: asks no cluster."""
