"""Files with runtimes."""

import sys
from pathlib import Path
from unittest.mock import patch

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
    """Run the installed linter's `check`."""
    with patch.object(sys, "argv", ["/usr/bin/training-runtimes"]):
        return main(["check", *map(str, arguments)])
