"""Rules of the API's schema, which the API server checks with the CRD, and of unreadable files."""

from collections.abc import Mapping
from typing import NamedTuple

_TRAINER = "pkg/apis/trainer/v1alpha1/trainingruntime_types.go@trainer@v2.3.0"
_JOBSET = "api/jobset/v1alpha2/jobset_types.go@jobset@v0.12.0"
_CRD = "manifests/base/crds/trainer.kubeflow.org_clustertrainingruntimes.yaml@trainer@v2.3.0"
_HERE = "this package"


class SchemaRule(NamedTuple):
    """A rule that the models or the reading of files enforce. All are errors, except YAML-03 and YAML-04."""

    forbids: str
    """What it forbids."""

    source: str
    """The source."""


SCHEMA_RULES: Mapping[str, SchemaRule] = {
    "CTR-01": SchemaRule("A spec with nothing in it", _TRAINER),
    "CTR-02": SchemaRule("A template with nothing in it", _TRAINER),
    "CTR-03": SchemaRule("More than one of torch, mpi, jax, xgboost and flux", _TRAINER),
    "CTR-04": SchemaRule("An MPI implementation other than OpenMPI", _TRAINER),
    "CTR-05": SchemaRule("An sshAuthMountPath of more than 4096 characters", _TRAINER),
    "CTR-06": SchemaRule("A numProcPerNode of flux below 1", _TRAINER),
    "CTR-07": SchemaRule("An integer that does not fit into its 32 or 64 bits", _CRD),
    "CTR-08": SchemaRule("More than 16 targets of envInjection", _TRAINER),
    "CTR-09": SchemaRule("Two targets of envInjection for one job", _TRAINER),
    "CTR-10": SchemaRule("A target of envInjection without jobName or containerNames", _TRAINER),
    "CTR-11": SchemaRule("A jobName of envInjection that is empty or longer than 253 characters", _TRAINER),
    "CTR-12": SchemaRule(
        "containerNames of envInjection: none, more than 8, one twice, or one longer than 63 characters", _TRAINER
    ),
    "CTR-13": SchemaRule("The container node among the containerNames of envInjection", _TRAINER),
    "CTR-14": SchemaRule("A mode of Volcano's network topology other than hard and soft", _CRD),
    "CTR-15": SchemaRule("startupPolicy InOrder together with dependsOn, or without replicatedJobs", _JOBSET),
    "CTR-16": SchemaRule("Two replicated jobs with the same name", _JOBSET),
    "CTR-17": SchemaRule("A replicated job without name or template", _JOBSET),
    "CTR-18": SchemaRule("A job without pod template, or a pod without containers", _CRD),
    "CTR-19": SchemaRule("A container without name", _CRD),
    "CTR-20": SchemaRule("More than 5 items in dependsOn, or one job twice", _JOBSET),
    "CTR-21": SchemaRule("An item of dependsOn without name, or with a status other than Ready and Complete", _JOBSET),
    "CTR-22": SchemaRule("A successPolicy with an operator other than All and Any", _JOBSET),
    "CTR-23": SchemaRule("A startupPolicy with an order other than AnyOrder and InOrder", _JOBSET),
    "CTR-24": SchemaRule("A rule of failurePolicy without name or action", _JOBSET),
    "CTR-25": SchemaRule("A rule of failurePolicy with an action that JobSet doesn't have", _JOBSET),
    "CTR-26": SchemaRule("A restartStrategy that JobSet doesn't have", _JOBSET),
    "CTR-27": SchemaRule("A coordinator without replicatedJob", _JOBSET),
    "CTR-28": SchemaRule("A ttlSecondsAfterFinished of the JobSet below 0", _JOBSET),
    "CTR-29": SchemaRule("More than 50 volumeClaimPolicies, or more than 50 templates in one", _JOBSET),
    "CTR-30": SchemaRule("A claim template with a namespace, or without metadata; a policy without templates", _JOBSET),
    "CTR-31": SchemaRule("A retention of claims other than Delete and Retain", _JOBSET),
    "CTR-32": SchemaRule("A quantity that is neither an integer nor a string such as 500m or 16Gi", _CRD),
    "CTR-33": SchemaRule("Two items of a list with the same key, such as two containers with the same name", _CRD),
    "CTR-34": SchemaRule("A value of the wrong type, such as a number instead of a string", _CRD),
    "CTR-35": SchemaRule("A required field that is missing", _CRD),
    "CTR-36": SchemaRule("A field that the API does not have, or has removed", _CRD),
    "CTR-37": SchemaRule("An apiVersion or kind other than a training runtime's", _CRD),
    "CTR-38": SchemaRule(
        "A rare field, such as a volume's flocker, that cannot be checked without the package kubeflow-trainer-api",
        _HERE,
    ),
    "YAML-01": SchemaRule("Text that cannot be parsed as YAML", _HERE),
    "YAML-02": SchemaRule("A duplicate key in a mapping", _HERE),
    "YAML-03": SchemaRule("Two runtimes with the same kind, namespace and name", _HERE),
    "YAML-04": SchemaRule("A value or key that looks like a token, password or private key", _HERE),
}
"""All of them by id."""
