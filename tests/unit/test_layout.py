"""Where tests are: beside the module that they test, and what several of them use in modules of its own."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FILES = sorted((ROOT / "tests").rglob("*.py"))
ROOMS = ("bench", "components", "stacks", "tools")
MODULES = [ROOT / "__main__.py", *(file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py")))]

RULES, CASES = ROOT / "components/runtimes/rules", ROOT / "tests/unit/runtimes/rules/cases"

BRANCHES = (ast.BoolOp, ast.For, ast.If, ast.IfExp, ast.Match, ast.Try, ast.While, ast.comprehension)


TESTED_BY: dict[str, tuple[str, ...]] = {
    # A function of the catalogue or of `explain`, which is tested as a whole: its result is compared, not its steps.
    "tests/unit/runtimes/catalog/test_options.py": (
        "components/runtimes/catalog/common_spec.py",
        "components/runtimes/catalog/flux.py",
        "components/runtimes/catalog/pod_templates.py",
        "components/runtimes/catalog/torch_with_cache.py",
        "components/runtimes/catalog/torchtune.py",
        "components/runtimes/catalog/volume_claim.py",
    ),
    "tests/unit/runtimes/catalog/test_catalog.py": ("components/runtimes/catalog/runtime_factory.py",),
    "tests/unit/runtimes/catalog/test_checks.py": ("components/runtimes/catalog/option_errors.py",),
    "tests/unit/runtimes/explain/policies/test_plain.py": (
        "components/runtimes/explain/environment.py",
        "components/runtimes/explain/node_resources.py",
    ),
    "tests/unit/runtimes/explain/test_explainer.py": (
        "components/runtimes/explain/reconciliation.py",
        "components/runtimes/explain/volumes.py",
    ),
    "tests/unit/runtimes/explain/test_output.py": ("components/runtimes/explain/explanation.py",),
    # Models: what each accepts and refuses is compared with upstream's CRD, field by field.
    "tests/unit/runtimes/test_runtime_crd.py": (
        "components/runtimes/api.py",
        "components/runtimes/jobset.py",
        "components/runtimes/ml_policy.py",
    ),
    # A part of one spec, whose mistakes are reported by the whole.
    "tests/unit/gpu_node_pool/karpenter/test_checks.py": ("components/gpu_node_pool/karpenter/node_class.py",),
    "tests/unit/runtimes/rules/test_rules.py": ("components/runtimes/rules/kubernetes/claims.py",),
    "tests/unit/stacks/test_upgrade.py": ("stacks/cluster_client.py",),
    "tests/unit/stacks/settings/test_inheritance.py": ("stacks/settings/model.py",),
    "tests/unit/validation/test_argument_errors.py": ("components/validation/pydantic_errors.py",),
    # Rules for TrainJobs, which their cases break one by one.
    "tests/unit/runtimes/pair_rules/test_pair_rules.py": (
        "components/runtimes/pair_rules/api_server.py",
        "components/runtimes/pair_rules/gangs.py",
        "components/runtimes/pair_rules/jobset.py",
        "components/runtimes/pair_rules/kubernetes.py",
        "components/runtimes/pair_rules/pair.py",
        "components/runtimes/pair_rules/patched.py",
        "components/runtimes/pair_rules/pool.py",
        "components/runtimes/pair_rules/resources.py",
        "components/runtimes/pair_rules/trainer/flux.py",
        "components/runtimes/pair_rules/trainer/initializers.py",
        "components/runtimes/pair_rules/trainer/mpi.py",
        "components/runtimes/pair_rules/trainer/patches.py",
        "components/runtimes/pair_rules/trainer/reconciliation.py",
        "components/runtimes/pair_rules/trainer/references.py",
        "components/runtimes/pair_rules/trainer/torchtune.py",
        "components/runtimes/pair_rules/trainer/training.py",
        "components/runtimes/pair_rules/trainer/variables.py",
    ),
    # A run of a training, observed from its begin to its end.
    "tests/unit/training_validation/test_causes.py": ("components/training_validation/diagnosis.py",),
    "tests/unit/training_validation/test_run.py": (
        "components/training_validation/observer.py",
        "components/training_validation/report_config_map.py",
        "components/training_validation/timeline.py",
    ),
    "tests/unit/runtimes/test_runtimes_imports.py": ("components/runtimes/__init__.py",),
    # A generated page: the file that is checked in is compared with a new one.
    "tests/unit/docs/test_runtime_rules.py": ("components/runtimes/rules/__main__.py",),
    "tests/unit/docs/test_train_job_rules.py": ("components/runtimes/pair_rules/__main__.py",),
    "tests/unit/stacks/reference/test_json_schema.py": ("stacks/reference/page.py",),
    # A step of a deployment, which needs an engine.
    "tests/component/platform/test_component.py": (
        "components/platform/connection.py",
        "components/platform/spec.py",
    ),
    "tests/component/platform/test_layers.py": ("components/cluster/stack_identity.py",),
    # What starts clusters, containers and kubelets, and does nothing without them.
    "tests/e2e/test_launch_order.py": ("tools/train_job_timeline.py",),
    "tests/e2e/test_operators_rename.py": ("tools/demo_training.py",),
    "tests/e2e/test_sandbox.py": ("tools/real_pods/network.py", "tools/real_pods/sandbox.py"),
    "tests/e2e_pods/test_frameworks.py": (
        "tools/real_pods/image_archive.py",
        "tools/real_pods/images.py",
    ),
    "tests/e2e_pods/test_programs.py": (
        "tools/real_pods/__main__.py",
        "tools/real_pods/background_process.py",
        "tools/real_pods/container_runtime.py",
        "tools/real_pods/kube_proxy.py",
        "tools/real_pods/kubelet.py",
        "tools/real_pods/nodes.py",
    ),
    "tests/unit/bench/test_workspaces.py": ("tools/workspace.py",),
}
"""The modules without test modules of their own, each below the test module that tests it."""

UNTESTED = (
    "bench/__main__.py",
    "bench/engine_cost.py",
    "bench/mock_engine.py",
    "bench/plot.py",
    "bench/program_cost.py",
    "bench/runtime_cost.py",
    "tools/docs_site.py",
)
"""Modules that only `make bench` and `make docs` run: they measure or build, and need packages of their own."""

ABOUT_NO_MODULE = {
    "tests/component/stacks/test_environments.py": "stacks/Pulumi.{dev,staging,prod}.yaml",
    "tests/component/stacks/test_example_stacks.py": "stacks/Pulumi.example-*.yaml",
    "tests/component/test_examples.py": "examples",
    "tests/component/test_plain_mocks.py": "docs/testing.md, and every component",
    "tests/unit/test_ci.py": ".ci and .github",
    "tests/unit/test_fuzz.py": "what reads files, with any content",
    "tests/unit/test_layout.py": "tests",
    "tests/unit/test_requirements.py": "requirements",
    "tests/unit/test_wheel.py": "pyproject.toml",
}
"""What the other test modules are about. Those of tests/unit/docs are about pages, those of e2e about uses."""


def imported(file: Path) -> Iterator[str]:
    """The names of all modules that a file imports, and of what it imports from them."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=module, names=names):
                yield module or ""
                yield from (name.name for name in names)


