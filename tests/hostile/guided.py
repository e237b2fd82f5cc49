"""Fuzzing by coverage, with atheris where it is installed (it is no dependency, and not on every
Python): `python -m tests.hostile.guided model FOLDER -max_total_time=3600`, where FOLDER keeps the
inputs that reached something new. Targets are in `targets.py`.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path

import atheris

import undertow

SOURCES = Path(undertow.__file__).parent
COMPILED = [  # by numba, which has to find it as it is written
    ".".join(file.relative_to(SOURCES.parent).with_suffix("").parts)
    for file in (SOURCES / "kernels").rglob("*.py")
]
LOOKED_INTO = {"include": ["undertow"], "exclude": COMPILED}

with atheris.instrument_imports(**LOOKED_INTO):
    from tests.hostile.targets import MAKERS
    from undertow import UndertowError


def main() -> None:
    """Fuzzes until told to stop; whatever is no worded error ends it, with its input kept."""
    logging.getLogger("undertow").setLevel(logging.CRITICAL)
    name = sys.argv.pop(1)
    with atheris.instrument_imports(**LOOKED_INTO):
        target = MAKERS[name](Path(tempfile.mkdtemp()))

    def once(data: bytes) -> None:
        try:
            target(data)
        except UndertowError as error:
            if "\n" in str(error):
                raise RuntimeError("an error of several lines") from error

    atheris.Setup(sys.argv, once)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
