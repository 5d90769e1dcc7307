"""Files with runtimes."""

from pathlib import Path

from components.runtimes.__main__ import main

GOOD = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torch
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 1
    torch: {}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: registry/torch:1
                      resources: {limits: {nvidia.com/gpu: "1"}}
"""

OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)


def check(*arguments: object) -> int:
    return main(["check", *map(str, arguments)])