def is_test_module(name: str) -> bool:
    return name.rpartition(".")[2].startswith("test_")


def has_logic(file: Path) -> bool:
    """Whether a function of the file does one thing or another. What only declares is tested by those that use it."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(
        isinstance(node, BRANCHES)
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(function, functions)
        for node in ast.walk(function)
    )


def place_of(module: Path) -> Path:
    """Where below tests/unit or tests/component the tests of a module are; those of a package are inside of it."""
    folder = module.parent.relative_to(ROOT)
    if folder.parts[:1] == ("components",):
        folder = folder.relative_to("components")
    name = module.parent.name if module.stem == "__init__" else module.stem.strip("_")
    return folder / f"test_{name}.py"


def has_own_tests(module: Path) -> bool:
    """Whether a module has a test module, or as one of rules has cases for the tests of all rules."""
    if module.is_relative_to(RULES) and (CASES / module.relative_to(RULES)).is_file() and module.parent != RULES:
        return True
    return any((ROOT / "tests" / kind / place_of(module)).is_file() for kind in ("unit", "component"))


def about_no_module(test: Path) -> bool:
    """Whether the name of a test module is not that of a module, nor begins with it: `test_<module>_<subject>.py`."""
    _, _, *folders, name = test.relative_to(ROOT).with_suffix("").parts
    places = {place.with_suffix("") for place in map(place_of, MODULES)}
    words = name.split("_")
    return not any(Path(*folders, "_".join(words[:count])) in places for count in range(2, len(words) + 1))


def test_module_with_logic_has_a_test_module_of_its_name() -> None:
    without = [str(module.relative_to(ROOT)) for module in MODULES if has_logic(module) and not has_own_tests(module)]
    assert sorted(without) == sorted([*(module for modules in TESTED_BY.values() for module in modules), *UNTESTED])


def test_test_module_that_tests_other_modules_exists() -> None:
    assert [test for test in TESTED_BY if not (ROOT / test).is_file()] == []


def test_test_module_has_the_name_of_a_module() -> None:
    tests = [
        file
        for file in FILES
        if file.name.startswith("test_") and file.relative_to(ROOT).parts[1] in ("unit", "component")
        if not file.is_relative_to(ROOT / "tests/unit/docs")
    ]
    assert {str(test.relative_to(ROOT)) for test in tests if about_no_module(test)} == {*ABOUT_NO_MODULE}


@pytest.mark.parametrize(
    ("code", "logic"),
    [
        ("A = [each for each in range(3)]\nif A:\n    B = 1\n", False),
        ("def a(b: int) -> int:\n    return b + 1\n", False),
        ("def a(b: int) -> int:\n    return 1 if b else 2\n", True),
        ("class A:\n    async def a(self, b: int) -> list[int]:\n        return [each for each in [b]]\n", True),
    ],
)
def test_module_whose_functions_have_a_branch_has_logic(code: str, logic: bool, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(code)
    assert has_logic(file) is logic


@pytest.mark.parametrize(
    ("module", "place"),
    [
        ("components/jobset.py", "test_jobset.py"),
        ("components/runtimes/rules/__init__.py", "runtimes/rules/test_rules.py"),
        ("stacks/__main__.py", "stacks/test_main.py"),
        ("__main__.py", "test_main.py"),
    ],
)
def test_tests_are_in_the_folders_of_their_modules(module: str, place: str) -> None:
    assert place_of(ROOT / module) == Path(place)


@pytest.mark.parametrize(
    ("test", "is_about_none"),
    [
        ("tests/unit/cluster/test_client.py", False),
        ("tests/unit/cluster/test_client_timeouts.py", False),
        ("tests/unit/cluster/test_timeouts.py", True),
        ("tests/unit/test_client.py", True),
    ],
)
def test_name_of_a_test_module_begins_with_that_of_a_module_beside_it(test: str, is_about_none: bool) -> None:
    assert about_no_module(ROOT / test) is is_about_none


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_module_imports_a_test_module(file: Path) -> None:
    assert [name for name in imported(file) if is_test_module(name)] == []


def test_an_import_of_a_test_module_is_found(tmp_path: Path) -> None:
    file = tmp_path / "test_a.py"
    file.write_text(
        "from . import test_b\nfrom .test_c import D\nimport tests.test_e\nfrom .helper import test_data_of\n"
    )
    assert [name for name in imported(file) if is_test_module(name)] == [
        "test_b",
        "test_c",
        "tests.test_e",
        "test_data_of",
    ]
