"""Where a fit cannot write is said before it reads anything; two fits do not share a place."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import polars as pl
import pytest

from tests.cli.test_long_fits import interrupting, usual_signals
from tests.disks import no_file_above, read_only, small_disk
from tests.estimators.test_topic_model import make_texts
from tests.shell import Run
from undertow import ModelFileError, ReplicatedSoftmax, TopicModel, load
from undertow.files.claim import claimed
from undertow.storage import folder as stored

__all__ = ["usual_signals"]  # a fixture
FIT = ("fit", "corpus.parquet", "--n-components", "4", "--max-epochs", "1", "--quiet")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pl.DataFrame({"text": make_texts(60)}).write_parquet(tmp_path / "corpus.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read, not to speak of trained."""

    def reads(*given: object, **more: object) -> None:
        raise AssertionError("read")

    monkeypatch.setattr("undertow.corpus.open_corpus", reads)


@pytest.mark.usefixtures("no_training")
@pytest.mark.parametrize(
    ("out", "options", "said"),
    [
        ("foreign", (), "--out must not exist yet, got foreign, which does: add --force"),
        ("foreign", ("--force",), "must hold only what undertow wrote to be overwritten, got 'mi"),
        (
            "file",
            ("--force",),
            "must be a folder written by undertow to be overwritten, got a file",
        ),
        ("link", ("--force",), "to be overwritten, got a symbolic link"),
        (
            "counts",
            ("--force",),
            "must be of kind 'replicated-softmax' to be overwritten, got 'map",
        ),
        ("file/model", (), "--out must be a place that can be written, got file/model: Not a dir"),
        ("new", ("--scratch-folder", "file"), "--scratch-folder must be a folder, got 'file'"),
        ("new", ("--checkpoint", "foreign"), "--checkpoint must be a folder of its own, got"),
    ],
)
def test_a_place_is_looked_at_first(
    out: str, options: tuple[str, ...], said: str, place: Path, run: Run
) -> None:
    (place / "foreign").mkdir()
    (place / "foreign" / "mine").write_text("dear to me")
    (place / "file").write_text("too")
    (place / "link").symlink_to("foreign")
    stored.write_folder("counts", kind="map", manifest={}, arrays={})
    code, _, err = run(*FIT, "--out", out, *options)
    assert code in (1, 2)
    assert said in err
    assert (place / "foreign" / "mine").read_text() == "dear to me"
    assert not (place / "new").exists()
    assert not [name for name in os.listdir(place) if name.startswith(".")]


@pytest.mark.usefixtures("no_training")
def test_a_disk_that_takes_nothing_is_told_first(place: Path, run: Run) -> None:
    with small_disk(place / "disk") as disk:
        (disk / "filling").write_bytes(bytes(200_000))
        code, _, err = run(*FIT, "--out", disk / "model")
        assert (code, "No space left on device" in err) == (1, True)
        code, _, err = run(*FIT, "--out", "new", "--checkpoint", disk / "saved")
        assert (code, "--checkpoint must be a folder that can be written" in err) == (2, True)
        code, _, err = run(*FIT, "--out", "new", "--scratch-folder", disk)
        assert (code, "--scratch-folder must be a folder that can be" in err) == (2, True), err
        with read_only(disk):
            code, _, err = run(*FIT, "--out", disk / "model")
            assert (code, "Read-only file system" in err) == (2, True)
        assert os.listdir(disk) == ["filling", "saved"] or os.listdir(disk) == ["saved", "filling"]


@pytest.mark.usefixtures("no_training")
def test_a_limit_of_files_is_told_first(place: Path, run: Run) -> None:
    with no_file_above(1000):
        code, _, err = run(*FIT, "--out", "model")
    assert (code, "must be a place that can be written, got File too large" in err) == (1, True)
    assert os.listdir(place) == ["corpus.parquet"]


def test_a_second_fit_into_a_place_fails_at_its_start(place: Path, run: Run) -> None:
    with claimed(place / "model", name="out"):
        code, _, err = run(*FIT, "--out", "model")
    assert code == 2
    assert "--out must not be written by another process, got model" in err
    assert run(*FIT, "--out", "model")[0] == 0
    assert sorted(os.listdir(place)) == ["corpus.parquet", "model"]


def test_who_comes_second_destroys_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both found the place free, and wrote at the same time."""
    models = [ReplicatedSoftmax(2, max_epochs=1, random_state=seed) for seed in (0, 1)]
    for model in models:
        model.fit([[1, 0, 2], [0, 2, 1], [1, 0, 0]])
    fill, faster = stored._fill, [models[0]]

    def slow(*given: object) -> None:
        if faster:
            faster.pop().save("model")
        fill(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(stored, "_fill", slow)
    with pytest.raises(ModelFileError, match="model must not exist yet unless overwrite=True"):
        models[1].save("model")
    kept = load("model")
    assert isinstance(kept, ReplicatedSoftmax)
    assert (kept.components_ == models[0].components_).all()
    assert sorted(os.listdir(place)) == ["corpus.parquet", "model"]


@pytest.mark.parametrize("memory", ["1GiB", "0"])
def test_a_signal_leaves_no_scratch_folder(memory: str, place: Path, run: Run) -> None:
    (place / "scratch").mkdir()
    large = ("--memory-limit", memory, "--scratch-folder", "scratch")
    with pytest.MonkeyPatch.context() as patch:
        interrupting(signal.SIGTERM, 1, patch)
        code, _, err = run(*FIT, *large, "--out", "model")
    assert (code, re.search("undertow: interrupted", err) is not None) == (143, True)
    assert sorted(os.listdir(place)) == ["corpus.parquet", "scratch"]
    assert os.listdir(place / "scratch") == []


def test_an_own_model_is_replaced(place: Path, run: Run) -> None:
    TopicModel(2, max_epochs=1, random_state=0).fit(make_texts(30)).save("model")
    assert run(*FIT, "--out", "model", "--force")[0] == 0
    assert load("model").softmax_.n_components == 4
