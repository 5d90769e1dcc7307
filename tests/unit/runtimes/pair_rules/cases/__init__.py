"""Cases of all rules for TrainJobs, by owner."""

from . import api_server, pods, trainer

CASES = (*api_server.CASES, *trainer.CASES, *pods.CASES)
CHECKED_AGAIN = pods.CHECKED_AGAIN
"""Cases of rules for runtimes that are checked again in what a pair becomes."""
