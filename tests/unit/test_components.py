"""The public names of the package, each imported when it is used."""

import subprocess
import sys

import pytest

import components


@pytest.mark.parametrize("name", components.__all__)
def test_public_name_is_that_of_its_module(name: str) -> None:
    found = getattr(components, name)
    assert (found.__name__, found.__module__.partition(".")[0]) == (name, "components")
    assert name in dir(components)


def test_other_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^module 'components' has no attribute 'jobSet'$"):
        components.jobSet  # noqa: B018 - that it is looked up is the test


def test_importing_the_package_imports_none_of_its_modules() -> None:
    program = "import sys, components; print([name for name in sys.modules if name.startswith('components.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
