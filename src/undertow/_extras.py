"""What an extra brings: whether it is installed, and how to install it, worded once."""

from __future__ import annotations

from importlib.util import find_spec

from undertow._errors import InvalidInput

EXTRAS = {
    "stem": ("Stemmer",),
    "chinese": ("rjieba",),
    "japanese": ("fugashi", "unidic_lite"),
    "thai": ("pythainlp",),
    "paper": ("matplotlib", "Stemmer"),
    "search": ("lancedb",),
    "explorer": ("lancedb", "openTSNE", "plotly", "jinja2", "fastapi", "uvicorn"),
    "mcp": ("lancedb", "mcp"),
    "gpu": ("torch",),
    "cluster": ("ray",),
}
"""The modules of each extra, as they are imported."""

PACKAGES = {"Stemmer": "PyStemmer"}  # modules that are not named as the package that holds them


def missing(*modules: str) -> list[str]:
    """Those that are not installed, by the names of their packages."""
    return [PACKAGES.get(module, module) for module in modules if find_spec(module) is None]


def require(what: str, extra: str, *modules: str) -> None:
    """Refuses what needs these modules of an extra where they are not installed: said before any
    work is done.
    """
    packages = missing(*modules)
    if packages:
        are = "is" if len(packages) == 1 else "are"
        raise InvalidInput(
            f"{what} needs {' and '.join(packages)}, which {are} not installed: {command(extra)}"
        )


def command(extra: str) -> str:
    """What installs an extra."""
    return f"pip install 'undertow[{extra}]'"
