"""The wheel in a program of someone else: it imports as `training_platform`, has its data, says what is missing, and
works with the lowest and the newest packages that it allows."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path

import pytest
from hatchling.build import build_wheel
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, canonicalize_version

PROJECT = Path(__file__).parent.parent.parent
METADATA = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = METADATA["optional-dependencies"]
DEPENDENCIES: list[str] = [
    each
    for each in [*METADATA["dependencies"], *EXTRAS["pulumi"], *EXTRAS["official-models"]]
    if not each.startswith(METADATA["name"])
]
PROGRAM = """
import sys

from training_platform.gpu_node_pool import GkePool, GpuNodePool, MissingSdkError
from training_platform.runtimes import deepspeed

pool = GkePool(
    provider="gke", cluster="c", location="us-central1", zones=["us-central1-a"], machine_type="a2-highgpu-8g",
    size={"max": 2},
)
print(deepspeed(placement=pool.placement("a100")).metadata.name)
sys.modules["pulumi_gcp"] = None
try:
    GpuNodePool("a100", {"spec": pool})
except MissingSdkError as missing:
    print(missing)
"""


SERVER = """
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

NAMESPACES = "/api/v1/namespaces/"


class ApiServer(BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.removeprefix(NAMESPACES)
        status, answer = 200, {"gitVersion": "v1.34.0", "asked": self.path}
        if name == "kube-system":
            answer = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "uid": "the-id"}}
        elif self.path.startswith(NAMESPACES):
            details = {"name": name, "kind": "namespaces"}
            status, answer = 404, {"kind": "Status", "status": "Failure", "reason": "NotFound", "details": details}
            answer["apiVersion"] = "v1"
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), ApiServer)
threading.Thread(target=server.serve_forever, daemon=True).start()
kubeconfig = json.dumps({
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
    "users": [{"name": "c", "user": {}}],
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
    "current-context": "c",
})
"""
CALLS = f"""{SERVER}
from training_platform import ClusterClient

print(ClusterClient("c", kubeconfig).get("/version"))
"""
DEPLOYMENT = f"""{SERVER}
import pulumi
from pulumi.runtime import mocks

made = []


class Monitor(mocks.Mocks):
    def new_resource(self, args):
        made.append((args.typ, args.name))
        outputs = dict(args.inputs)
        if args.typ == "pulumi:index:Stash":
            outputs["output"] = outputs["input"]
        return f"{{args.name}}-id", outputs

    def call(self, args):
        return {{}}


mocks.set_mocks(Monitor(), preview=False)

from training_platform import TrainingPlatform, deepspeed, torch


@pulumi.runtime.test
def deploy():
    runtimes = [deepspeed(volumes={{"/data": {{"name": "data", "empty_dir": {{}}}}}}), torch()]
    args = {{"kubeconfig": pulumi.Output.secret(kubeconfig), "runtimes": runtimes}}
    return TrainingPlatform("training", args).runtimes


deploy()
for kind, name in sorted(made):
    print(kind, name)
"""
WRONG = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: wrong}
spec:
  mlPolicy: {mpi: {mpiImplementation: OpenMPI, sshAuthMountPath: 7}}
  template:
    spec:
      replicatedJobs:
      - name: node
        replicas: two
        template: {spec: {template: {spec: {containers: [{image: a, resources: {requests: {cpu: true}}}]}}}}
"""

RARE = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: rare}
spec:
  mlPolicy: {torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          spec: {template: {spec: {containers: [{name: node}], volumes: [{name: a, flocker: {datasetName: b}}]}}}
"""


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, cwd=cwd, env=env, capture_output=True, text=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the tree."""
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PROJECT)
        return folder / build_wheel(str(folder))


@pytest.fixture(scope="module")
def site(wheel: Path) -> Path:
    """A folder of packages that has the wheel and nothing else."""
    folder = wheel.parent / "site"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-deps", "--target", folder, wheel], check=True)
    return folder


@pytest.fixture(scope="module", params=["lowest-direct", "highest"])
def python(request: pytest.FixtureRequest, wheel: Path) -> Path:
    """A Python that has the wheel with the lowest packages that it allows, or with the newest: what its users have,
    and no lock says."""
    return install(wheel, request.param)


@pytest.fixture(scope="module", params=["lowest-direct", "highest"])
def linter(request: pytest.FixtureRequest, wheel: Path) -> Path:
    """A Python that has the wheel without extras."""
    return install(wheel, request.param, METADATA["dependencies"], f"linter-{request.param}")


def install(wheel: Path, resolution: str, packages: Sequence[str] = DEPENDENCIES, name: str = "") -> Path:
    """Install the wheel with packages, and return the Python that has it. Each folder is made once."""
    folder = wheel.parent / (name or resolution)
    uv = Path(sys.executable).parent / "uv"
    python = folder / "bin" / "python"
    if not folder.exists():
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder], check=True)
        command: list[str | Path] = [uv, "pip", "install", "--quiet", "--python", python, "--only-binary", ":all:"]
        subprocess.run([*command, "--resolution", resolution, wheel, *packages], check=True)
    return python


def lower_bound(requirement: str) -> tuple[str, str]:
    asked = Requirement(requirement)
    (version,) = [each.version for each in asked.specifier if each.operator == ">="]
    return asked.name, version


