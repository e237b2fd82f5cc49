"""A fit that was stopped at any moment goes on to the bits of one that never was."""

from __future__ import annotations

import itertools
import logging
import os
import re
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.estimators.test_topic_model import make_texts
from tests.files.test_atomic import PowerCut, disk_full, failing
from undertow import AlphaNCE, InvalidInput, ReplicatedSoftmax, TopicModel
from undertow.estimators._saving import Saving
from undertow.learn import EpochRecord
from undertow.storage.checkpoint_folder import remove_checkpoint

COUNTS = sparse.csr_array(np.random.default_rng(1).poisson(0.4, (330, 40)))
TEXTS = make_texts(200)
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "replicas": {"replicas": 3, "batch_size": 2},
    "chains": {"learner": "pcd"},
    "no averages": {"averaging": 0.0},
    "early stopping": {"early_stopping": True, "n_iter_no_change": 1, "max_epochs": 9},
    "noise by trials": {"learner": AlphaNCE(noise_level="auto")},
    "watched": {"verbose": 1},
}


def new(**options: Any) -> ReplicatedSoftmax:
    usual: dict[str, Any] = {"max_epochs": 3, "batch_size": 8, "random_state": 0}
    return ReplicatedSoftmax(6, **(usual | options))


def bits(model: ReplicatedSoftmax) -> dict[str, bytes]:
    found = {name: array.tobytes() for name, array in model.parameters_.arrays().items()}
    found["carried"] = b"".join(a.tobytes() for _, a in sorted(model._run_state.items()))
    found["history"] = repr([(r.epoch, r.loss, r.split_half) for r in model.history_]).encode()
    return found


def stop_at_save(monkeypatch: pytest.MonkeyPatch, at: int) -> list[int]:
    """The process is gone before the save of this number, from 1 on. Says how many there were."""
    save, numbers = Saving._save, [0]

    def stopped(self: Saving, run: Any, *, done: bool) -> None:
        numbers[0] += 1
        if numbers[0] == at:
            raise PowerCut
        save(self, run, done=done)

    monkeypatch.setattr(Saving, "_save", stopped)
    return numbers


