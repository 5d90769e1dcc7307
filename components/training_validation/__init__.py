"""Whether a training runs: a small TrainJob for each runtime, what was observed of it, what failed and why."""
