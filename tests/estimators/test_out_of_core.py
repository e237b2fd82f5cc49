"""Fitting counts that do not fit into the memory granted: the same model where it can be, and
nothing left behind.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.estimators.test_topic_model import make_texts
from undertow import AlphaNCE, InvalidInput, ReplicatedSoftmax, TopicModel
from undertow._check import number_of_bytes
from undertow.estimators import _documents
from undertow.estimators._noise_level import trial_epochs
from undertow.learn import EpochRecord
from undertow.spool import CountSpool


def make_model(limit: int | str, folder: Path | None = None, **options: Any) -> TopicModel:
    usual: dict[str, Any] = {"vocabulary_size": 15, "chunk_size": 30}
    usual |= {"max_epochs": 5, "batch_size": 32}
    usual |= {"random_state": 0, "memory_limit": limit, "scratch_folder": folder}
    return TopicModel(6, **(usual | options))


def assert_same(ours: TopicModel, theirs: TopicModel) -> None:
    assert ours.words() == theirs.words()
    for name in (
        "components_",
        "hidden_bias_",
        "word_weights_",
        "noise_distribution_",
        "activity_",
    ):
        np.testing.assert_array_equal(getattr(ours.softmax_, name), getattr(theirs.softmax_, name))
    for name in ("typical_length_", "noise_level_", "n_iter_", "n_features_in_"):
        assert getattr(ours.softmax_, name) == getattr(theirs.softmax_, name)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"count_transform": None},
        {"weighting": None},
        {"learner": "pcd"},
        {"learner": AlphaNCE(noise_level="auto")},
    ],
)
def test_a_small_spool_gives_the_model_of_memory(tmp_path: Path, options: dict[str, Any]) -> None:
    texts = ["", *make_texts(200), "zyzzy"]
    on_disk, in_memory = (
        make_model(limit, tmp_path, **options).fit(texts) for limit in (0, "1GiB")
    )
    assert_same(on_disk, in_memory)
    assert on_disk.reading_.scratch_bytes > 0
    assert in_memory.reading_.scratch_bytes == 0
    assert on_disk.reading_.documents == in_memory.reading_.documents == 202
    assert on_disk.reading_.seconds > 0
    assert list(tmp_path.iterdir()) == []


def test_a_fixed_vocabulary_is_spooled_as_well(tmp_path: Path) -> None:
    texts, words = make_texts(), ["apple", "wheel", "pear", "road"]
    models = [make_model(limit, tmp_path).set_params(vocabulary=words) for limit in (0, 10**9)]
    assert_same(*(model.fit(texts) for model in models))
    assert models[0].reading_.scratch_bytes > 0


@pytest.mark.parametrize("limit", [600, 3000])
def test_memory_may_run_out_at_any_time(tmp_path: Path, limit: int) -> None:
    """While all words are counted, or only when those of the vocabulary are put together."""
    texts = make_texts(200)
    assert_same(make_model(limit, tmp_path).fit(texts), make_model("1GiB").fit(texts))


def test_it_says_where_counts_go(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="undertow"):
        make_model(0, tmp_path).fit(make_texts())
        assert str(tmp_path / "undertow-") in caplog.text
        caplog.clear()
        make_model("1GiB", tmp_path).fit(make_texts())
        assert str(tmp_path) not in caplog.text


def test_reading_and_training_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_model(0, tmp_path, verbose=1, max_epochs=2).fit(make_texts())
    shown = capsys.readouterr().out
    assert "counted 100 documents" in shown
    assert shown.count(f"they go to {tmp_path / 'undertow-'}") == 1
    assert "epoch 2/2" in shown


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_nothing_is_left_behind(tmp_path: Path, error: type[BaseException]) -> None:
    def stop(model: ReplicatedSoftmax, record: EpochRecord) -> bool:
        assert [path.name[:9] for path in tmp_path.iterdir()] == ["undertow-"]
        if record.epoch == 2:
            raise error
        return False

    model = make_model(0, tmp_path, callbacks=[stop])
    with pytest.raises(error):
        model.fit(make_texts())
    assert list(tmp_path.iterdir()) == []
    if error is KeyboardInterrupt:
        assert model.softmax_.n_iter_ == 3
        assert np.isfinite(model.transform(["apple"])).all()


def test_texts_that_cannot_be_read_leave_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="texts must be strings, got 3 in row 100"):
        make_model(0, tmp_path).fit([*make_texts(), 3])
    assert list(tmp_path.iterdir()) == []


def test_early_stopping_holds_documents_out(tmp_path: Path) -> None:
    model = make_model(
        0, tmp_path, early_stopping=True, validation_fraction=0.3, n_iter_no_change=2, max_epochs=60
    )
    model.fit(make_texts(150))
    history = model.softmax_.history_
    assert history[0].split_half is not None
    assert len(history) < 60


def test_statistics_of_a_sample_are_near_those_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = make_texts(2000)
    whole = make_model("1GiB", max_epochs=2).fit(texts)
    monkeypatch.setattr(_documents, "SAMPLE", 400)
    sampled = make_model(0, tmp_path, max_epochs=2).fit(texts)
    assert_same(
        sampled, make_model("1GiB", max_epochs=2).fit(texts)
    )  # what training goes by is the same sample
    assert sampled.softmax_.typical_length_ == pytest.approx(
        whole.softmax_.typical_length_, rel=0.1
    )
    assert np.abs(sampled.softmax_.activity_ - whole.softmax_.activity_).max() < 5 * 0.5 / np.sqrt(
        400
    )
    assert not np.array_equal(sampled.softmax_.activity_, whole.softmax_.activity_)


def test_a_sample_without_weight_still_has_a_typical_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_documents, "SAMPLE", 0)
    model = make_model(0, tmp_path).fit(make_texts(200))
    exact = make_model("1GiB").fit(make_texts(200))
    assert model.softmax_.typical_length_ == pytest.approx(exact.softmax_.typical_length_, rel=0.3)


def test_nothing_to_learn_from_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput,
        match="X must hold a document with a word of positive weight, got none in n_samp",
    ):
        make_model(0, tmp_path).fit(["apple pear"] * 20)


def test_spools_are_where_training_reads_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that takes no matrix at all must be trained from disk."""
    seen: list[CountSpool] = []
    original = ReplicatedSoftmax._fit_spool

    def fit_spool(self: ReplicatedSoftmax, spool: CountSpool, *more: Any) -> ReplicatedSoftmax:
        seen.append(spool)
        return original(self, spool, *more)

    monkeypatch.setattr(ReplicatedSoftmax, "_fit_held", None)
    monkeypatch.setattr(ReplicatedSoftmax, "_fit_spool", fit_spool)
    make_model(0, tmp_path).fit(make_texts())
    assert seen[0].documents == 100


