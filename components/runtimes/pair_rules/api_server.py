"""What the API server rejects by the CRD of TrainJobs."""

from collections.abc import Iterator

from ...k8s.grammars import DNS_LABEL_1035
from ...validation.violation import Violation
from ..rules.rule import violation
from ..train_job import MANAGED_BY_TRAINER
from .pair import Pair
from .rule import pair_rule

MULTI_KUEUE = "kueue.x-k8s.io/multikueue"
"""The value of `managedBy` with which MultiKueue acts on a TrainJob."""

MANAGERS = (MANAGED_BY_TRAINER, MULTI_KUEUE)


@pair_rule("TJC-01", "TJC-02")
def name_is_a_dns_label(pair: Pair) -> Iterator[Violation]:
    """The name of a TrainJob is not a DNS label.

    JobSet, Jobs and Services are named after it. Trainer 2.0 and 2.2 have the same rule in the CRD.
    Source: pkg/apis/trainer/v1alpha1/trainjob_types.go:36-37@trainer@v2.3.0.
    """
    name = pair.train_job.metadata.name
    if name is not None and not DNS_LABEL_1035.matches(name):
        yield violation(
            "metadata.name",
            f"{name!r} is not a valid name: it must be {DNS_LABEL_1035}.",
            "Rename the TrainJob.",
        )


@pair_rule("TJC-09")
def manager_is_known(pair: Pair) -> Iterator[Violation]:
    """`managedBy` is neither Trainer's controller nor MultiKueue.

    Source: pkg/apis/trainer/v1alpha1/trainjob_types.go:148-149@trainer@v2.3.0.
    """
    manager = pair.train_job.spec.managed_by
    if manager is not None and manager not in MANAGERS:
        yield violation(
            "spec.managedBy",
            f"{manager!r} cannot manage a TrainJob: the API server accepts {' and '.join(MANAGERS)}.",
            "Remove managedBy; the default is Trainer's controller.",
        )
