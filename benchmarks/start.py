"""How long users wait before anything happens: the import, `undertow --help`, and the first fit of
all.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import waits
from benchmarks.effort import Effort
from benchmarks.progress import Say
from benchmarks.tables import Sheet, scalars

ROOT = Path(__file__).parents[1]
IMPORT = "import time; began = time.perf_counter(); import {}; print(time.perf_counter() - began)"
HELP = "from undertow.cli import main; main()"
ANNOUNCEMENT = "compiling undertow's kernels"


def measure(effort: Effort, say: Say) -> dict[str, Any]:
    """Medians over processes; "import" is the statement alone, "help" the whole process from start
    to end.
    """
    imports: dict[str, list[float]] = {"undertow": [], "numpy": []}
    helps, bare = [], []
    for number in range(effort.starts):
        say(f"import undertow, import numpy, undertow --help: {number + 1} of {effort.starts}")
        for module, times in imports.items():
            times.append(float(python("-c", IMPORT.format(module)).stdout))
        helps.append(_seconds("-c", HELP, "--help"))
        bare.append(_seconds("-c", "pass"))
    found: dict[str, Any] = {
        "import_seconds": statistics.median(imports["undertow"]),
        "numpy_import_seconds": statistics.median(imports["numpy"]),
        "help_seconds": statistics.median(helps),
        "python_seconds": statistics.median(bare),
    }
    found["import_over_numpy"] = found["import_seconds"] / found["numpy_import_seconds"]
    found["help_over_python"] = found["help_seconds"] / found["python_seconds"]
    return found | (first_fits(say) if effort.cold_fit else {})


def first_fits(say: Say) -> dict[str, Any]:
    """A fit with an empty cache of compiled kernels, and one after it with the cache that it
    left.
    """
    with tempfile.TemporaryDirectory() as cache:
        say("a first fit, with nothing compiled yet")
        cold = python("-m", "benchmarks.first_fit", more={"NUMBA_CACHE_DIR": cache})
        say("the same fit once more")
        warm = python("-m", "benchmarks.first_fit", more={"NUMBA_CACHE_DIR": cache})
    seconds = [float(json.loads(process.stdout)["seconds"]) for process in (cold, warm)]
    return {
        "cold_fit_seconds": seconds[0],
        "warm_fit_seconds": seconds[1],
        "compilation_seconds": seconds[0] - seconds[1],
        "says_that_it_compiles": int(
            ANNOUNCEMENT in cold.stderr and ANNOUNCEMENT not in warm.stderr
        ),
    }


def python(
    *arguments: str, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs this interpreter from the root of the repository."""
    environment = os.environ | dict(more or {})
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment
    )


def _seconds(*arguments: str) -> float:
    began = time.perf_counter()
    python(*arguments)
    return time.perf_counter() - began


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """One row each."""
    return [scalars("Start", found)]


if __name__ == "__main__":
    waits.main()
