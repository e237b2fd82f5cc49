"""The benchmark of topics, at a tiny size."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from benchmarks import topic_corpora, topic_hdbscan, topic_words, topic_work, topics
from benchmarks.progress import silent
from benchmarks.tables import markdown
from benchmarks.topic_corpora import Texts
from benchmarks.topic_systems import SYSTEMS, UNDERTOW, LeftOut
from undertow import TopicModel

HAS_TREE = hasattr(TopicModel, "transform_topics")
TINY = topics.Plan(sizes=(2, 3), seeds=2, sweeps=20, units=8, epochs=10)
FRUIT = [
    "apple",
    "pear",
    "plum",
    "cherry",
    "grape",
    "fig",
    "lemon",
    "melon",
    "peach",
    "quince",
    "berry",
    "kiwi",
]
CARS = [
    "wheel",
    "brake",
    "gear",
    "engine",
    "road",
    "tyre",
    "clutch",
    "fuel",
    "pedal",
    "motor",
    "axle",
    "bonnet",
]


def made_up(documents: int = 60) -> Texts:
    """Texts of two kinds; every sixth has no label."""
    generator = np.random.default_rng(0)
    texts = [
        " ".join(generator.choice(CARS if number % 2 else FRUIT, 12)) for number in range(documents)
    ]
    labels = np.array(
        [None if n % 6 == 0 else "cars" if n % 2 else "fruit" for n in range(documents)],
        dtype=object,
    )
    return Texts("made up", texts, labels, "All of them.")


@pytest.mark.torture
def test_a_peer_is_judged_and_shown() -> None:
    plan = replace(TINY, systems=("NMF",))
    found = topics.measure(made_up(), plan)
    assert not found["skipped"]
    assert [(run["system"], run["seed"], run["n"]) for run in found["runs"]] == [
        (system, seed, n) for system in plan.systems for seed in range(2) for n in (2, 3)
    ]
    for run in found["runs"]:
        assert run["topics"] == run["n"]
        assert run["peak_mib"] > 10
        assert run["seconds"] > 0
        if run["n"] == 2:
            assert run["nmi"] == run["ari"] == pytest.approx(1.0)
            assert run["npmi"] > 0.3
            assert run["diversity"] == 1.0
            assert {frozenset(words) <= frozenset(CARS) for words in run["words"]} == {True, False}
    (two, three) = topics.sheets(found)
    assert "made up, 2 topics" in markdown(two)
    assert [row[0] for row in three.rows] == ["NMF"]
    assert three.rows[0][-1] == "2"


@pytest.mark.torture
@pytest.mark.slow
def test_every_system_runs() -> None:
    found = topics.measure(made_up(), replace(TINY, sizes=(2,), seeds=1))
    missing = {
        name for name, entry in SYSTEMS.items() if entry.needs and find_spec(entry.needs) is None
    }
    assert set(found["skipped"]) <= missing | (set() if HAS_TREE else {UNDERTOW})
    by_name = {run["system"]: run for run in found["runs"]}
    assert set(by_name) == set(SYSTEMS) - set(found["skipped"])
    assert by_name["strengths + k-means"]["nmi"] == pytest.approx(1.0)
    assert by_name["strengths + k-means"]["groups"] == [30, 30]


@pytest.mark.torture
@pytest.mark.skipif(not HAS_TREE, reason="TopicModel has no tree of topics yet")
def test_ours_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "READ", 2)
    found = topics.measure(made_up(), replace(TINY, sizes=(2,), seeds=1, systems=(UNDERTOW,)))
    (run,) = found["runs"]
    assert run["nmi"] > 0.9
    listed = topics.sheets(found)[-1]
    assert listed.title == "The 2 topics of undertow, seed 0, unedited"
    assert [len(row[2].split()) for row in listed.rows] == [10, 10]


def test_another_number_of_topics_than_asked_for_is_shown() -> None:
    assert (
        topics._name("HDBSCAN", [{"topics": 26}, {"topics": 31}], 50) == "HDBSCAN (26, 31 topics)"
    )
    assert topics._name("NMF", [{"topics": 50}], 50) == "NMF"


def test_what_is_left_out_still_runs_every_seed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[int] = []

    def run(order: topic_work.Order) -> list[dict[str, str]]:
        asked.append(order.seed)
        return [{"left_out": "no tree"}]

    monkeypatch.setattr(topic_work, "run", run)
    with pytest.raises(LeftOut, match="no tree"):
        topics.of_system(UNDERTOW, tmp_path, topic_corpora.counted(made_up()), TINY, silent)
    assert asked == [0, 1]


def test_a_library_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "find_spec", lambda name: None)
    said: list[str] = []
    found = topics.measure(made_up(), replace(TINY, systems=("LDA",)), said.append)
    reason = "tomotopy is not installed (pip install undertow[bench])"
    assert found["skipped"] == {"LDA": reason}
    assert f"LDA is left out: {reason}" in said


def test_a_process_that_fails_says_why(tmp_path: Path) -> None:
    order = topic_work.Order("NMF", str(tmp_path), (2,), 0, 1, 8, 1)
    with pytest.raises(topic_work.Failed, match="No such file or directory"):
        list(topic_work.run(order))


def test_without_data_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("UNDERTOW_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["topics"])
    with pytest.raises(SystemExit) as ended:
        topics.main()
    assert not ended.value.code
    assert "Topics are not judged: UNDERTOW_DATA must name the folder" in capsys.readouterr().err


def test_words_in_order_are_those_that_are_counted() -> None:
    corpus = made_up()
    read = topic_corpora.counted(corpus)
    for text, numbers, counts in zip(
        corpus.texts, read.in_order, read.counts.toarray(), strict=True
    ):
        assert [read.words[number] for number in numbers] == [
            word for word in text.split() if word in read.words
        ]
        np.testing.assert_array_equal(np.bincount(numbers, minlength=len(read.words)), counts)


def test_words_of_groups_by_hand() -> None:
    counts = sparse.csr_array(np.array([[3, 0, 1], [1, 0, 1], [0, 2, 1], [0, 0, 1]]))
    groups = np.array([0, 0, 1, 1])
    # group 1: word 1 is in a half of its documents and a quarter of all, words 0 and 2 count
    # nothing
    assert topic_words.by_share(counts, groups, 2) == [[0, 1, 2], [1, 0, 2]]
    # roots of shares of words in the groups' 6 and 4, times log(1 + 5 / f) with f = 4, 2, 4
    expected = np.sqrt([[4 / 6, 0, 2 / 6], [0, 2 / 4, 2 / 4]]) * np.log(1 + 5 / np.array([4, 2, 4]))
    np.testing.assert_allclose(topic_words.class_tf_idf(counts, groups, 2), expected)
    assert topic_words.by_class_tf_idf(counts, groups, 2) == [[0, 2, 1], [1, 2, 0]]


def test_clusters_are_merged_by_words_and_outliers_go_to_the_nearest() -> None:
    counts = sparse.csr_array(np.array([[5, 1, 0], [4, 1, 0], [0, 1, 5], [0, 1, 5], [9, 1, 0]]))
    assert topic_hdbscan.merged(counts, np.array([0, 1, 2, -1, 1]), 2).tolist() == [0, 0, 1, -1, 0]
    assert topic_hdbscan.merged(counts, np.array([0, 1, 2, -1, 1]), 3).tolist() == [0, 1, 2, -1, 1]
    vectors = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.8], [1.0, 0.0]])
    assert topic_hdbscan.with_outliers(vectors, np.array([0, 0, 1, -1, 0])).tolist() == [
        0,
        0,
        1,
        1,
        0,
    ]
