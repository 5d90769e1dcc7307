"""The site of `make docs`: hooks that MkDocs calls (`mkdocs.yml`).

Pages keep the paths that they have in the repository, so that the links between them are the same on the site and in a
checkout. The site has the pages of `docs`, those beside it (README, changelog and so on), the files that pages link to,
and a page with the public names of the package, made from their docstrings.
"""

import os
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import components
from components.runtimes import catalog

PROJECT = Path(__file__).parent.parent
PACKAGES = PROJECT / ".local" / "docs"
"""The folder in which the components have the name that the wheel gives them, `training_platform`."""

PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md")
"""Pages outside of `docs`."""

API = "docs/api.md"
"""Page whose second part is replaced by the reference."""


def on_startup(**_: object) -> None:
    """Give the components the name of the package, for mkdocstrings to find."""
    PACKAGES.mkdir(parents=True, exist_ok=True)
    link = PACKAGES / "training_platform"
    if not link.is_symlink():
        link.symlink_to(os.path.relpath(PROJECT / "components", PACKAGES))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace the files of `docs` by all that are part of the site, at their paths in the repository."""
    theme = [file for file in files if not Path(file.abs_src_path or "").is_relative_to(config.docs_dir)]
    docs = [path.relative_to(PROJECT).as_posix() for path in (PROJECT / "docs").rglob("*") if path.is_file()]
    pages = [*PAGES, *docs]
    linked = {target for page in pages if page.endswith(".md") for target in linked_files(page)}
    found = [
        File.generated(config, path, abs_src_path=str(PROJECT / path)) for path in sorted({*pages, *linked} - {API})
    ]
    return Files([*theme, *found, File.generated(config, API, content=api_page())])


def linked_files(page: str) -> set[str]:
    """Files of the repository that a page links to, by their paths, other pages left out."""
    text = (PROJECT / page).read_text(encoding="utf-8")
    targets = (os.path.normpath((PROJECT / page).parent / link) for link in re.findall(r"\]\(([^)#\s:]+)", text))
    return {
        os.path.relpath(target, PROJECT) for target in targets if os.path.isfile(target) and not target.endswith(".md")
    }


def api_page() -> str:
    """The page of the package's public names and of the classes of their arguments."""
    public = [getattr(components, name) for name in components.__all__]
    arguments = [getattr(sys.modules[each.__module__], f"{each.__name__}Args", None) for each in public]
    options = [getattr(catalog, name) for name in catalog.__all__ if name.endswith("Options")]
    documented = dict.fromkeys([*public, *filter(None, arguments), *options])
    paths = [
        f"{each.__module__}.{each.__qualname__}".replace("components", "training_platform", 1) for each in documented
    ]
    directives = "\n".join(f"::: {path}\n" for path in paths)
    introduction, _, _ = (PROJECT / API).read_text(encoding="utf-8").partition("The reference is part of the site")
    return introduction + directives
