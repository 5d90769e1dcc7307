"""What the Kubeflow Python SDK needs to list a runtime and to submit TrainJobs for it."""