@pytest.mark.parametrize("kind", KINDS)
def test_a_stopped_fit_goes_on_to_the_same_bits(kind: str, tmp_path: Path) -> None:
    options = KINDS[kind]
    saving: dict[str, Any] = {"checkpoint": tmp_path / "saved", "checkpoint_every": "11steps"}
    whole = bits(new(**options).fit(COUNTS))
    with pytest.MonkeyPatch.context() as patch:
        saves = stop_at_save(patch, 0)
        assert bits(new(**options).fit(COUNTS, **saving)) == whole
    remove_checkpoint(tmp_path / "saved")
    assert saves[0] > 4
    for at in (2, saves[0] // 2, saves[0]):  # the last one is that of the end
        with pytest.MonkeyPatch.context() as patch:
            stop_at_save(patch, at)
            with pytest.raises(PowerCut):
                new(**options).fit(COUNTS, **saving)
        other = {**options, "n_jobs": 1, "verbose": 1 - options.get("verbose", 0)}
        assert bits(new(**other).fit(COUNTS, **saving, resume=True)) == whole
        remove_checkpoint(tmp_path / "saved")
    assert os.listdir(tmp_path) == []


def test_a_drawn_seed_is_that_of_the_checkpoint(tmp_path: Path) -> None:
    saving: dict[str, Any] = {"checkpoint": tmp_path / "saved", "checkpoint_every": "9steps"}
    with pytest.MonkeyPatch.context() as patch:
        stop_at_save(patch, 5)
        with pytest.raises(PowerCut):
            new(random_state=None).fit(COUNTS, **saving)
    first = new(random_state=None).fit(COUNTS, **saving, resume=True)
    again = new(random_state=None).fit(COUNTS, **saving, resume=True)  # at its end already
    assert bits(first) == bits(again)


@pytest.mark.parametrize("kind", ["plain", "replicas"])
@pytest.mark.parametrize("at", [1, 2, 5, 13, 29, 43, 61])
def test_a_power_cut_at_any_write_loses_nothing(kind: str, at: int, tmp_path: Path) -> None:
    """Every call into the system that saving makes may be the last one."""
    saving: dict[str, Any] = {"checkpoint": tmp_path / "saved", "checkpoint_every": "40steps"}
    with failing(at, PowerCut, dead=True), pytest.raises(PowerCut):
        new(**KINDS[kind]).fit(COUNTS, **saving)
    resumed = new(**KINDS[kind]).fit(COUNTS, **saving, resume=True)
    assert bits(resumed) == bits(new(**KINDS[kind]).fit(COUNTS))


@pytest.mark.torture
@pytest.mark.parametrize("at", range(1, 90))
def test_a_power_cut_at_every_write_loses_nothing(at: int, tmp_path: Path) -> None:
    test_a_power_cut_at_any_write_loses_nothing("replicas", at, tmp_path)


@pytest.mark.parametrize("limit", ["1GiB", 0])
def test_texts_are_read_again_and_must_be_the_same(limit: Any, tmp_path: Path) -> None:
    options: dict[str, Any] = {"max_epochs": 3, "batch_size": 16, "random_state": 0}
    options |= {"memory_limit": limit}
    saving: dict[str, Any] = {"checkpoint": tmp_path / "saved", "checkpoint_every": "7steps"}
    with pytest.MonkeyPatch.context() as patch:
        stop_at_save(patch, 3)
        with pytest.raises(PowerCut):
            TopicModel(6, **options).fit(TEXTS, **saving)
    saving["resume"] = True
    with pytest.raises(InvalidInput, match=r"corpus must be that of the checkpoint .* \(200 doc"):
        TopicModel(6, **options).fit([*TEXTS[1:], TEXTS[0]], **saving)
    other = 0 if limit else "1GiB"
    with pytest.raises(InvalidInput, match="memory_limit must hold counts "):
        TopicModel(6, **(options | {"memory_limit": other})).fit(TEXTS, **saving)
    vectors = {word: [float(i), 2.0] for i, word in enumerate(TEXTS[0].split())}
    with pytest.raises(InvalidInput, match="word_vectors must be those of the checkpoint"):
        TopicModel(6, **options).fit(TEXTS, **saving, word_vectors=vectors)
    resumed, whole = (
        TopicModel(6, **options).fit(TEXTS, **given) for given in (saving, dict[str, Any]())
    )
    assert bits(resumed.softmax_) == bits(whole.softmax_)
    assert resumed.topic_names() == whole.topic_names()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"max_epochs": 4}, "max_epochs must be 3 as in the checkpoint"),
        ({"n_components": 7}, "n_components must be 6 as in"),
        ({"random_state": 1}, "random_state must be 0 as in"),
        ({"learner": AlphaNCE(n_noise=3)}, "n_noise must be 10 as in|n_noise must be"),
        ({"learner": "cd"}, "learner must be "),
        ({"weighting": np.ones(40)}, "weighting must be 'idf' as in"),
        ({"engine": "reference"}, "engine must be 'cpu' as in"),
    ],
)
def test_other_options_are_named(changed: dict[str, Any], said: str, tmp_path: Path) -> None:
    saving: dict[str, Any] = {"checkpoint": tmp_path / "saved"}
    new().fit(COUNTS, **saving)
    before = (tmp_path / "saved" / "run" / "model.json").read_bytes()
    with pytest.raises(InvalidInput, match=said):
        new().set_params(**changed).fit(COUNTS, **saving, resume=True)
    with pytest.raises(InvalidInput, match="X must be that of the checkpoint"):
        new().fit(COUNTS[1:], **saving, resume=True)
    assert (tmp_path / "saved" / "run" / "model.json").read_bytes() == before


def test_a_finished_one_is_not_trained_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def trains(*_: Any) -> None:
        raise AssertionError

    whole = new().fit(COUNTS, checkpoint=tmp_path / "saved")
    model = new(callbacks=[trains]).fit(COUNTS, checkpoint=tmp_path / "saved", resume=True)
    assert bits(model) == bits(whole)
    assert "training goes on from" in caplog.text
    assert "its end" in caplog.text


