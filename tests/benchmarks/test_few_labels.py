"""Accuracy with a few labels, on made-up corpora."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import few_labels, linear
from benchmarks.document_vectors import tf_idf
from undertow.paper.corpora import Corpus
from undertow.paper.texts import MADE_UP


def test_draws_have_so_many_of_each_label_and_differ() -> None:
    labels = np.repeat(["a", "b", "c"], [30, 40, 50])
    rows = few_labels.drawn(labels, 7, 0)
    assert np.unique(labels[rows], return_counts=True)[1].tolist() == [7, 7, 7]
    assert len(set(rows.tolist())) == 21
    np.testing.assert_array_equal(rows, few_labels.drawn(labels, 7, 0))
    assert rows.tolist() != few_labels.drawn(labels, 7, 1).tolist()


def test_only_the_labels_drawn_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too few labels to leave any out: the usual regularisation; otherwise one chosen from those
    labels alone.
    """
    seen: list[Any] = []

    def chosen(vectors: Any, labels: Any, folds: Any) -> float:
        seen.append((vectors.shape, labels.tolist(), len(folds)))
        return 3.0

    def accuracy(
        vectors: Any, labels: Any, asked: Any, wanted: Any, regularisation: float
    ) -> float:
        seen.append((len(vectors), regularisation))
        return 0.5

    monkeypatch.setattr(linear, "chosen", chosen)
    monkeypatch.setattr(linear, "accuracy", accuracy)
    labels = np.arange(40) % 2
    sides = np.zeros((40, 3)), labels
    few_labels._accuracy(*sides, np.array([0, 1]), *sides)
    few_labels._accuracy(*sides, np.arange(10), *sides)
    assert seen == [(2, linear.USUAL), ((10, 3), [0, 1] * 5, 5), (10, 3.0)]


@pytest.mark.torture
@pytest.mark.slow
def test_all_of_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(few_labels, "NAMES", {data: data.capitalize() for data in MADE_UP.values()})
    monkeypatch.setattr(few_labels, "DRAWS", {1: 3, 5: 2})
    monkeypatch.setattr(few_labels, "DOCS", tmp_path)
    monkeypatch.setattr(few_labels, "FOLDER", tmp_path / "kept")
    (tmp_path / "few_labels.md").write_text(
        "# Mine\n\n<!-- few labels -->\n<!-- end few labels -->\nand this\n"
    )
    monkeypatch.setattr(sys, "argv", ["few_labels", "--jobs", "1", "--record", "--page"])
    few_labels.main()
    (file,) = (tmp_path / "kept").iterdir()
    found = json.loads(file.read_text())
    for reached in found["accuracies"].values():
        assert list(reached) == list(few_labels.SYSTEMS)
        for by_labels in reached.values():
            assert [len(values) for values in by_labels.values()] == [3, 2]
    page = (tmp_path / "few_labels.md").read_text()
    assert page.startswith("# Mine")
    assert page.endswith("and this\n")
    assert "| vectors | 1 label a class | 5 labels a class |" in page
    assert "(images/few_labels.svg)" in page
    picture = (tmp_path / "images" / "few_labels.svg").read_bytes()
    assert picture == few_labels.curve(found)  # the same numbers, the same bytes
    assert len(capsys.readouterr().err.splitlines()) == 8


def test_models_learn_without_labels_from_all_documents(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    learned: list[int] = []

    def system(counts: Any) -> Any:
        learned.append(counts.shape[0])
        return tf_idf(counts)

    monkeypatch.setitem(few_labels.SYSTEMS, "LSA", system)
    corpus = Corpus(MADE_UP["imdb"], 100)
    order = few_labels.Order("LSA", corpus, tmp_path, ((1, 2), (20, 1)))
    found = few_labels.measure(order)
    assert learned == [320]  # 160 with a label and 160 without
    assert found["20"][0] > 0.9
    assert len(found["1"]) == 2
