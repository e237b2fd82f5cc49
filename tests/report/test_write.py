"""What `write_report` puts on the page, for models and corpora of every kind."""

from __future__ import annotations

import copy
import json
import os
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.plot.test_palette import contrast
from undertow import InvalidInput, ReplicatedSoftmax, TopicModel
from undertow.corpus import as_corpus
from undertow.estimators import evaluation
from undertow.insight import Overview, similar_topics
from undertow.plot import palette
from undertow.report import _beginnings, _charts, _facts, _map, _topics, _write, write_report
from undertow.topics import atlas
from undertow.topics.excerpts import shortened


def data_of(file: Path) -> Any:
    found = re.search(
        r'<script type="application/json" id="data">(.*?)</script>',
        file.read_text(encoding="utf-8"),
    )
    assert found
    return json.loads(found[1])


def sections(file: Path) -> list[str]:
    return re.findall(r'<section id="([^"]+)">', file.read_text(encoding="utf-8"))


def test_all_parts_are_there(report: Path) -> None:
    assert sections(report) == [
        "topics",
        "tree",
        "map",
        "over-time",
        "details",
        "model",
        "settings",
    ]


def test_every_topic_is_on_the_page(report: Path, model: TopicModel) -> None:
    text = unescape(report.read_text(encoding="utf-8"))
    topics = model.topics(n_words=_topics.WORDS)
    assert f"<b>{model.atlas_.documents:,}</b> documents, <b>{len(topics)}</b> topics." in text
    for topic in topics:
        assert text.count(f'href="#topic-{topic.id}"') >= 2  # from the list and from the tree
        assert f'id="topic-{topic.id}"' in text
        assert f"{topic.documents:,} documents, {topic.share:.1%}" in text
        assert all(f'<span dir="auto">{word.word}</span>' in text for word in topic.words)
        assert all(f"<q>{document.sentence}</q>" in text for document in topic.typical[:1])
    assert text.count("<q>") >= 4
    for record in _topics.topics(model, None, None, {}):
        expected = [
            other for other in similar_topics(model, record["id"], 3) if other.similarity > 0
        ]
        assert record["similar"] == expected


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.usefixtures("map_is_known")
def test_any_number_of_topics(
    model: TopicModel, table: pl.DataFrame, tmp_path: Path, n: int
) -> None:
    file = write_report(model, tmp_path / "report.html", table, n=n, evaluate=False)
    text = file.read_text(encoding="utf-8")
    assert re.findall(r'<article class="topic" id="topic-(\d+)"', text) == [
        str(node) for node in model.topic_names(n)
    ]
    data = data_of(file)
    assert [topic["id"] for topic in data["topics"]] == list(model.topic_names(n))
    assert sorted(data["streams"]["order"]) == list(range(n))


