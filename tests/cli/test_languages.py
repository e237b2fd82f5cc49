"""Options of language at the command line, from the corpus to the model."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import undertow
from tests.shell import Run, shell
from undertow import TopicModel

TEXTS = [
    "昨晚的足球比赛非常精彩。",
    "机器学习模型需要大量的训练数据。",
    "เขาเขียนโปรแกรมด้วย Python",
] * 12
SMALL = ("--n-components", 4, "--max-epochs", 1, "--stop-words", "chinese")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return shell(monkeypatch, capsys)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    pl.DataFrame({"text": TEXTS}).write_parquet(tmp_path / "texts.parquet")
    return tmp_path / "texts.parquet"


def words(folder: Path) -> set[str]:
    model = undertow.load(folder)
    assert isinstance(model, TopicModel)
    return set(model.words())


def test_languages_are_found_and_said_unless_quiet(
    run: Run, corpus: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert run("fit", corpus, "--out", tmp_path / "found", *SMALL)[0] == 0
    assert "Chinese text found: segmented by rjieba" in caplog.messages
    assert {"足球比赛", "机器", "โปรแกรม", "python"} <= words(tmp_path / "found")
    assert "的" not in words(tmp_path / "found")
    caplog.clear()
    assert (
        run(
            "fit",
            corpus,
            "--out",
            tmp_path / "told",
            *SMALL,
            "--segmenter",
            "thai,pairs",
            "--quiet",
        )[0]
        == 0
    )
    assert not caplog.messages
    assert {"足球", "球比", "โปรแกรม"} <= words(tmp_path / "told")


def test_nothing_is_cut_where_that_is_asked_for(run: Run, corpus: Path, tmp_path: Path) -> None:
    assert run("fit", corpus, "--out", tmp_path / "m", *SMALL, "--segmenter", "none")[0] == 0
    assert "昨晚的足球比赛非常精彩" in words(tmp_path / "m")
