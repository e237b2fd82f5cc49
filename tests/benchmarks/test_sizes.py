"""The sweep over sizes, on made-up corpora."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from benchmarks import size_corpora, size_rows, size_table, sizes
from benchmarks.pool import worked
from benchmarks.size_corpora import Texts
from benchmarks.size_rows import Row

TINY = Row("tiny", "tiny", 60, counting="all words", units=8)


def made_up(documents: int = 120) -> list[tuple[str, str]]:
    generator = np.random.default_rng(0)
    heaps = [[f"{kind}{letter}" for letter in "abcdefghij"] for kind in ("fruit", "wheel")]
    return [
        (" ".join(generator.choice(heaps[n % 2], 8)), f"kind {n % 2}") for n in range(documents)
    ]


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    texts = Texts(made_up(), [*made_up(20), ("unheard of", "kind 0")], ["fruita wheela"] * 5)
    monkeypatch.setitem(size_corpora.SOURCES, "tiny", lambda: texts)
    size_corpora.texts_of.cache_clear()
    yield
    size_corpora.texts_of.cache_clear()


@pytest.mark.torture
def test_a_row_is_judged() -> None:
    found = sizes.measure(sizes.Order(TINY, 0))
    assert (found["documents"], found["questions"], found["labels"], found["units"]) == (
        60,
        20,
        2,
        8,
    )
    assert found["tokens"] == 8.0
    for system in size_table.SYSTEMS:
        assert found[system]["accuracy"] == 1.0
        assert found[system]["map"] > 0.8
        assert 0.8 < found[system]["p10"] <= 1.0
    json.dumps(found)


def test_unlabelled_documents_are_learned_from_and_not_found() -> None:
    row = Row("tiny", "tiny", 200, True, counting="all words")
    corpus = size_corpora.counted(row)
    assert corpus.learn.shape[0] == 125
    assert len(corpus.train_labels) == corpus.train.shape[0] == 120


def test_documents_without_a_known_word_go_with_their_labels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    train = [("lonely", "odd"), *made_up(30), ("alone", "odd")]
    monkeypatch.setitem(
        size_corpora.SOURCES, "gaps", lambda: Texts(train, [("lonely", "odd"), *made_up(4)])
    )
    corpus = size_corpora.counted(Row("gaps", "gaps", 100, counting="all words"))
    assert corpus.learn.shape[0] == len(corpus.train_labels) == 30
    assert corpus.test.shape[0] == len(corpus.test_labels) == 4
    assert "odd" not in {*corpus.train_labels, *corpus.test_labels}


def test_what_is_complained_of_is_kept() -> None:
    with sizes._complaints() as found:
        warnings.warn("odd", UserWarning, stacklevel=1)
        logging.getLogger("undertow").warning("%s units", 3)
    assert sorted(found) == ["3 units", "UserWarning: odd"]


def test_a_row_that_fails_does_not_end_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    bad = Row("bad", "tiny", 60, counting="nothing")
    found = sizes.measured([bad, TINY], seeds=2, jobs=1)["rows"]
    assert found["bad"] == {"failed": "KeyError: 'nothing'"}
    assert found["tiny"]["undertow"]["accuracy"] == 1.0
    assert len(capsys.readouterr().err.splitlines()) == 4


def test_means_over_seeds() -> None:
    run = {"dead_units": 1, "units": 8, "warnings": ["b", "a"], "LSA": {"map": 0.2}}
    other = {"dead_units": 2, "units": 8, "warnings": ["a"], "LSA": {"map": 0.4}}
    mean = sizes._mean([run, other])
    assert (mean["dead_units"], mean["units"], mean["warnings"]) == (1.5, 8, ["a", "b"])
    assert mean["LSA"]["map"] == pytest.approx(0.3)


def row_of(ours: float, lsa: float, accuracy: float = 0.5) -> dict[str, Any]:
    figures = {"accuracy": 0.5, "p10": 0.5, "seconds": 1.0}
    return {
        **{
            "documents": 1000,
            "words": 50,
            "tokens": 8.2,
            "units": 8,
            "dead_units": 2,
            "warnings": ["odd"],
        },
        "undertow": figures | {"map": ours, "accuracy": accuracy},
        "LSA": figures | {"map": lsa},
        "words themselves": figures | {"map": 0.1},
    }


def test_marks_are_counted_and_the_worst_named() -> None:
    rows = {
        "good": row_of(0.5, 0.4),
        "low": row_of(0.4, 0.4),
        "lower": row_of(0.5, 0.4, 0.45),
        "gone": {"failed": "x"},
    }
    whole, accuracy, nearest, area = size_table.summary(rows)
    assert whole == "- All three marks are reached in 1 of 4 rows."
    assert accuracy == "- accuracy at least LSA's: 2 of 4 rows. Worst: lower (-0.050)."
    assert nearest == "- P@10 at least LSA's: 3 of 4 rows. Worst: –."
    assert area == "- MAP at least 1.2 times LSA's: 2 of 4 rows. Worst: low (1.00 times)."


def test_the_page_keeps_its_commentary(tmp_path: Path) -> None:
    page = tmp_path / "sizes.md"
    page.write_text("# Mine\n\n<!-- sizes -->\nold\n<!-- end sizes -->\n\nand this\n")
    rows = {"good": row_of(0.5, 0.4), "gone": {"failed": "no data"}}
    found = {
        "time": "2026-01-02T03:04:05",
        "seeds": 1,
        "all_rows": False,
        "rows": rows,
        "computed_on": "a machine",
    }
    size_table.put(found, page)
    text = page.read_text()
    assert text.startswith("# Mine")
    assert text.endswith("and this\n")
    assert "old" not in text
    assert "*Some of the rows only.*" in text
    line = (
        "| good | 1,000 | 50 | 8 | 8 | .500 / .500 / .500 | .500 / .500 / .500 | .500 / .400 / "
        ".100 | 1.25 | 2 | 1 |"
    )
    assert line in text
    assert "- gone failed: no data" in text


def test_rows_have_names_of_their_own_and_sources() -> None:
    rows = size_rows.rows("folder")
    assert len({row.name for row in rows}) == len(rows)
    assert {row.source for row in rows} - {"newswire"} <= set(size_corpora.SOURCES)
    assert [row for row in rows if size_rows.quick(row)]
    for row in rows:
        size_corpora._counter(row.counting, row.words)


def test_rows_are_chosen_by_name() -> None:
    assert [row.name for row in sizes.chosen_rows(["posts 200"], False, "")] == ["posts 200"]
    with pytest.raises(SystemExit, match=r"--only must name rows \('posts 200', .*got 'posts 201'"):
        sizes.chosen_rows(["posts 201"], False, "")


def test_joined_posts_are_of_one_group() -> None:
    joined = size_corpora._joined([(f"{n % 2}", f"{n % 2}") for n in range(90)])
    assert [label for _, label in joined] == ["0", "0", "1", "1"]
    assert all(text.split("\n") == [label] * 20 for text, label in joined)


def test_subjects_lose_their_re(monkeypatch: pytest.MonkeyPatch) -> None:
    posts = [
        "From: me\nSubject: Re: RE: Old bikes\n\nHello\nSubject: no",
        "From: you\n\nNothing",
        "subject: Cars\n\n",
    ]
    table = pl.DataFrame(
        {"split": ["train", "train", "test"], "label": ["a", "a", "b"], "text": posts}
    )
    monkeypatch.setattr(size_corpora, "load_20newsgroups", lambda: table)
    assert size_corpora.subjects() == Texts([("Old bikes", "a")], [("Cars", "b")])


def test_baskets_are_of_their_kind_and_always_the_same() -> None:
    texts = size_corpora.baskets(200)
    assert texts == size_corpora.baskets(200)
    assert (len(texts.train), len(texts.test)) == (160, 40)
    assert len({label for _, label in texts.train}) == size_corpora.KINDS


def test_news_of_one_topic_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size_corpora, "FEWEST_OF_A_LABEL", 2)
    items = [{"title": "t", "body": f"b{n}", "topics": ["earn"]} for n in range(10)]
    others = [
        {"body": "b", "topics": ["rare"]},
        {"body": "b", "topics": ["earn", "acq"]},
        {"topics": ["earn"]},
    ]
    (tmp_path / "one.json").write_text(json.dumps(items + others))
    texts = size_corpora.newswire(tmp_path)
    assert sorted([*texts.train, *texts.test]) == [(f"t\nb{n}", "earn") for n in range(10)]
    assert len(texts.test) == 2


def _half(number: int) -> float:
    return 1 / number


@pytest.mark.torture
@pytest.mark.slow
def test_work_goes_to_processes() -> None:
    found = dict(worked(_half, [2, 0], jobs=2))
    assert found[2] == 0.5
    assert isinstance(found[0], Exception)


def test_all_of_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sizes, "rows", lambda news: [TINY])
    monkeypatch.setattr(sizes, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["sizes", "--jobs", "1", "--record"])
    sizes.main()
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text())["rows"]["tiny"]["documents"] == 60
    assert "| tiny | 60 |" in capsys.readouterr().out


def test_what_is_kept_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kept.json"
    first = sizes.measured([TINY], seeds=1, jobs=1, keep=file)
    monkeypatch.setattr(sizes, "measure", lambda order: pytest.fail(f"{order} is measured again"))
    assert sizes.measured([TINY], seeds=1, jobs=1, keep=file) == first
    assert "undertow" in first["computed_on"]


def test_counts_in_a_folder_are_those_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = sizes.counted(TINY, tmp_path)
    monkeypatch.setattr(size_corpora, "counted", lambda row: pytest.fail(f"{row} is counted again"))
    again = sizes.counted(TINY, tmp_path)
    for name, array in counted.arrays().items():
        np.testing.assert_array_equal(again.arrays()[name], array)
