"""The licences of everything that undertow brings along, as installed packages name them.

python -m tools.licences          # a table; fails where one is not compatible or not known
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

COMPATIBLE = (
    r"MIT(-0|-CMU)?",
    r"(\d-Clause )?BSD(-\d-Clause)?",
    r"0BSD",
    r"Apache([ -]2\.0| Version 2\.0| Software)?( WITH LLVM-exception)?",
    r"ISC( \(ISCL\))?",
    r"Zlib",
    r"CC0-1\.0",
    r"PSF-2\.0|Python Software Foundation",
    r"MPL-2\.0|Mozilla Public 2\.0 \(MPL 2\.0\)",  # its own files alone stay under it
    r"HPND",
)
"""Licences under which a dependency of an Apache-2.0 project may stand, as regular expressions."""

READ = {"opentsne": "BSD-3-Clause"}
"""Of packages whose metadata does not say: read in their files."""

EXTRAS = ("stem", "chinese", "japanese", "thai", "paper", "search", "explorer", "mcp", "cluster")
"""Those whose packages `make test` installs."""


def licence_of(package: Distribution) -> str:
    """As the package names it: an expression, else its classifiers, else the first line of text."""
    told = package.metadata
    name = canonicalize_name(told["Name"])
    if name in READ:
        return READ[name]
    if "License-Expression" in told:
        return str(told["License-Expression"])
    classifiers = [
        line.split("::")[-1].strip()
        for line in told.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    return " AND ".join(classifiers) or (told.get_all("License") or ["?"])[0].split("\n")[0]


def compatible(licence: str) -> bool:
    """Whether every part of an expression is; of alternatives, one."""
    if " OR " in licence:
        return any(compatible(part) for part in licence.strip("()").split(" OR "))
    parts = [re.sub(r"\s*Licen[sc]e\b,?\s*", " ", part).strip() for part in licence.split(" AND ")]
    return all(any(re.fullmatch(known, part) for known in COMPATIBLE) for part in parts)


def brought_along(name: str, extras: frozenset[str] = frozenset()) -> Iterator[Distribution]:
    """A package and, once each, all that it needs on this machine."""
    seen: set[tuple[str, str]] = set()
    waiting = [(name, extra) for extra in ("", *sorted(extras))]
    told: set[str] = set()
    while waiting:
        key = (canonicalize_name(waiting[-1][0]), waiting[-1][1])
        waiting.pop()
        if key in seen:
            continue
        seen.add(key)
        try:
            package = distribution(key[0])
        except PackageNotFoundError:  # of an extra that is not installed
            continue
        if key[0] not in told:
            told.add(key[0])
            yield package
        for line in package.requires or []:
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": key[1]}):
                waiting += [(needed.name, extra) for extra in ("", *needed.extras)]


def main() -> int:
    """Prints name, version and licence of each; how many are not compatible."""
    packages = sorted(brought_along("undertow", frozenset(EXTRAS)), key=lambda one: one.name)
    refused = 0
    for package in packages:
        licence = licence_of(package)
        fine = compatible(licence)
        refused += not fine
        print(f"{package.name:32} {package.version:14} {licence}{'' if fine else '   <-- ?'}")
    print(f"{len(packages)} packages, {refused} whose licence is not known to be compatible")
    return min(refused, 1)


if __name__ == "__main__":
    sys.exit(main())
