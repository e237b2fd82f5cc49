"""What undertow brings along: locked with hashes, under licences that are compatible, and built to
the same bytes.
"""

from __future__ import annotations

import re
import shutil
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import dist, licences, oldest, smoke, smoke_steps

ROOT = Path(__file__).parents[2]
OURS_ALONE = {".editorconfig", ".gitignore", ".pre-commit-config.yaml", ".coverage"}
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)


def pinned(name: str) -> dict[str, str]:
    """Versions by name in a file of requirements."""
    found = PINNED.findall((ROOT / name).read_text(encoding="utf-8"))
    return {canonicalize_name(package): version for package, version in found}


def test_what_is_locked_has_hashes_and_the_versions_of_the_constraints() -> None:
    locked, constrained = pinned("requirements-dev.txt"), pinned("constraints.txt")
    text = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=\S)", text.strip())
    assert len(blocks) == len(locked)
    assert all("--hash=sha256:" in block for block in blocks)
    both = locked.keys() & constrained.keys()
    assert len(both) > 90
    assert {name: locked[name] for name in both} == {name: constrained[name] for name in both}


def test_all_that_the_tests_need_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = project["dependencies"] + extras["explorer"] + extras["dev"]
    locked = pinned("requirements-dev.txt")
    for needed in map(Requirement, lines):
        version = locked.get(canonicalize_name(needed.name))
        assert version is not None, f"run `make lock`: {needed.name} is not locked"
        assert version in needed.specifier, f"run `make lock`: {needed} and {version}"


@pytest.mark.parametrize(
    ("licence", "fine"),
    [
        ("MIT", True),
        ("BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", True),
        ("Apache-2.0 OR GPL-3.0-only", True),
        ("Apache License, Version 2.0", True),
        ("MIT AND GPL-3.0-only", False),
        ("GNU Affero General Public License v3", False),
        ("MITRE", False),
        ("?", False),
    ],
)
def test_which_licences_are_compatible(licence: str, fine: bool) -> None:
    assert licences.compatible(licence) is fine


def test_every_licence_is_compatible(capsys: pytest.CaptureFixture[str]) -> None:
    assert licences.main() == 0, capsys.readouterr().out
    names = capsys.readouterr().out
    assert all(f"\n{name} " in names for name in ("numpy", "lancedb", "ray", "fugashi"))


@pytest.mark.torture
def test_wheel_and_sdist_are_the_same_bytes_anywhere(tmp_path: Path) -> None:
    built = []
    for number, rights in enumerate((0o644, 0o600)):
        copy = tmp_path / f"clone{number}"
        shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy / name)
        shutil.rmtree(copy / "src" / "undertow.egg-info", ignore_errors=True)
        for path in copy.rglob("*.*"):
            if path.is_file():
                path.chmod(rights)
                path.touch()
        target = tmp_path / f"dist{number}"
        built.append(
            {one.name: one.read_bytes() for one in dist.build(copy, target, 1_700_000_000)}
        )
    assert len(built[0]) == 2
    assert built[0] == built[1]


def packed(path: Path) -> set[str]:
    """Files of a wheel or an sdist, without the folder that an sdist is in."""
    if path.suffix == ".whl":
        return set(zipfile.ZipFile(path).namelist())
    with tarfile.open(path) as held:
        return {one.name.partition("/")[2] for one in held if one.isfile()}


def test_wheel_and_sdist_hold_what_they_should(tmp_path: Path) -> None:
    """A wheel all of src, and of the rest the licence alone; an sdist what tests and pages need."""
    wheel, sdist = map(packed, dist.build(ROOT, tmp_path, 1_700_000_000))
    source = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "undertow").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    told = {name.partition("/")[2] for name in wheel - source}
    assert source <= wheel
    assert told == {
        *("METADATA", "WHEEL", "RECORD"),
        *("entry_points.txt", "top_level.txt", "licenses/LICENSE"),
    }
    assert {f"src/{name}" for name in source} <= sdist
    assert {path.name for path in ROOT.glob("*.*") if path.is_file()} - OURS_ALONE <= sdist
    for folder in ("tests", "tools", "examples", "docs", "benchmarks"):
        scripts = [path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md"}]
        assert {path.relative_to(ROOT).as_posix() for path in scripts} <= sdist
    assert not [
        name for name in sdist if name.startswith("tests/artefacts") or "__pycache__" in name
    ]


def test_every_extra_is_used_where_it_is_installed() -> None:
    assert [step.__name__ for step in smoke_steps.STEPS] == smoke.asked_for()


def test_lower_bounds_are_tried_as_they_stand() -> None:
    bounds = oldest.lower_bounds()
    assert len(bounds) > 20
    assert {f"{name}=={version}" for name, version in bounds.items()} <= set(oldest.requirements())
    assert oldest.oldest_python() == "python3.11"
    assert [name for name in oldest.TESTS if not (ROOT / "tests" / name).exists()] == []


@pytest.mark.parametrize("line", ["numpy", "numpy==2.0", "numpy<3"])
def test_a_dependency_without_a_lower_bound_is_refused(line: str) -> None:
    with pytest.raises(SystemExit, match="must have a lower bound alone"):
        oldest.bound(line)