def test_the_wheel_works_in_a_program_of_someone_else(site: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        check=False,
        cwd=site,
        env={"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "deepspeed-distributed",
        "GPU node pools of provider `gke` need pulumi_gcp: pip install 'training-platform[gke]'",
    ]


def test_the_lowest_packages_are_those_of_the_bounds(wheel: Path) -> None:
    site = next((install(wheel, "lowest-direct").parent.parent / "lib").glob("python*")) / "site-packages"
    installed = {canonicalize_name(each.name): each.version for each in distributions(path=[str(site)])}
    for name, version in map(lower_bound, DEPENDENCIES):
        assert canonicalize_version(installed[canonicalize_name(name)]) == canonicalize_version(version), name


def test_a_call_gets_its_answer(python: Path, tmp_path: Path) -> None:
    done = run(python, "-c", CALLS, cwd=tmp_path)
    assert (done.stderr, done.stdout) == ("", "{'gitVersion': 'v1.34.0', 'asked': '/version'}\n")


def test_a_program_deploys_under_mocks(python: Path, tmp_path: Path) -> None:
    done = run(python, "-c", DEPLOYMENT, cwd=tmp_path, env=os.environ | {"PULUMI_TEST_MODE": "true"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "kubernetes:core/v1:ConfigMap training-gate",
        "kubernetes:core/v1:Namespace training-jobset",
        "kubernetes:core/v1:Namespace training-trainer",
        "kubernetes:helm.sh/v4:Chart training-jobset",
        "kubernetes:helm.sh/v4:Chart training-trainer",
        "kubernetes:trainer.kubeflow.org/v1alpha1:ClusterTrainingRuntime training-runtimes:deepspeed-distributed",
        "kubernetes:trainer.kubeflow.org/v1alpha1:ClusterTrainingRuntime training-runtimes:torch-distributed",
        "pulumi:index:Stash training-identity",
        "pulumi:providers:kubernetes training-cluster",
        "pulumi:providers:kubernetes training-operators",
        "pulumi:providers:kubernetes training-runtimes",
        "training-platform:index:JobSet training-jobset",
        "training-platform:index:KubeflowTrainer training-trainer",
        "training-platform:index:TrainingGate training-gate",
        "training-platform:index:TrainingPlatform training",
        "training-platform:index:TrainingRuntimes training-runtimes",
    ]


def test_the_linter_needs_pydantic_and_pyyaml_alone(linter: Path, tmp_path: Path) -> None:
    site = next((linter.parent.parent / "lib").glob("python*")) / "site-packages"
    names = {canonicalize_name(each.name) for each in distributions(path=[str(site)])}
    of_pydantic = {"annotated-types", "pydantic-core", "typing-extensions", "typing-inspection"}
    assert names == {"training-platform", "pydantic", "pyyaml"} | of_pydantic

    (tmp_path / "wrong.yaml").write_text(WRONG)
    command = linter.parent / "training-runtimes"
    found = run(command, "check", "wrong.yaml", cwd=tmp_path)
    there = run(sys.executable, "-m", "components.runtimes", "check", tmp_path / "wrong.yaml", cwd=PROJECT)
    assert (found.stdout, found.stderr) == (there.stdout.replace(f"{tmp_path}/", ""), "")
    assert found.returncode == there.returncode == 1

    printed = run(command, "print", "deepspeed", "--option", "gpusPerNode=8", cwd=tmp_path)
    assert (printed.returncode, printed.stderr) == (0, "")
    (tmp_path / "deepspeed.yaml").write_text(printed.stdout)
    good = run(command, "check", "--strict", "deepspeed.yaml", cwd=tmp_path)
    assert good.stdout == "0 errors, 0 warnings; 1 valid runtime.\n"


@pytest.mark.parametrize(
    ("statement", "module"),
    [
        ("from training_platform import JobSet", "jobset"),
        ("import training_platform.gpu_node_pool.eks", "gpu_node_pool"),
        ("import training_platform.kubeflow_trainer", "kubeflow_trainer"),
        ("import training_platform.training_gate", "training_gate"),
        ("from training_platform.training_runtimes import TrainingRuntimes", "training_runtimes"),
    ],
)
def test_a_component_without_pulumi_says_what_to_install(
    statement: str, module: str, linter: Path, tmp_path: Path
) -> None:
    done = run(linter, "-c", statement, cwd=tmp_path)
    assert done.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: training_platform.{module} needs pulumi: pip install 'training-platform[pulumi]'"
    )
    assert "During handling" not in done.stderr


def test_a_rare_field_without_the_official_models_says_what_to_install(linter: Path, tmp_path: Path) -> None:
    (tmp_path / "rare.yaml").write_text(RARE)
    found = run(linter, "-m", "training_platform.runtimes", "check", "rare.yaml", cwd=tmp_path)
    assert "[CTR-38]" in found.stdout, found.stdout
    assert "Fix: Run: pip install 'training-platform[official-models]'\n" in found.stdout


def test_the_linter_finds_the_same(python: Path, tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text(WRONG)
    check = ("-m", "training_platform.runtimes", "check", "wrong.yaml")
    found = run(python, *check, cwd=tmp_path)
    there = run(sys.executable, "-m", "components.runtimes", "check", tmp_path / "wrong.yaml", cwd=PROJECT)
    assert found.stdout == there.stdout.replace(f"{tmp_path}/", "")
    assert found.returncode == there.returncode == 1
