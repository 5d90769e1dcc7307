"""Packages that only a part of this one needs: what to install where one is missing."""

EXTRAS = {
    "pulumi": ("pulumi", "pulumi_kubernetes", "urllib3"),
    "official-models": ("kubeflow_trainer_api",),
}
"""The extras of pyproject.toml whose packages are imported directly, each with the modules that it brings."""


def missing_extra(extra: str, error: ModuleNotFoundError, module: str) -> ModuleNotFoundError:
    """The exception to raise instead of `error`, which `module` met. `error` itself if the extra does not bring the
    missing module."""
    missing = (error.name or "").partition(".")[0]
    if missing not in EXTRAS[extra]:
        return error
    return ModuleNotFoundError(f"{module} needs {missing}: {install_command(extra, module)}", name=error.name)


def install_command(extra: str, module: str) -> str:
    """The command that installs an extra. `module` is any module of this package: in a checkout its name begins with
    `components`, and all packages come from requirements.txt."""
    if module.startswith("components."):
        return "pip install -r requirements.txt"
    return f"pip install 'training-platform[{extra}]'"
