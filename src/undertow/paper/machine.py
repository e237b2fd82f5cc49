"""What a figure was computed on: processor, cores and versions; no names of hosts, users or
folders.
"""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from undertow.kernels.cores import cores

PACKAGES = ("undertow", "numpy", "scipy", "scikit-learn", "numba")


@cache
def describe() -> dict[str, Any]:
    """Processor, cores, memory, Python and the versions of what computes."""
    memory = (
        os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    )
    return {
        "processor": _processor(),
        "cores": cores(),
        "memory_gib": round(memory / 2**30),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {package: version(package) for package in PACKAGES},
    }


def in_words(described: dict[str, Any]) -> str:
    """One line for the page."""
    versions = ", ".join(f"{package} {number}" for package, number in described["versions"].items())
    memory = f", {described['memory_gib']} GiB" if described["memory_gib"] else ""
    return (
        f"{described['processor']}, {described['cores']} cores{memory}, {described['system']}, "
        f"Python {described['python']}, {versions}"
    )


def _processor() -> str:
    """The processor's name where the system tells it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
