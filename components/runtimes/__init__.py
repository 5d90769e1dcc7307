"""Training runtimes of Kubeflow Trainer as typed objects, checked before anything is deployed.

Importing this loads pydantic and nothing else.
"""

from .api import ClusterTrainingRuntime as ClusterTrainingRuntime
from .api import TrainingRuntime as TrainingRuntime
from .api import TrainingRuntimeSpec as TrainingRuntimeSpec
from .invalid import InvalidRuntime as InvalidRuntime
