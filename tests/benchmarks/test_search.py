"""The benchmark of search, at a tiny size."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from benchmarks import search
from benchmarks.tables import markdown
from tests.search.conftest import make_table


def test_it_measures_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "QUESTIONS", 3)
    monkeypatch.setattr(search, "KINDS", {"2 words": 2})
    table = make_table(60).with_columns(pl.concat_str(pl.lit("Subject: x\n\n"), "text").alias("text"))
    posts = table.with_columns(
        label=pl.Series(["fruit", "cars"] * 30), split=pl.Series((["train"] * 4 + ["test"] * 2) * 10)
    )
    model = search.trained(posts, topics=8, epochs=20)
    shown: list[str] = []
    found = search.measure(
        model, posts, [200], judge=True, show=lambda found: shown.append(search.sheets(found)[-1].title)
    )
    assert found["quality"]["modes"]["semantic"]["map"] > 0.8
    assert found["sizes"][0]["recall_at_10"]["2 words"] == 1.0
    assert found["sizes"][0]["bytes_code"] == 1
    assert shown == ["20 test posts ask 40 training posts of 20 Newsgroups", "200 documents"]
    assert "semantic, 2 words" in markdown(search.sheets(found)[1])


def test_average_precision_by_hand() -> None:
    assert search.average_precision(np.array([True, False, True]), 4) == pytest.approx((1 / 1 + 2 / 3) / 4)
