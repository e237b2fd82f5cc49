"""What all tests share: fresh kernels, data sets that may be absent, tables of names, and examples
that are the same in every run.
"""

from __future__ import annotations

import gc
import hashlib
import os
import signal
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.at_hand import PythonDocs

if find_spec("hypothesis") is not None:  # machines that are lent for their cards lack it
    from hypothesis import HealthCheck, settings

    # What hypothesis makes up is the same in every run, so that a change fails for what it does,
    # and not for what was drawn; `make torture` draws anew. A slow machine is no failure.
    SLOW = [HealthCheck.too_slow]
    settings.register_profile(
        "steady", derandomize=True, database=None, deadline=None, suppress_health_check=SLOW
    )
    settings.register_profile("anew", print_blob=True, deadline=None, suppress_health_check=SLOW)
    settings.load_profile("steady")

KERNELS = Path(__file__).parents[1] / "src" / "undertow" / "kernels"


def pytest_configure() -> None:
    """Fresh kernels, and Ctrl-C for those who test it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as what a shell runs in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _forget_old_kernels()


def pytest_collection() -> None:
    """Tests are gathered without looking for garbage, of which there is none yet."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Nor are modules and tests looked through again and again: they stay to the end. Tests leave
    little garbage, so a look at it can wait.
    """
    gc.enable()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _forget_old_kernels() -> None:
    """Forgets compiled kernels when any kernel source has changed.

    numba only looks at the file of a function itself, so a change of a function that is inlined
    from another file would go unnoticed.
    """
    digest = hashlib.sha256()
    for source in sorted(KERNELS.rglob("*.py")):
        digest.update(source.read_bytes())
    stamp = KERNELS / "__pycache__" / "sources.sha256"
    if not stamp.exists() or stamp.read_text() != digest.hexdigest():
        for cached in KERNELS.rglob("*.nb[ic]"):
            cached.unlink()
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(digest.hexdigest())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked `data` are skipped where the data sets are not."""
    if os.environ.get("UNDERTOW_DATA"):
        return
    skip = pytest.mark.skip(
        reason="set UNDERTOW_DATA to the folder of 20newsgroups.parquet and imdb.parquet"
    )
    for item in items:
        if "data" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def python_docs() -> PythonDocs:
    """Read once: thousands of sources are parsed for it."""
    from undertow.datasets import load_python_docs

    before = set(sys.modules)
    gc.disable()  # trees of syntax, none of which is garbage before its file is read
    documents = load_python_docs()
    gc.enable()
    return PythonDocs(documents, {name.split(".")[0] for name in set(sys.modules) - before})


@pytest.fixture
def python_docs_at_hand(python_docs: PythonDocs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for that corpus is given what was read already."""
    from undertow import datasets

    monkeypatch.setattr(datasets, "load_python_docs", lambda: list(python_docs.documents))


@pytest.fixture
def torch_alone() -> Iterator[None]:
    """With torch, on one thread: arrays of tests are small, and its threads would wait for each
    other.
    """
    torch = pytest.importorskip("torch", reason="torch is not installed")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def own_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learners, optimizers and engines that a test makes known are forgotten after it."""
    from undertow.engines import registry as engines
    from undertow.learn import registry as learn

    for module, name in ((learn, "LEARNERS"), (learn, "OPTIMIZERS"), (engines, "_MAKERS")):
        monkeypatch.setattr(module, name, dict(getattr(module, name)))