def test_trials_on_a_sample_are_no_longer_than_on_the_whole() -> None:
    assert trial_epochs(10, 50_000, 50_000, 128) == 3  # a quarter of the epochs, as in memory
    assert trial_epochs(1, 5_000_000, 20_000, 128) == 8  # a quarter of 4,500 steps of 157 a pass
    assert trial_epochs(1, 30_000, 20_000, 128) == 1
    assert trial_epochs(2, 100, 50, 128) == 1


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, 0),
        (12, 12),
        ("12", 12),
        ("500MB", 5 * 10**8),
        ("1GiB", 2**30),
        ("1.5 kib", 1536),
        ("2g", 2 * 10**9),
    ],
)
def test_sizes_are_read(size: object, expected: int) -> None:
    assert number_of_bytes("memory_limit", size) == expected


@pytest.mark.parametrize("size", ["", "much", "-1", "5XB", "MB", "1e9"])
def test_sizes_that_are_none_are_refused(size: str) -> None:
    message = f"memory_limit must be a number of bytes such as '500MB' or '2GiB', got '{size}'"
    with pytest.raises(InvalidInput, match=f"^{message}$"):
        make_model(size).fit(make_texts())


@pytest.mark.parametrize("size", [-1, None, 1.5])
def test_numbers_that_are_no_size_are_refused(size: Any) -> None:
    with pytest.raises(InvalidInput, match="memory_limit must be a whole number of at least 0"):
        make_model(size).fit(make_texts())


def test_a_scratch_folder_that_is_none_is_refused_before_reading(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"scratch_folder must be a folder, got .*absent"):
        make_model(0, tmp_path / "absent").fit(iter([1, 2]))
