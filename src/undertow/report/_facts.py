"""What a report says of the model itself, in words and numbers: figures, units, judgements,
settings.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np

from undertow import __version__

if TYPE_CHECKING:
    from undertow.estimators import TopicModel

UNITS, UNIT_WORDS = 12, 8  # hidden units that are listed, and words of each
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "polars")
LEFT_OUT = (
    "callbacks",
    "device",
    "engine",
    "n_jobs",
    "verbose",
    "vocabulary",
    "warm_start",
)  # settings that say nothing of the model

JUDGEMENTS = {
    "split_half_mrr": (
        "Split-half retrieval",
        "how often one half of a document's words finds the other (MRR)",
    ),
    "accuracy": (
        "Accuracy",
        "a linear classifier on training documents, asked about test documents",
    ),
    "map": ("MAP", "test documents look for training documents of their label"),
    "precision_at_10": ("P@10", "how many of the ten nearest training documents have its label"),
    "npmi": (
        "Coherence (NPMI)",
        "whether the ten words of a topic occur in the same documents, from -1 to 1",
    ),
    "c_npmi": ("Coherence (c_npmi)", "the same within windows of ten words"),
    "c_v": ("Coherence (C_V)", "whether the ten words of a topic are used alike, from 0 to 1"),
    "diversity": ("Diversity", "share of different words among the ten of every topic"),
    "nmi": (
        "Agreement with labels (NMI)",
        "how much topics say about labels and labels about topics, from 0 to 1",
    ),
    "ari": ("Agreement with labels (ARI)", "pairs of documents sorted alike, beyond chance"),
    "unknown_tokens": ("Unknown words", "share of the corpus's words that the model does not know"),
    "documents_per_second": (
        "Documents a second",
        "from text to vector, on the machine that made this report",
    ),
}
PERCENT = ("accuracy", "diversity", "unknown_tokens")


@dataclass(frozen=True)
class Fact:
    """A figure with its name and what it means."""

    name: str
    value: str
    meaning: str = ""


def model_figures(model: TopicModel, judged: Mapping[str, Any]) -> list[Fact]:
    """The few numbers of the model itself."""
    records = model.softmax_.history_
    facts = [
        Fact("hidden units", f"{model.softmax_.parameters_.units:,}"),
        Fact("words", f"{len(model.words()):,}"),
    ]
    retrieval = judged.get("split_half_mrr") or next(
        (r.split_half for r in reversed(records) if r.split_half), None
    )
    facts += [Fact("split-half retrieval", f"{retrieval:.3f}")] if retrieval is not None else []
    facts += [Fact("accuracy", f"{judged['accuracy']:.1%}")] if "accuracy" in judged else []
    facts += [Fact("MAP", f"{judged['map']:.3f}")] if "map" in judged else []
    if records:
        seconds = sum(record.seconds for record in records)
        facts += [
            Fact("last loss", f"{records[-1].loss:.4f}"),
            Fact("training", _duration(seconds)),
        ]
    return facts


def units(model: TopicModel) -> list[dict[str, Any]]:
    """The most active hidden units, with the words that switch them on."""
    return [
        {"id": unit.id, "activity": unit.activity, "words": [word.word for word in unit.up]}
        for unit in model.units(n_words=UNIT_WORDS)[:UNITS]
    ]


def judgements(judged: Mapping[str, Any]) -> list[Fact]:
    """What `undertow evaluate` says, with what it means."""
    return [
        Fact(name, _written(key, judged[key]), meaning)
        for key, (name, meaning) in JUDGEMENTS.items()
        if key in judged
    ]


def settings(model: TopicModel) -> dict[str, list[Fact]]:
    """How the model was made, and with what this page was."""
    softmax, vectorizer = (
        model.softmax_.get_params(deep=False),
        model.vectorizer_.get_params(deep=False),
    )
    return {
        "Model": [_setting(name, value) for name, value in softmax.items() if name not in LEFT_OUT],
        "Words": [
            _setting(name, value) for name, value in vectorizer.items() if name not in LEFT_OUT
        ],
        "Versions": [
            Fact("undertow", __version__),
            Fact("Python", platform.python_version()),
            *_packages(),
        ],
    }


def _setting(name: str, value: Any) -> Fact:
    written = repr(value)
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)) and len(value) > 4:
        written = f"{len(value):,} values"
    return Fact(name, written if len(written) <= 200 else written[:199] + "…")


def _packages() -> list[Fact]:
    found = []
    for package in PACKAGES:
        try:
            found.append(Fact(package, version(package)))
        except PackageNotFoundError:
            continue
    return found


def _written(key: str, value: float) -> str:
    if key == "documents_per_second":
        return f"{value:,.0f}"
    return f"{value:.1%}" if key in PERCENT else f"{value:.3f}"


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
