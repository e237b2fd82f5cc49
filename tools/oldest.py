"""The oldest versions that pyproject.toml allows, tried: `make test-oldest`.

Makes an environment outside of the checkout with exactly the lower bounds of the core and of the
extras, on the oldest Python, and runs quick tests there. A bound that cannot be installed beside
the others, or that pip would not take, is told by its name. Tools of the tests are not held back
for it: they come in any version that goes with the bounds.

python -m tools.oldest [PYTHON] [-- PYTEST ARGUMENTS]
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LEFT_OUT = {"gpu", "bench", "docs", "dev"}  # an old torch for the CPU alone may not be at hand
CLIENT = "httpx>=0.28"  # by which tests ask the explorer, where starlette is old
TOOLS = ("pytest", "hypothesis", "pandas", "packaging")  # of the extra dev
TESTS = (
    *("corpus/test_readers.py", "corpus/test_vectorizer.py", "corpus/test_segmentation.py"),
    *(
        "estimators/test_topic_model.py",
        "estimators/test_scikit_learn.py",
        "kernels/test_gather.py",
    ),
    *("storage/test_model.py", "storage/test_round_trip.py", "tasks", "topics/test_grow.py"),
    *("search/test_index.py", "cli/test_commands.py", "cli/test_search.py", "assistant"),
    *("insight/test_overview.py", "plot/test_figures.py", "report/test_write.py"),
    *("explorer/test_api.py", "paper/test_plots.py"),
)
"""What touches each dependency."""


def lower_bounds() -> dict[str, str]:
    """Versions by package: of the core, and of the extras that are tried."""
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"]]
    lines += [line for name, part in extras.items() if name not in LEFT_OUT for line in part]
    return dict(bound(line) for line in lines)


def bound(line: str) -> tuple[str, str]:
    """Package and lower bound; each has one, and nothing else."""
    needed = Requirement(line)
    asked = list(needed.specifier)
    if [one.operator for one in asked] != [">="]:
        raise SystemExit(f"{line} must have a lower bound alone")
    return canonicalize_name(needed.name), asked[0].version


def oldest_python() -> str:
    """As it is called on the PATH."""
    lowest = str(PROJECT["requires-python"]).split(",")[0]
    return "python" + lowest.removeprefix(">=")


def requirements() -> list[str]:
    """Bounds as exact versions, and the tools with their own bounds."""
    lines = PROJECT["optional-dependencies"]["dev"]
    dev = {Requirement(one).name: one for one in lines}
    exact = [f"{name}=={version}" for name, version in lower_bounds().items()]
    return [*exact, *(dev[name] for name in TOOLS), CLIENT]


def install(python: str, place: Path) -> Path:
    """Makes the environment; where its interpreter is."""
    uv = str(Path(sysconfig.get_path("scripts")) / "uv")
    environment = str(place / "environment")
    for command in (
        [uv, "venv", "-q", "--python", python, environment],
        [uv, "pip", "install", "-q", "--python", environment, *requirements()],
    ):
        if subprocess.run(command, cwd=place).returncode:
            raise SystemExit("the lower bounds cannot be installed together")
    return Path(environment) / "bin" / "python"


def main() -> int:
    """Installs, says what, and runs the tests."""
    given, _, more = (" ".join(sys.argv[1:]) + " ").partition("-- ")
    with tempfile.TemporaryDirectory(prefix="undertow-oldest-") as folder:
        inside = install(given.strip() or oldest_python(), Path(folder))
        print(
            *sorted(f"{name} {one}" for name, one in lower_bounds().items()), sep=", ", flush=True
        )
        tests = [f"tests/{name}" for name in TESTS]
        asked = more.split() or [*tests, "-m", "not slow and not torture and not data"]
        # Old packages warn of new ones: of Python, pytest, pyparsing. Here that is no error.
        command = [
            str(inside),
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-W",
            "default",
            *asked,
        ]
        apart = {"NUMBA_CACHE_DIR": str(Path(folder) / "kernels"), "PYTHONPATH": str(ROOT / "src")}
        return subprocess.run(command, cwd=ROOT, env={**os.environ, **apart}).returncode


if __name__ == "__main__":
    sys.exit(main())