def test_a_callback_that_ends_training_does_so_in_both(tmp_path: Path) -> None:
    def second(model: Any, record: EpochRecord) -> bool:
        return record.epoch == 1

    saving: dict[str, Any] = {"checkpoint": tmp_path / "saved", "checkpoint_every": "1epoch"}
    whole = new(callbacks=[second]).fit(COUNTS, **saving)
    assert whole.n_iter_ == 2
    assert bits(new(callbacks=[second]).fit(COUNTS, **saving, resume=True)) == bits(whole)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_for_the_step_and_saves(number: signal.Signals, tmp_path: Path) -> None:
    folder, seen = tmp_path / "saved", []

    def interrupt(model: Any, record: EpochRecord) -> None:
        os.kill(os.getpid(), number)
        seen.append(record.epoch)  # it waits

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        model = new(callbacks=[interrupt])
        with pytest.raises(KeyboardInterrupt):
            model.fit(COUNTS, checkpoint=folder)
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [0]
    assert model.n_iter_ == 1  # kept
    resumed = new().fit(COUNTS, checkpoint=folder, resume=True)
    assert bits(resumed) == bits(new().fit(COUNTS))


def test_a_full_disk_ends_no_training(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from undertow.storage import _arrays

    write, number = _arrays.write_arrays, itertools.count()

    def full(*given: Any) -> None:
        if next(number) > 3:
            raise disk_full()
        write(*given)

    monkeypatch.setattr(_arrays, "write_arrays", full)
    with caplog.at_level(logging.WARNING):
        saved = new().fit(COUNTS, checkpoint=tmp_path / "saved", checkpoint_every="20steps")
    assert "the checkpoint could not be written, training goes on" in caplog.text
    assert "No space left" in caplog.text
    monkeypatch.undo()
    assert bits(saved) == bits(new().fit(COUNTS))
    resumed = new().fit(COUNTS, checkpoint=tmp_path / "saved", resume=True)
    assert bits(resumed) == bits(saved)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"resume": True}, "resume must be used with checkpoint, got none"),
        ({"checkpoint_every": "1min"}, "checkpoint_every must be used with checkpoint"),
        ({"checkpoint": "saved", "checkpoint_every": "often"}, "such as '10min' or '30s', or such"),
        ({"checkpoint": "saved", "checkpoint_every": "0.5epochs"}, "checkpoint_every must be a"),
        ({"checkpoint": "saved"}, "checkpoint must be a folder without one, got"),
        ({"checkpoint": "foreign"}, "checkpoint must be a folder of its own, got .* 'mine' in it"),
        ({"checkpoint": "file"}, "checkpoint must be a folder that can be written, got"),
        ({"checkpoint": "file/below"}, "checkpoint must be a place that can be written, got"),
    ],
)
def test_what_cannot_be_is_said_before_training(
    given: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "mine").write_text("dear to me")
    (tmp_path / "file").write_text("too")
    new(max_epochs=1).fit(COUNTS, checkpoint="saved")
    with pytest.raises(InvalidInput, match=said):
        new(max_epochs=1).fit(COUNTS, **given)
    assert (tmp_path / "foreign" / "mine").read_text() == "dear to me"
    model = new(max_epochs=1, warm_start=True).fit(COUNTS)
    with pytest.raises(InvalidInput, match="checkpoint must be left out where warm_start"):
        model.fit(COUNTS, checkpoint="other")


def test_two_fits_do_not_share_a_checkpoint(tmp_path: Path) -> None:
    said: list[str] = []

    def another(model: Any, record: EpochRecord) -> None:
        with pytest.raises(InvalidInput) as error:
            new().fit(COUNTS, checkpoint=tmp_path / "saved", resume=True)
        said.append(str(error.value))

    new(callbacks=[another], max_epochs=1).fit(COUNTS, checkpoint=tmp_path / "saved")
    assert re.match("checkpoint must not be written by another process, got", said[0])
    assert os.listdir(tmp_path) == ["saved"]


def test_how_often() -> None:
    from undertow._check import how_often

    told: dict[Any, tuple[float, str]] = {
        "10min": (600.0, "seconds"),
        "2 hours": (7200.0, "seconds"),
        "0": (0.0, "seconds"),
        1.5: (1.5, "seconds"),
        "1epoch": (1.0, "epochs"),
        "500 steps": (500.0, "steps"),
    }
    for text, wanted in told.items():
        assert how_often("x", text) == wanted
    for wrong in (True, "", "-1", "min", "1 fortnight", "0steps", "1.5epochs", None):
        with pytest.raises(InvalidInput, match="x must be a time"):
            how_often("x", wrong)
