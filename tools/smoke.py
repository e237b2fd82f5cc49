"""Packages, tried as a stranger would: `make smoke`.

Builds sdist and wheel, installs the wheel in an empty environment outside of the checkout, and runs
`smoke_steps.py` there: with the core alone, then with each extra. What an extra brought is taken
out again before the next, so each stands on the core alone.

python -m tools.smoke [--only core,search] [PYTHON ...]    # else python3.11, 3.12, ... on the PATH
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tools import dist

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
STEPS = Path(__file__).with_name("smoke_steps.py")
FOR_DEVELOPERS = {"bench", "dev", "docs"}
KEPT = {"pip", "setuptools", "wheel"}
INSIDE = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


class Failed(Exception):
    """What a command said before it ended with something other than 0."""


def ran(command: Sequence[str | Path], place: Path) -> str:
    """What a command prints."""
    done = subprocess.run(command, cwd=place, env=INSIDE, capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stdout + done.stderr)
    return done.stdout


def asked_for() -> list[str]:
    """The core, and every extra that is for users."""
    return ["core", *(one for one in PROJECT["optional-dependencies"] if one not in FOR_DEVELOPERS)]


def on_the_path() -> list[str]:
    """Interpreters that undertow allows and that run: one may be found and still not start."""
    allowed = SpecifierSet(PROJECT["requires-python"])
    names = [f"python3.{minor}" for minor in range(11, 20) if f"3.{minor}" in allowed]
    return [name for name in names if shutil.which(name) and runs(name)]


def runs(python: str) -> bool:
    """Whether it starts, and can make environments."""
    asked = [python, "-c", "import ensurepip, venv"]
    return subprocess.run(asked, capture_output=True).returncode == 0


def packages_for(extra: str, wheel: Path) -> list[str]:
    """What pip is told to install. For the extra gpu, the build of torch for the CPU in the version
    that is tested: a plain `torch` may bring gigabytes for cards.
    """
    if extra == "core":
        return [str(wheel)]
    if extra != "gpu":
        return [f"{wheel}[{extra}]"]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [str(wheel), *(f"{line}+cpu" for line in lines if line.startswith("torch=="))]


class Environment:
    """An empty one, with the wheel and its core."""

    def __init__(self, python: str, place: Path, wheel: Path) -> None:
        self.place, self.wheel = place, wheel
        ran([python, "-m", "venv", place / "environment"], place)
        scripts = "Scripts" if sys.platform == "win32" else "bin"
        self.python = place / "environment" / scripts / "python"
        self.install("core")
        self.core = self.installed()

    def pip(self, *words: str | Path) -> str:
        """Runs pip inside."""
        return ran([self.python, "-m", "pip", "--disable-pip-version-check", *words], self.place)

    def install(self, extra: str) -> None:
        """As a user does, with the newest versions that there are."""
        prebuilt = [] if extra == "japanese" else ["--only-binary", ":all:"]  # a source of files
        self.pip("install", "-q", *prebuilt, *packages_for(extra, self.wheel))

    def installed(self) -> dict[str, str]:
        """Versions by name."""
        lines = self.pip("list", "--format", "freeze").splitlines()
        pairs = (line.split("==") for line in lines if "==" in line)
        return {canonicalize_name(name): version for name, version in pairs}

    def back_to_the_core(self) -> None:
        """Takes out what an extra brought."""
        more = self.installed().keys() - self.core.keys() - KEPT
        if more:
            self.pip("uninstall", "-q", "-y", *sorted(more))

    def megabytes(self) -> float:
        """What stands on disk besides pip, without what Python compiled."""
        site = next((self.place / "environment").rglob("site-packages"))
        paths = (path for path in site.rglob("*") if path.is_file() and path.suffix != ".pyc")
        ours = (path for path in paths if path.relative_to(site).parts[0].split("-")[0] not in KEPT)
        return sum(path.lstat().st_size for path in ours) / 1e6

    def steps(self, extra: str) -> None:
        """Runs them, without the folder of this file on the path."""
        ran([self.python, "-P", STEPS, extra], self.place)


def tried(python: str, wheel: Path, extras: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Extras, each with what came of it: a line that begins with "ok", "left out" or "FAILED"."""
    with tempfile.TemporaryDirectory(prefix="undertow-smoke-") as folder:
        environment = Environment(python, Path(folder), wheel)
        core = f"{len(environment.core.keys() - KEPT)} packages, {environment.megabytes():.0f} MB"
        for extra in dict.fromkeys(("core", *extras)):  # the others use the core's model
            try:
                environment.install(extra)
            except Failed as failure:
                fine = "left out" if extra == "gpu" else "FAILED to install"
                yield extra, f"{fine}: {str(failure).strip().splitlines()[-1]}"
                continue
            try:
                environment.steps(extra)
                yield extra, f"ok, {core}" if extra == "core" else "ok"
            except Failed as failure:
                yield extra, f"FAILED: {str(failure).strip()}"
            environment.back_to_the_core()


def main() -> int:
    """Tries all, prints a line for each, and returns 1 if any failed."""
    parser = argparse.ArgumentParser(description="Installs the wheel elsewhere and uses it.")
    parser.add_argument("--only", help="'core' and extras, with commas between them")
    parser.add_argument("pythons", nargs="*", metavar="PYTHON")
    given = parser.parse_args()
    extras = given.only.split(",") if given.only else asked_for()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="undertow-dist-") as folder:
        built = dist.build(ROOT, Path(folder), dist.EARLIEST)
        wheel = next(path for path in built if path.suffix == ".whl")
        for python in given.pythons or on_the_path():
            print(ran([python, "--version"], ROOT).strip(), flush=True)
            for extra, came in tried(python, wheel, extras):
                print(f"  {extra:10} {came}", flush=True)
                failed += came.startswith("FAILED")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
