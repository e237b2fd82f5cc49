"""The benchmark of search, at a tiny size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks import search, search_quality
from benchmarks.tables import markdown
from tests.search.conftest import make_table
from undertow import TopicModel


@pytest.fixture(scope="module")
def model() -> TopicModel:
    return TopicModel(12, max_epochs=40, batch_size=32, random_state=0).fit(make_table())


def posts() -> pl.DataFrame:
    heads = pl.concat_str(
        pl.lit("From: x\nSubject: Re: RE: "),
        pl.col("text").str.slice(0, 11),
        pl.lit("\n\n"),
        "text",
    )
    return make_table(60).with_columns(heads.alias("text"), label=pl.Series(["fruit", "cars"] * 30))


def test_sizes_and_times(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: TopicModel
) -> None:
    monkeypatch.setattr(search, "QUESTIONS", 3)
    monkeypatch.setattr(search, "KINDS", {"2 words": 2})
    found = search.size_and_speed(model, posts(), posts(), 200, tmp_path)
    shares = found["recall_at_10"]["2 words"]
    assert shares["hybrid"] >= 0.9
    assert (
        0.0 < shares["semantic"] <= 1.0
    )  # documents of two themes differ by less than bytes can tell
    assert found["bytes_code"] == 2
    assert "semantic, 2 words" in markdown(search.size_sheet(found))


def test_tasks(tmp_path: Path, model: TopicModel) -> None:
    part = search_quality.newsgroups(posts())
    assert part.questions[0] == posts()["text"][0].partition("\n\n")[2][:11]
    tasks = search_quality.judged(part, part.head(20), model, tmp_path / "index", 10)
    found = {task: search_quality.summary(figures) for task, figures in tasks.items()}
    assert found["subject"]["MAP"]["modes"]["semantic"][0] > 0.8
    for measures in found.values():
        for facts in measures.values():
            for mean, low, high in facts["modes"].values():
                assert 0.0 <= low <= mean <= high <= 1.0
            assert facts["ratio"][1] <= facts["ratio"][0] <= facts["ratio"][2]
    assert "known item, MRR" in markdown(search_quality.sheet("x", 60, 10, found))


def test_reviews_are_parted() -> None:
    table = pl.DataFrame({"text": ["a b c d e f g h<br /><br />i j"], "label": ["pos"]})
    part = search_quality.reviews(table)
    assert (part.questions, part.texts) == (["a b c d e f g h"], ["i j"])


def test_figures_by_hand() -> None:
    assert search_quality.average_precision(np.array([True, False, True]), 4) == pytest.approx(
        (1 + 2 / 3) / 4
    )
    scores = np.array([0.5, 0.9, 0.5, 0.0, 0.1], dtype=np.float32)
    assert search_quality.reciprocal_rank(scores, 1) == 1.0
    assert search_quality.reciprocal_rank(scores, 0) == pytest.approx(1 / 2.5)  # with another
    assert search_quality.reciprocal_rank(scores, 3) == 0.0
    found = search_quality.label_figures(np.array([True, False, False, True, False]), scores)
    assert found["MAP"] == pytest.approx(1 / 2 / 2)  # the second was never found