def test_the_tree_holds_every_topic_once(
    model: TopicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atlas, "LEVEL", 2)  # few topics, and still two levels
    monkeypatch.setattr(atlas, "FEWEST_BRANCHES", 2)
    shown = _topics.topics(model, 5, None, {})

    def listed(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [found for node in nodes for found in (node, *listed(node["branches"]))]

    nodes = listed(_topics.branches(model, 5, shown))
    assert sorted(node["id"] for node in nodes if node["colour"]) == sorted(model.topic_names(5))
    assert all(bool(node["branches"]) is (node["colour"] is None) for node in nodes)
    assert {node["width"] for node in nodes if node["branches"]} == {50.0}
    assert all(node["width"] == 100.0 for node in nodes if not node["branches"])


def test_words_can_be_read_on_every_colour() -> None:
    for colour in palette.PALETTE:
        assert contrast(colour, _topics.ink_on(colour)) > 4.0, colour


def test_streams_are_those_of_the_overview(model: TopicModel, overview: Overview) -> None:
    found = _charts.streams(model, 4, overview)
    assert found is not None
    assert overview.over_time is not None
    shares = overview.over_time.shares(model.atlas_, model.atlas_.cut(4))
    filled = overview.over_time.documents > 0
    for place, drawn in zip(found["order"], found["shares"], strict=True):
        np.testing.assert_allclose(drawn, shares[filled, place], atol=1e-5)
    assert len(found["at"]) == len(found["when"]) == filled.sum()
    assert all(0 <= at <= 1 for at in found["at"])
    assert sum(found["bars"]["documents"]) == 120
    assert _charts.streams(model, 4, replace(overview, over_time=None)) is None


def test_a_model_without_topics_is_told_so(model: TopicModel, tmp_path: Path) -> None:
    old = copy.copy(model)
    del old.atlas_
    with pytest.raises(InvalidInput, match="tree of topics"):
        write_report(old, tmp_path / "report.html")
    with pytest.raises(InvalidInput, match="n must be from 2"):
        write_report(model, tmp_path / "report.html", n=1000)
    assert not list(tmp_path.iterdir())


def test_it_is_small(report: Path, overview: Overview, model: TopicModel) -> None:
    assert report.stat().st_size < 200_000
    rows = np.arange(119)
    long = {int(row): "word " * 100 for row in rows}
    assert max(map(len, _map.map_of(overview, model, None, rows, long)["titles"])) <= 90
    many = np.zeros(20_000, dtype=np.int64)
    assert max(map(len, _map.map_of(overview, model, None, many, long)["titles"])) <= 60


def test_figures_are_those_of_evaluate(
    report: Path, model: TopicModel, table: pl.DataFrame
) -> None:
    read = evaluation.read_corpus(model, as_corpus(table))
    figures = evaluation.label_figures(model.softmax_, read, 0) | evaluation.label_free_figures(
        model, read
    )
    del figures["documents_per_second"]  # another at each run
    text = report.read_text(encoding="utf-8")
    for fact in _facts.judgements(figures):
        assert re.search(
            rf"{re.escape(fact.name)}<small>.*</small></th><td>{re.escape(fact.value)}</td>", text
        )
    assert len(_facts.judgements(figures)) == len(_facts.JUDGEMENTS) - 1
    curve = data_of(report)["charts"]["precision"]
    assert curve["y"] == pytest.approx(
        [level["precision"] for level in figures["precision_at_recall"]], rel=1e-5
    )


def test_typical_documents_are_those_of_the_overview(
    overview: Overview, model: TopicModel, table: pl.DataFrame, report: Path
) -> None:
    text = unescape(report.read_text(encoding="utf-8"))
    for topic in model.atlas_.cut():
        for row in overview.typical_of(model.atlas_, topic, _topics.TYPICAL):
            assert f"<bdi>{overview.ids[row]}</bdi>" in text
            assert shortened(table["text"][row], _topics.SHOWN) in text


def test_a_model_alone(model: TopicModel, tmp_path: Path) -> None:
    model.save(tmp_path / "fruit")
    file = write_report(tmp_path / "fruit", tmp_path / "deep" / "report.html")
    assert sections(file) == ["topics", "tree", "details", "model", "settings"]
    text = unescape(file.read_text(encoding="utf-8"))
    assert '<h1 dir="auto">fruit</h1>' in text
    assert all(
        f"<bdi>{document.id}</bdi>" in text
        for topic in model.topics()
        for document in topic.typical
    )
    assert data_of(file)["map"] is None
    assert [path.name for path in file.parent.iterdir()] == ["report.html"]


@pytest.mark.usefixtures("map_is_known")
def test_the_same_twice_but_for_the_time(
    model: TopicModel, table: pl.DataFrame, tmp_path: Path
) -> None:
    files = [write_report(model, tmp_path / f"{n}.html", table, evaluate=False) for n in range(2)]
    one, other = (
        re.sub(r"Made [-0-9: ]+ UTC", "", file.read_text(encoding="utf-8")) for file in files
    )
    assert one == other
    assert 'id="quality"' not in one


def test_bare_texts(model: TopicModel, tmp_path: Path) -> None:
    file = write_report(
        model, tmp_path / "report.html", ["apple pear plum", "gear wheel brake", "xyzzy"]
    )
    assert data_of(file)["map"]["colourings"] == ["topic"]
    assert "over-time" not in sections(file)


def test_texts_without_a_known_word_have_no_map(model: TopicModel, tmp_path: Path) -> None:
    file = write_report(model, tmp_path / "report.html", ["xyzzy", "plugh"])
    assert "map" not in sections(file)


def test_what_cannot_be_measured_is_left_out(model: TopicModel, tmp_path: Path) -> None:
    one = pl.DataFrame({"text": ["apple pear"], "label": ["a"], "split": ["test"]})
    text = write_report(model, tmp_path / "report.html", one).read_text(encoding="utf-8")
    assert "Split-half retrieval" not in text


def test_a_model_with_one_unit_and_no_history(tmp_path: Path) -> None:
    texts = ["apple pear", "pear plum", "plum apple"] * 5
    model = TopicModel(1, max_epochs=1, random_state=0).fit(texts)
    model.softmax_.history_ = []
    file = write_report(model, tmp_path / "report.html")
    assert sections(file) == ["topics", "tree", "details", "model", "settings"]
    assert not [name for name in data_of(file)["charts"] if name.startswith("training")]


@pytest.mark.usefixtures("map_is_known")
def test_a_map_of_many_is_a_sample_that_says_so(
    model: TopicModel, table: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_map, "MOST", 50)
    file = write_report(model, tmp_path / "report.html", table, evaluate=False)
    assert data_of(file)["map"]["points"] == 50
    assert "50 of 120 documents are shown" in " ".join(file.read_text(encoding="utf-8").split())
    assert "a sample, drawn at random" in file.read_text(encoding="utf-8")


def test_documents_without_a_word_are_said_to_be_missing(report: Path) -> None:
    text = " ".join(report.read_text(encoding="utf-8").split())
    assert "119 of 120 documents are shown: 1 has no word that the model knows" in text


def test_many_documents_are_judged_by_a_sample(
    model: TopicModel, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_write, "MOST_JUDGED", 60)
    found = _write.judgement(model, as_corpus(table), 120, 0, lambda work, done, total: None)
    assert found["documents"] == 60
    again = _write.judgement(model, as_corpus(table), 120, 0, lambda work, done, total: None)
    assert {**found, "documents_per_second": 0} == {**again, "documents_per_second": 0}


def test_rows_of_a_corpus_are_read_by_their_numbers(model: TopicModel, table: pl.DataFrame) -> None:
    rows = np.array([3, 50, 119])
    read = evaluation.read_corpus(model, as_corpus(table), rows=rows)
    np.testing.assert_array_equal(
        read.counts.toarray(), model.counts(table["text"][rows.tolist()]).toarray()
    )
    assert list(read.labels) == table["label"][rows.tolist()].to_list()


def test_texts_of_a_sampled_overview_are_found_by_id(
    overview: Overview, table: pl.DataFrame
) -> None:
    places = [5, 80, 2]
    part = replace(overview, ids=[overview.ids[place] for place in places], sampled_from=120)
    expected = {row: table["text"][place][:10] for row, place in enumerate(places)}
    assert _beginnings.beginnings(as_corpus(table), part, range(3), 10) == expected
    assert _beginnings.beginnings(as_corpus(table), overview, [80], 10) == {
        80: table["text"][80][:10]
    }


def test_progress_is_told(model: TopicModel, table: pl.DataFrame, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    write_report(model, tmp_path / "report.html", table, progress=lambda *step: told.append(step))
    assert list(dict.fromkeys(work for work, _, _ in told))[-4:] == [
        "counting",
        "classifying and retrieving",
        "judging topics",
        "writing",
    ]
    assert told[-1] == ("writing", 1, 1)
    assert all(0 <= done <= total for _, done, total in told)


def test_a_file_is_not_written_over_unless_asked(model: TopicModel, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text("mine")
    with pytest.raises(InvalidInput, match="path must not exist yet"):
        write_report(model, file)
    assert file.read_text() == "mine"
    assert write_report(model, file, overwrite=True).stat().st_size > 20_000
    with pytest.raises(InvalidInput, match="which is a folder"):
        write_report(model, tmp_path, overwrite=True)


def test_a_failure_leaves_what_was_there(
    model: TopicModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "report.html"
    file.write_text("mine")

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_report(model, file, overwrite=True)
    assert (file.read_text(), [path.name for path in tmp_path.iterdir()]) == (
        "mine",
        ["report.html"],
    )


def test_a_model_of_counts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match="model must be a TopicModel or its folder, got ReplicatedSoftmax"
    ):
        write_report(ReplicatedSoftmax(3), tmp_path / "report.html")


def test_long_settings_are_shortened(model: TopicModel) -> None:
    assert _facts._setting("weighting", np.ones(20)).value == "20 values"
    assert len(_facts._setting("x", "y" * 500).value) == 200
    names = {fact.name for facts in _facts.settings(model).values() for fact in facts}
    assert {"n_components", "token_pattern", "undertow", "numpy"} <= names
    assert "n_jobs" not in names
