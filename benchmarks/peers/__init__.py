"""Other libraries, and undertow in the same harness: one small file each, found by name.

A file is only imported in the process that runs its system, so what is not installed hinders
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from benchmarks.peers.system import System


@dataclass(frozen=True)
class Entry:
    """Where a system is, and what has to be known before it runs.

    `shares` says that vectors are probabilities of topics, of which square roots may serve better.
    """

    file: str
    needs: str | None = None
    parallel: bool = True
    shares: bool = False


SYSTEMS = {
    "undertow": Entry("undertow_fits"),
    "undertow, partial_fit": Entry("undertow_passes"),
    "LSA": Entry("scikit_lsa", parallel=False),
    "NMF": Entry("scikit_nmf", parallel=False),
    "LDA, scikit-learn": Entry("scikit_lda", shares=True),
    "LDA, gensim": Entry("gensim_lda", needs="gensim", shares=True),
    "LDA, tomotopy": Entry("tomotopy_lda", needs="tomotopy", shares=True),
    "RBM, scikit-learn": Entry("scikit_rbm", parallel=False),
}


def missing(name: str) -> str | None:
    """The library that a system needs, if it is not there."""
    needs = SYSTEMS[name].needs
    return needs if needs is not None and find_spec(needs) is None else None


def system(name: str) -> System:
    """The system of this name."""
    found: System = import_module(f"benchmarks.peers.{SYSTEMS[name].file}").SYSTEM
    return found
