"""Cases of all rules for TrainJobs, by owner."""

from . import api_server, trainer

CASES = (*api_server.CASES, *trainer.CASES)
