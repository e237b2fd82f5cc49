"""Word order, on made-up reviews."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from benchmarks import word_order


def made_up() -> pl.DataFrame:
    """Reviews whose label the order of two words tells."""
    generator = np.random.default_rng(0)
    rows = []
    for split, number in {"train": 100, "test": 40, "unsup": 60}.items():
        for place in range(number):
            label = ("neg", "pos")[place % 2]
            order = {"neg": "not good but bad", "pos": "good but not bad"}[label]
            other = " ".join(generator.choice(list("abcdefgh"), 6))
            told = None if split == "unsup" else label
            rows.append((f"{split}/{label}/{place // 2}_5", split, told, f"{other} {order}<br />"))
    return pl.DataFrame(rows, schema=["id", "split", "label", "text"], orient="row")


def test_all_of_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(word_order, "load_imdb", made_up)
    monkeypatch.setattr(word_order, "FROM_NUMBER", 40)
    word_order.main(["--components", "4", "--replicated", "4", "--words", "200", "--test"])
    printed = capsys.readouterr().out.splitlines()
    names = [line.split(" | ")[0].removeprefix("| ") for line in printed[4:]]
    assert names == [
        "words: tf-idf",
        "words: naive Bayes, by labels",
        "TokenContrast's start (LSA), 4",
        "TokenContrast, 4",
        "Replicated Softmax, 4: activation",
        "Replicated Softmax, 4: balanced",
    ]
    numbers = [line.rstrip(" |").split(" | ")[2:] for line in printed[4:]]
    figures = [[float(one) for one in row] for row in numbers]
    assert all(0 <= figure <= 1 for row in figures for figure in row)
    assert figures[0] == [1.0, 1.0]  # pairs of words tell it


def test_validating_reviews_are_learned_from_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_order, "load_imdb", made_up)
    monkeypatch.setattr(word_order, "FROM_NUMBER", 40)
    found = word_order.reviews(200, 2, 1, test=False)
    assert found.validates.sum() == 20
    assert found.learned.shape[0] == 100 - 20 + 60
    assert found.test is None
