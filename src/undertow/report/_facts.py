"""What a report says in words and numbers: key figures, topics, judgements, settings."""

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
    from undertow.estimators.units import WordWeight
    from undertow.insight import Overview

WORDS_UP, WORDS_DOWN, SIMILAR, TYPICAL = 12, 6, 4, 5
SHOWN = 320  # characters of a typical document
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "polars", "plotly")
LEFT_OUT = ("callbacks", "n_jobs", "verbose", "vocabulary", "warm_start")  # settings that say nothing of the model

JUDGEMENTS = {
    "split_half_mrr": ("Split-half retrieval", "how often one half of a document's words finds the other (MRR)"),
    "accuracy": ("Accuracy, posteriors", "a linear classifier on training documents, asked about test documents"),
    "accuracy_activation": ("Accuracy, activations", "the same with activations"),
    "accuracy_strength": ("Accuracy, strengths", "the same with strengths"),
    "map": ("MAP, posteriors", "test documents look for training documents of their label"),
    "map_strength": ("MAP, strengths", "the same with strengths"),
    "npmi": ("Coherence (NPMI)", "whether the ten words of a topic occur in the same documents, from -1 to 1"),
    "diversity": ("Diversity", "share of different words among the ten of every topic"),
    "unknown_tokens": ("Unknown words", "share of the corpus's words that the model does not know"),
    "documents_per_second": ("Documents a second", "from text to vector, on the machine that made this report"),
}
PERCENT = ("accuracy", "accuracy_activation", "accuracy_strength", "diversity", "unknown_tokens")


@dataclass(frozen=True)
class Fact:
    """A figure with its name and what it means."""

    name: str
    value: str
    meaning: str = ""


def key_figures(model: TopicModel, overview: Overview | None, judged: Mapping[str, Any]) -> list[Fact]:
    """The few numbers at the top of the page."""
    records = model.softmax_.history_
    facts = [] if overview is None else [Fact("documents", f"{overview.sampled_from:,}")]
    facts += [Fact("topics", f"{model.softmax_.parameters_.units:,}"), Fact("words", f"{len(model.words()):,}")]
    retrieval = judged.get("split_half_mrr") or next((r.split_half for r in reversed(records) if r.split_half), None)
    facts += [Fact("split-half retrieval", f"{retrieval:.3f}")] if retrieval is not None else []
    facts += [Fact("accuracy", f"{judged['accuracy']:.1%}")] if "accuracy" in judged else []
    facts += [Fact("MAP", f"{judged['map_strength']:.3f}")] if "map_strength" in judged else []
    if records:
        seconds = sum(record.seconds for record in records)
        facts += [Fact("last loss", f"{records[-1].loss:.4f}"), Fact("training", _duration(seconds))]
    return facts


def topics(model: TopicModel, overview: Overview | None, texts: Mapping[int, str]) -> list[dict[str, Any]]:
    """A record per topic, the most active first."""
    from undertow.insight import topic_similarity

    records = model.units(n_words=WORDS_UP)
    cosines = topic_similarity(model)
    names = {record.id: record.name for record in records}
    strongest = max((word.weight for record in records for word in record.up), default=1.0)
    most = max((record.activity for record in records), default=0.0) or 1.0
    return [
        {
            "id": record.id,
            "name": record.name,
            "activity": record.activity,
            "bar": record.activity / most,
            "documents": None if overview is None else int(overview.switched_on[record.id]),
            "up": _words(record.up, strongest),
            "down": _words(record.down[:WORDS_DOWN], strongest),
            "similar": [
                {"id": int(other), "name": names[int(other)], "cosine": float(cosines[record.id, other])}
                for other in np.argsort(-cosines[record.id], kind="stable")
                if other != record.id and cosines[record.id, other] > 0
            ][:SIMILAR],
            "typical": [] if overview is None else typical(overview, record.id, texts),
        }
        for record in records
    ]


def typical(overview: Overview, topic: int, texts: Mapping[int, str]) -> list[dict[str, Any]]:
    """The documents that a topic is strongest in, shortened."""
    rows = [int(row) for row in overview.typical[topic][:TYPICAL] if row >= 0]
    return [
        {
            "id": overview.ids[row],
            "label": overview.labels[overview.label_of[row]] if overview.label_of[row] >= 0 else None,
            "text": _shortened(texts.get(row, "")),
        }
        for row in rows
    ]


def judgements(judged: Mapping[str, Any]) -> list[Fact]:
    """What `undertow evaluate` says, with what it means."""
    return [
        Fact(name, _written(key, judged[key]), meaning) for key, (name, meaning) in JUDGEMENTS.items() if key in judged
    ]


def settings(model: TopicModel) -> dict[str, list[Fact]]:
    """How the model was made, and with what this page was."""
    softmax, vectorizer = model.softmax_.get_params(deep=False), model.vectorizer_.get_params(deep=False)
    return {
        "Model": [_setting(name, value) for name, value in softmax.items() if name not in LEFT_OUT],
        "Words": [_setting(name, value) for name, value in vectorizer.items() if name not in LEFT_OUT],
        "Versions": [Fact("undertow", __version__), Fact("Python", platform.python_version()), *_packages()],
    }


def _words(words: tuple[WordWeight, ...], strongest: float) -> list[dict[str, Any]]:
    return [
        {"word": word.word, "weight": word.weight, "share": min(abs(word.weight) / strongest, 1.0)} for word in words
    ]


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


def _shortened(text: str) -> str:
    clean = " ".join(text.split())
    return clean if len(clean) <= SHOWN else clean[: SHOWN - 1].rstrip() + "…"
