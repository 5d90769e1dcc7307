"""Components that stand up distributed training on Kubernetes.

Nothing is imported here, so that `components.runtimes` works without Pulumi:

- `components.runtimes`: training runtimes as typed objects, checked before anything is deployed. Needs pydantic only.
- `components.gpu_node_pool`: `GpuNodePool`, the machines, their labels and taints, and what pods need to land there.
- `components.jobset`: `JobSet`, the operator that runs groups of Jobs.
- `components.kubeflow_trainer`: `KubeflowTrainer`, the operator that turns TrainJobs into JobSets.
- `components.training_gate`: `TrainingGate`, open when TrainJobs are admitted, in the way of a destroy that stops them.
- `components.training_runtimes`: `TrainingRuntimes`, runtimes as cluster resources.
- `components.cluster.context`, `components.cluster.client`: whose all of it is, and how hooks ask the cluster.
"""
