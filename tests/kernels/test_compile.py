"""Kernels are kept on disk: a cache that cannot be read must not stop anybody."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = """
from undertow.kernels.cpu.compile import kernel

@kernel
def doubled(x):
    return 2 * x

print(doubled(21))
"""


def _run(folder: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "made.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


class _Gone:
    """What an earlier version of undertow had."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return __import__, ("undertow.kernels.cpu.gone",)


@pytest.mark.parametrize("damage", ["names a module that is gone", "cut off", "nonsense"])
def test_a_cache_that_cannot_be_read_is_made_again(tmp_path: Path, damage: str) -> None:
    (tmp_path / "made.py").write_text(MODULE, encoding="utf-8")
    assert _run(tmp_path) == "42\n"
    (index,) = (tmp_path / "__pycache__").glob("*.nbi")
    whole = index.read_bytes()
    version = pickle.dumps(pickle.loads(whole), protocol=-1)  # our own file, made a moment ago
    index.write_bytes(
        {
            "names a module that is gone": version + pickle.dumps(_Gone()),
            "cut off": whole[:-9],
            "nonsense": version + b"nonsense",
        }[damage]
    )
    assert _run(tmp_path) == "42\n"
    kept = index.read_bytes()
    assert kept.startswith(version)
    assert len(kept) >= len(whole) - 9  # it is whole again
    assert _run(tmp_path) == "42\n"
