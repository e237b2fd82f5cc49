"""The documentation strings of the running Python's standard library and of undertow's own
dependencies.

A corpus that every user has already. Sources are read with `ast`; nothing is imported or executed,
nothing is downloaded.
"""

from __future__ import annotations

import ast
import re
import sysconfig
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

PACKAGES = (
    "numpy",
    "scipy",
    "sklearn",
    "polars",
    "numba",
    "joblib",
    "rich",
    "typer",
    "click",
    "safetensors",
)
SKIPPED_FOLDERS = {
    "test",
    "tests",
    "testing",
    "idlelib",
    "site-packages",
    "lib2to3",
    "externals",
    "_vendor",
    "__pycache__",
}
SHORTEST = 60  # characters; shorter strings say too little
# what follows is code, numbers and names of authors
NOT_PROSE = re.compile(r"\n(?:Examples?|References)\n-+")


@dataclass(frozen=True)
class DocumentedObject:
    r"""A function or class: `id` is its full name, `label` the package that it is in.

    Examples
    --------
    >>> from undertow.datasets import DocumentedObject
    >>> DocumentedObject("json.loads", "loads\nDeserialize JSON to an object.", "json").label
    'json'
    """

    id: str
    text: str
    label: str


def load_python_docs() -> list[DocumentedObject]:
    """The documentation of the running Python's libraries: about ten thousand functions and
    classes, in a fixed order, each text and each id once.

    Nothing is downloaded and nothing is executed: sources are read. The corpus differs with the
    versions of Python and of the libraries.

    Returns
    -------
    list of DocumentedObject
        With id, text and label.

    Examples
    --------
    >>> from undertow.datasets import load_python_docs
    >>> documents = load_python_docs()
    >>> len(documents) > 5000
    True
    >>> {"json", "argparse"} <= {document.label for document in documents}
    True
    """
    seen: set[str] = set()
    documents = []
    for module, source in _modules():
        for document in _documents(module, source):
            if document.text not in seen:
                seen.add(document.text)
                documents.append(document)
    return _with_ids_of_their_own(documents)


def _with_ids_of_their_own(documents: list[DocumentedObject]) -> list[DocumentedObject]:
    """The same documents; of those that share a name (a property and its setter, the branches of an
    `if`), the second is called "name (2)", and so on.
    """
    times: Counter[str] = Counter()
    named = []
    for document in documents:
        times[document.id] += 1
        n = times[document.id]
        named.append(document if n == 1 else replace(document, id=f"{document.id} ({n})"))
    return named


def _modules() -> Iterator[tuple[str, Path]]:
    """Dotted names and files of all modules."""
    yield from _modules_in(Path(sysconfig.get_paths()["stdlib"]), "")
    for package in PACKAGES:
        found = find_spec(package)  # of a top-level name this finds the folder and runs nothing
        for folder in (found.submodule_search_locations or []) if found else []:
            yield from _modules_in(Path(folder), package)


def _modules_in(folder: Path, package: str) -> Iterator[tuple[str, Path]]:
    for source in sorted(folder.rglob("*.py")):
        inside = source.relative_to(folder)
        if SKIPPED_FOLDERS.isdisjoint(inside.parts):
            parts = (
                package,
                *inside.parent.parts,
                "" if inside.stem == "__init__" else inside.stem,
            )
            yield ".".join(part for part in parts if part), source


def _documents(module: str, source: Path) -> Iterator[DocumentedObject]:
    try:
        tree = ast.parse(source.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError, OSError):
        return  # templates and odd encodings are no loss
    label = _label(module)
    for name, node in _named(tree.body, module):
        text = ast.get_docstring(node)
        if text and len(text) >= SHORTEST:
            prose = NOT_PROSE.split(text, maxsplit=1)[0]
            spoken = node.name.replace("_", " ")
            yield DocumentedObject(id=name, text=f"{spoken}\n{prose}", label=label)


def _label(module: str) -> str:
    """The package of a module: `scipy.sparse` of a dependency, `json` of the standard library."""
    package, *inside = module.split(".")
    if package in PACKAGES and inside and not inside[0].startswith("_"):
        return f"{package}.{inside[0]}"
    return package


def _named(
    body: list[ast.stmt], prefix: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    """Public functions and classes with their full names, methods included."""
    for node in body:
        if isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        ) and not node.name.startswith("_"):
            name = f"{prefix}.{node.name}"
            yield name, node
            if isinstance(node, ast.ClassDef):
                yield from _named(node.body, name)
