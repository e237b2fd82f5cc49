"""What a card would be asked to compile, on machines without one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs undertow[gpu]")
pytest.importorskip("triton", reason="needs Triton, which comes with torch for cards")
pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")

SHARED = 227 * 1024  # bytes of a multiprocessor that a program can have, on an H200
ROOT = Path(__file__).parents[3]


def asked_for(*options: str) -> dict[str, list[int]]:
    """Of every kernel, how many kinds were asked for, and bytes of shared memory."""
    command = [sys.executable, "-m", "tests.engines.torch.asked_for", *options]
    environment = os.environ | {"TRITON_INTERPRET": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[int]] = json.loads(done.stdout)
    return found


def test_a_kernel_is_compiled_once() -> None:
    """For all epochs, and stretches of all lengths: nobody waits for a compiler inside a run."""
    found = {name: kinds for name, (kinds, _) in asked_for().items()}
    assert found == dict.fromkeys(found, 1)
    assert {"contrast", "sweep", "move_rows", "keep_tokens", "cut", "encode"} <= found.keys()


@pytest.mark.torture
@pytest.mark.parametrize("units", [1, 16, 100, 400, 1024, 2048])
def test_kernels_compile(units: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    found = asked_for("--compile", str(units))
    assert max(shared for _, shared in found.values()) <= SHARED
