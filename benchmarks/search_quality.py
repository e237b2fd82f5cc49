"""How good each mode of search is: three tasks on two data sets, with confidence intervals.

- Known item: the subject line of a post, or the first eight words of a review, asks for the rest of
  it. MRR.
- Subject: the same of a test document asks for documents with its label. MAP and precision at 10.
- Whole document: a test document asks for documents with its label. MAP and precision at 10.

Documents are the training part, without what asks for them; the model is trained on them with its
defaults. The intervals are the middle 95 % of a thousand resamples of the questions, and so is the
one of the ratio, which is that of the default mode and the better of text and semantic. Weights
were chosen on parts of the training data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.tables import Sheet
from undertow import TopicModel
from undertow.search import Index
from undertow.search.ranking.modes import MODES, Ranker
from undertow.search.ranking.questions import Question, asked_in_words

FIRST_WORDS = 8  # of a review
RESAMPLES = 1000
Figures = dict[str, dict[str, NDArray[np.float64]]]  # measure -> mode -> a number for each question


@dataclass(frozen=True)
class Part:
    """Documents: what asks for them, the rest of them, and their labels."""

    questions: list[str]
    texts: list[str]
    labels: NDArray[np.str_]

    def head(self, n: int) -> Part:
        return Part(self.questions[:n], self.texts[:n], self.labels[:n])


def newsgroups(posts: pl.DataFrame) -> Part:
    """Posts by their subjects. The header goes: it holds the subject."""
    parted = [text.partition("\n\n") for text in posts["text"]]
    return Part(
        [_subject(head) for head, _, _ in parted],
        [body for _, _, body in parted],
        posts["label"].to_numpy(),
    )


def reviews(table: pl.DataFrame) -> Part:
    """Reviews by their first words."""
    words = [text.replace("<br />", " ").split() for text in table["text"]]
    first, rest = (
        [" ".join(text[cut]) for text in words]
        for cut in (slice(FIRST_WORDS), slice(FIRST_WORDS, None))
    )
    return Part(first, rest, table["label"].to_numpy())


def _subject(head: str) -> str:
    found = re.search(r"(?m)^Subject: (.*)$", head)
    return re.sub(r"(?i)^(\s*re:\s*)+", "", found[1]) if found else ""


def judged(
    train: Part, test: Part, model: TopicModel, folder: Path, questions: int
) -> dict[str, Figures]:
    """The figures of each task."""
    index = Index.create(folder, model, train.texts)
    ranker, encoder = index._versions.current.ranker, index._encoder
    full = ranker.derived.text
    place = np.argsort(full.rows)  # of each document: rows are in the order of the corpus

    def ranked(
        texts: Sequence[str], judge: Callable[[int, NDArray[np.float32]], dict[str, float]]
    ) -> Figures:
        found: dict[str, dict[str, list[float]]] = {}
        for number, text in enumerate(texts):
            question = asked_in_words(text, full, encoder).question
            for mode in MODES:
                for measure, figure in judge(
                    number, _scores(ranker, question, mode)[place]
                ).items():
                    found.setdefault(measure, {}).setdefault(mode, []).append(figure)
        return {
            name: {mode: np.array(figures) for mode, figures in modes.items()}
            for name, modes in found.items()
        }

    drawn = np.random.default_rng(0).permutation(len(train.texts))
    items = [int(number) for number in drawn if train.questions[number].strip()][:questions]
    short = [number for number, text in enumerate(test.questions) if text.strip()][:questions]
    whole = [number for number, text in enumerate(test.texts) if text.strip()][:questions]
    by_label = {label: train.labels == label for label in np.unique(test.labels)}

    def of_label(numbers: Sequence[int]) -> Callable[[int, NDArray[np.float32]], dict[str, float]]:
        return lambda number, scores: label_figures(by_label[test.labels[numbers[number]]], scores)

    return {
        "known item": ranked(
            [train.questions[number] for number in items],
            lambda number, scores: {"MRR": reciprocal_rank(scores, items[number])},
        ),
        "subject": ranked([test.questions[number] for number in short], of_label(short)),
        "whole document": ranked(
            [test.texts[number][:100_000] for number in whole], of_label(whole)
        ),
    }


def _scores(ranker: Ranker, question: Question, mode: str) -> NDArray[np.float32]:
    """By which all documents are ranked in a mode, at their places; 0 for those that are not
    found.
    """
    if mode != "code":
        return ranker.score(question, mode).scores
    scores = np.zeros(len(ranker.derived.text.rows), dtype=np.float32)
    if question.known:
        bits = question.encoded.bits.shape[1]
        rows, shares = ranker._codes.nearest(question.encoded.codes[0], bits, len(scores), None)
        scores[ranker.derived.text.places(rows)] = 1.0 + shares
    return scores


def reciprocal_rank(scores: NDArray[np.float32], item: int) -> float:
    """1 / the rank of a document, the middle one of those with its score; 0 where it was not
    found.
    """
    if scores[item] <= 0:
        return 0.0
    return float(
        1.0 / (1 + (scores > scores[item]).sum() + ((scores == scores[item]).sum() - 1) / 2)
    )


def label_figures(relevant: NDArray[np.bool_], scores: NDArray[np.float32]) -> dict[str, float]:
    """MAP and precision at 10; what has no score is never found."""
    order = np.argsort(-scores, kind="stable")
    found = relevant[order] & (scores[order] > 0)
    return {"MAP": average_precision(found, int(relevant.sum())), "P@10": float(found[:10].mean())}


def average_precision(relevant: NDArray[np.bool_], total: int) -> float:
    """Of a ranking that may end early: what is not in it is never found."""
    places = np.flatnonzero(relevant) + 1
    return float((np.arange(1, len(places) + 1) / places).sum() / total)


def interval(
    values: NDArray[np.float64], statistic: Callable[[NDArray[np.float64]], float]
) -> tuple[float, float]:
    """The middle 95 % of a statistic over resamples of the rows."""
    generator = np.random.default_rng(0)
    found = [
        statistic(values[generator.integers(0, len(values), len(values))]) for _ in range(RESAMPLES)
    ]
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def summary(figures: Figures) -> dict[str, Any]:
    """Means and intervals of each measure and mode, and the ratio of the default to the better of
    two.
    """
    found: dict[str, Any] = {}
    for measure, modes in figures.items():
        better = max(("text", "semantic"), key=lambda mode: float(modes[mode].mean()))
        pairs = np.stack([modes["hybrid"], modes[better]], axis=1)
        found[measure] = {
            "modes": {
                mode: [float(values.mean()), *interval(values, np.mean)]
                for mode, values in modes.items()
            },
            "better": better,
            "ratio": [_ratio(pairs), *interval(pairs, _ratio)],
        }
    return found


def _ratio(pairs: NDArray[np.float64]) -> float:
    ours, theirs = pairs.mean(axis=0)
    return float(ours / max(theirs, 1e-12))


def sheet(name: str, documents: int, questions: int, tasks: dict[str, dict[str, Any]]) -> Sheet:
    """A row for each task and measure."""
    rows = []
    for task, measures in tasks.items():
        for measure, facts in measures.items():
            cells = [_cell(facts["modes"][mode]) for mode in MODES]
            rows.append(
                [f"{task}, {measure}", *cells, f"{facts['ratio'][0]:.3f} {_range(facts['ratio'])}"]
            )
    title = f"{name}: {documents:,} documents, {questions} questions a task"
    return Sheet(title, ["task", *MODES, "hybrid / better of two"], rows)


def _cell(value: Sequence[float]) -> str:
    return f"{value[0]:.3f} {_range(value)}"


def _range(value: Sequence[float]) -> str:
    return f"({value[1]:.3f} to {value[2]:.3f})"
