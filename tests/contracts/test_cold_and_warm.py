"""A run that compiles the kernels and a later one that loads them from disk give the same bits."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

import undertow.kernels.cpu
from undertow.kernels.cpu.philox import below

TRAINING = """
import hashlib
import numpy as np
from undertow import ReplicatedSoftmax
counts = np.random.default_rng(0).poisson(0.2, (200, 90))
for learner in ("alpha-nce", "cd"):
    model = ReplicatedSoftmax(37, learner=learner, max_epochs=3, random_state=1).fit(counts)
    bits = b"".join(array.tobytes() for array in (model.components_, model.transform(counts)))
    losses = [(record.loss, record.activity) for record in model.history_]
    print(learner, hashlib.sha256(bits).hexdigest(), losses)
"""

FIRST_FIT = """
import numpy as np
from importlib import import_module
from pkgutil import iter_modules
from numba.core.registry import CPUDispatcher
import undertow.kernels.cpu as folder
from undertow import ReplicatedSoftmax
counts = np.random.default_rng(0).poisson(0.2, (200, 90))
ReplicatedSoftmax(8, max_epochs=1, random_state=1).fit(counts).transform(counts)
for module in iter_modules(folder.__path__, folder.__name__ + "."):
    for name, value in vars(import_module(module.name)).items():
        own = isinstance(value, CPUDispatcher) and value.__module__ == module.name
        if own and value.signatures and "forceinline" not in value.targetoptions:
            print(module.name.rpartition(".")[2], name, len(value.signatures))
"""

# What a new user waits for. Whatever comes in here costs every first fit, and what is in one
# program with another is compiled with it: see "A first fit" in the design notes.
COMPILED_FIRST = {
    "alias _pair_columns 1",
    "documents squash_inputs 1",
    "documents take_rows 1",
    "normals _draw 1",
    "program announce 1",
    "program cancel 1",
    "shards contrast_together 1",
    "update adam_and_average_together 1",
    "waiting wait 1",
}


def compiled_functions() -> Iterator[CPUDispatcher]:
    folder = undertow.kernels.cpu
    for module in iter_modules(folder.__path__, folder.__name__ + "."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, CPUDispatcher) and value.py_func.__module__ == module.name:
                yield value


def called_by(function: CPUDispatcher) -> Iterator[CPUDispatcher]:
    """What a compiled function names; functions of other modules it may name by their module."""
    code, names = function.py_func.__code__, function.py_func.__globals__
    found: list[Any] = [names.get(name) for name in code.co_names]
    found += [
        vars(value).get(name)
        for value in found
        if isinstance(value, type(sys))
        for name in code.co_names
    ]
    return (value for value in found if isinstance(value, CPUDispatcher) and value is not function)


def test_what_kernels_call_is_inlined_into_them() -> None:
    """A call would reach either of two copies of the called kernel, by the order in which they were
    loaded.
    """
    calls = {(caller, called) for caller in compiled_functions() for called in called_by(caller)}
    assert len(calls) > 20
    own_code = {
        f"{caller.__name__} calls {called.__name__}"
        for caller, called in calls
        if not called.targetoptions.get("forceinline")
        and called.targetoptions.get("inline") != "always"
    }
    assert own_code == set()


def test_pieces_refuse_to_be_called_from_python() -> None:
    with pytest.raises(TypeError, match="below can only be called by compiled functions"):
        below(np.uint64(1), 5)


def test_a_default_fit_compiles_what_it_needs_and_each_kernel_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_FIT], check=True, capture_output=True, text=True
    )
    assert set(done.stdout.splitlines()) <= COMPILED_FIRST
    assert "shards contrast_together 1" in done.stdout


@pytest.mark.torture
def test_a_run_that_compiles_and_one_that_loads_agree_to_the_last_bit(tmp_path: Path) -> None:
    def train() -> tuple[str, str]:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", TRAINING],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )
        return done.stdout, done.stderr

    (cold, said), (warm, said_later) = train(), train()
    assert "compiling" in said
    assert "compiling" not in said_later
    assert cold == warm
