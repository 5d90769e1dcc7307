"""The base of all GPU node pools: keys that every provider has, and the check of a spec as a whole."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from pydantic import Field, ModelWrapValidatorHandler, PrivateAttr, TypeAdapter, ValidationError, model_validator
from pydantic_core import InitErrorDetails

from ..k8s.base import Quantity
from ..k8s.grammars import LABEL_VALUE, QUALIFIED_NAME
from ..k8s.names import DnsLabel
from ..k8s.scheduling import Toleration
from ..runtimes.placement import Placement, PodNetwork
from ..validation.argument_errors import argument_violations
from ..validation.errors import rule_error
from ..validation.invalid import InvalidSpecError
from ..validation.model import StrictModel
from ..validation.paths import remove_paths, split_path
from ..validation.violation import Severity, Violation
from .machines import Machine
from .reserved_labels import reserved_labels
from .resource_name import ResourceName
from .taint import Taint

_NAME: TypeAdapter[str] = TypeAdapter(DnsLabel)

POOL_LABEL = "training-platform/node-pool"
"""Label with the name of a node's pool, the same on every provider. Its prefix is the name of this project, which
neither Kubernetes nor a cloud reserves."""


class Pool(StrictModel, ABC):
    """A spec that is checked as a whole when it is built. All errors are raised together, as InvalidSpecError."""

    reserved_domains: ClassVar[tuple[str, ...]] = ()
    """Domains whose labels a spec cannot set on a pool's nodes. Default: none, because any label can be set on an
    existing node."""

    gpu_resource: ResourceName = "nvidia.com/gpu"
    """Resource name of the GPUs: `nvidia.com/gpu`, `amd.com/gpu`, `nvidia.com/mig-1g.5gb`."""

    labels: dict[str, str] = Field(default_factory=dict)
    """Additional labels of the nodes. The pool's own label is always set."""

    _violations_cache: tuple[Violation, ...] = PrivateAttr(())

    @property
    @abstractmethod
    def machine(self) -> Machine:
        """The hardware of one node."""

    @property
    @abstractmethod
    def node_taints(self) -> tuple[Taint, ...]:
        """All taints of the nodes, including those that the cloud adds. Pods tolerate all of them."""

    @property
    def tolerations(self) -> tuple[Toleration, ...]:
        """The tolerations that pods need on the nodes."""
        return tuple(taint.toleration for taint in self.node_taints)

    @property
    def max_nodes(self) -> int | None:
        """Maximum number of nodes in the pool. None: unknown."""
        return None

    @property
    def cpu_per_node(self) -> Quantity | None:
        """CPUs of one node that pods can use. None: unknown."""
        return None

    @property
    def memory_per_node(self) -> Quantity | None:
        """Memory in bytes of one node that pods can use. None: unknown."""
        return None

    @property
    def pod_network(self) -> PodNetwork | None:
        """Settings with which NCCL uses the fast network of the nodes. None: they have only the ordinary one."""
        return None

    def node_labels(self, pool: str) -> dict[str, str]:
        """Labels of the nodes of a pool with this name."""
        return {**self.labels, POOL_LABEL: pool}

    def placement(self, pool: str) -> Placement:
        """What pods need to be scheduled in the pool of this name. Plain values: no cloud is called.

        Raises InvalidSpecError for an invalid name.
        """
        try:
            _NAME.validate_python(pool)
        except ValidationError as error:
            violations = tuple(argument_violations(error, None, pool, "pool"))
            raise InvalidSpecError(violations, f"{type(self).__name__}.placement") from None
        return Placement(
            node_selector={POOL_LABEL: pool},
            tolerations=self.tolerations,
            gpu_resource=self.gpu_resource,
            gpus_per_node=self.machine.gpus,
            cpu_per_node=self.cpu_per_node,
            memory_per_node=self.memory_per_node,
            max_nodes=self.max_nodes or None,
            architecture=self.machine.arch,
            network=self.pod_network,
        )

    def violations(self) -> Iterator[Violation]:
        """Yield all errors and warnings. A provider's spec adds its own to `super().violations()`."""
        if "/mig-" in self.gpu_resource:
            message = f"Trainer does not count {self.gpu_resource}, so torch starts one process per CPU."
            fix = "Set the number of processes in runtimes, or use whole GPUs."
            yield Violation("POOL-10", "gpuResource", message, fix, Severity.WARNING)
        yield from reserved_labels(self.labels, self.reserved_domains)
        for key, value in self.labels.items():
            if key == POOL_LABEL:
                message = f"Label {POOL_LABEL} is reserved for the pool's name."
                yield Violation("POOL-01", f"labels[{key}]", message, "Remove it.")
            if not QUALIFIED_NAME.matches(key):
                message = f"{key!r} is not a valid label key: it must be {QUALIFIED_NAME}."
                yield Violation("POOL-07", f"labels[{key}]", message, "Rename the label.")
            if not LABEL_VALUE.matches(value):
                message = f"{value!r} is not a valid label value: it must be {LABEL_VALUE}."
                yield Violation("POOL-07", f"labels[{key}]", message, "Change the value.")

    def check(self) -> tuple[Violation, ...]:
        """All violations of the spec. They are warnings, because errors prevent its construction."""
        # A spec does not change, so it is checked once, when it is built.
        return self._violations_cache

    @model_validator(mode="wrap")
    @classmethod
    def _run_checks(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        unknown: list[InitErrorDetails] = []
        try:
            spec = handler(data)
        except ValidationError as error:
            # The rest is checked despite unknown keys, so that all errors are reported at once.
            unknown = [
                InitErrorDetails(type=said["type"], loc=said["loc"], input=said["input"])
                for said in error.errors(include_url=False)
                if said["type"] == "extra_forbidden" and len(said["loc"]) == 1
            ]
            if len(unknown) < error.error_count() or not isinstance(data, Mapping):
                raise
            spec = handler(remove_paths(data, [said["loc"] for said in unknown]))
        spec._violations_cache = tuple(spec.violations())
        stops = [
            InitErrorDetails(
                type=rule_error(found.rule, found.message, found.fix), loc=split_path(found.path), input=None
            )
            for found in spec._violations_cache
            if found.severity is Severity.ERROR
        ]
        if unknown or stops:
            raise ValidationError.from_exception_data(cls.__name__, [*unknown, *stops])
        return spec
