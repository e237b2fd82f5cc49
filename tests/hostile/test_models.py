"""Models of strangers, whose checksums fit whatever they wrote: each is refused in words, or does
nothing but what a model does.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hostile.mutations import put_arrays, reseal, spoil_folder
from tests.hostile.using import use, worded
from tests.shell import Run, shell

Training = dict[str, Any]
QUIET = [HealthCheck.function_scoped_fixture]


def change(value: Any, *keys: str) -> Callable[[Training], None]:
    """Puts a value at a place in what a model tells of its training."""

    def put(training: Training) -> None:
        for key in keys[:-1]:
            training = training[key]
        training[keys[-1]] = value

    return put


HISTORY = {"epoch": 0, "loss": 1.0, "seconds": 1.0, "tokens": 1, "activity": 0.5, "dead_units": 0}
WRONG: dict[str, tuple[Callable[[Training], None], str]] = {
    "n-grams without end": (change([1, 10**9], "vectorizer", "ngram_range"), "at most 100"),
    "n-grams of huge": (change([1, 10**400], "vectorizer", "ngram_range"), "ngram_range"),
    "history of texts": (change("never", "history"), "history must be a list of epochs"),
    "history of numbers": (change([3], "history"), "history must be objects with epoch, loss"),
    "a loss that is a text": (
        change([{**HISTORY, "loss": "nan"}], "history"),
        "history.loss must be a number",
    ),
    "an epoch too many": (change([{**HISTORY, "more": 1}], "history"), "history must be objects"),
    "length by name": (change("nan", "typical_length"), "typical_length must be a number"),
    "length of nothing": (change(0, "typical_length"), "typical_length must be a number"),
    "length without end": (change(10**400, "typical_length"), "typical_length must be a number"),
    "half a letter": (change("\ud800", "columns", "text"), "valid Unicode"),
    "a huge scale": (change(10**400, "balance", "scale"), "balance.scale must be a number"),
    "a long centre": (change([0.0] * 9, "balance", "centre"), "balance must hold 8 numbers"),
    "no activity": (change([2.0] * 8, "activity"), "activity must be a number from 0 to 1"),
    "a seed of text": (change("0", "seed"), "seed must be a whole number"),
    "epochs before time": (change(-1, "n_iter"), "n_iter must be a whole number"),
    "names of no unit": (change({"99": "x"}, "unit_names"), "unit_names must map units below 8"),
    "dead units of no unit": (change([8], "dead_units"), "dead_units must be below 8"),
    "a stability": (change([[2, 10**400]], "topics", "stability"), "a figure must be a finite"),
    "documents": (change(10**400, "topics", "documents"), "documents must be a whole number"),
    "a width of long lists": (
        change([0] * 10_000, "vectors_width"),
        "vectors_width must be a whole",
    ),
    "batches of text": (change("many", "estimator", "batch_size"), "estimator.batch_size must be"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_model_tells_is_checked(sound: Path, tmp_path: Path, name: str) -> None:
    edit, said = WRONG[name]
    shutil.copytree(sound / "texts", tmp_path / "model")
    reseal(tmp_path / "model", lambda header: edit(header["manifest"]["training"]))
    message = worded(tmp_path / "model")
    assert message is not None
    assert said in message


@pytest.mark.parametrize(
    ("name", "number", "said"),
    [
        ("weights", 3e38, "weights must be at most 1e+12 in size"),
        ("hidden_bias", -3e38, "hidden_bias must be at most 1e+12 in size"),
        ("word_weights", 1e-40, "word_weights must be 0 or at least 1e-12"),
        ("topics.means", 3e38, "topics.means must be finite, and at most 1e+12 in size"),
        ("topics.sizes", 2**62, "topics.sizes must be below 1099511627776"),
        ("codes.8", 3e38, "codes.8 must be at most 1e+12 in size"),
    ],
)
def test_numbers_that_would_overflow_are_refused(
    sound: Path, tmp_path: Path, name: str, number: float, said: str
) -> None:
    shutil.copytree(sound / "texts", tmp_path / "model")
    arrays = safetensors.numpy.load_file(tmp_path / "model" / "weights.safetensors")
    arrays[name].reshape(-1)[0] = number
    put_arrays(tmp_path / "model", arrays)
    assert said in (worded(tmp_path / "model") or "")


def test_half_a_letter_in_a_word_is_refused(sound: Path, tmp_path: Path) -> None:
    shutil.copytree(sound / "texts", tmp_path / "model")

    def spoil(header: dict[str, Any]) -> None:
        header["manifest"]["vocabulary"][0] = "a\udfffb"

    reseal(tmp_path / "model", spoil)
    assert "vocabulary must be valid Unicode" in (worded(tmp_path / "model") or "")


def test_a_table_that_promises_more_than_is_there_costs_nothing(
    sound: Path, tmp_path: Path
) -> None:
    shutil.copytree(sound / "texts", tmp_path / "model")
    shape = [10**12, 8]
    reseal(tmp_path / "model", lambda header: header["arrays"]["weights"].update(shape=shape))
    assert "must describe arrays that fit" in (worded(tmp_path / "model") or "")


def test_a_sound_model_is_used(sound: Path, tmp_path: Path) -> None:
    for name in ("texts", "counts"):
        shutil.copytree(sound / name, tmp_path / name)
        use(tmp_path / name)


def test_info_of_a_later_version_says_what_to_install(
    sound: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run: Run = shell(monkeypatch, capsys)
    shutil.copytree(sound / "texts", tmp_path / "model")
    later = {"format_version": 2, "undertow_version": "7.1"}
    reseal(tmp_path / "model", lambda header: header.update(later))
    for command in ("info", "topics", "units"):
        code, out, error = run(command, tmp_path / "model")
        assert (code, out) == (1, "")
        assert "written by undertow 7.1" in error
        assert error.endswith("pip install 'undertow>=7.1'\n")


@settings(max_examples=120, deadline=None, suppress_health_check=QUIET)
@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(["texts", "texts", "counts"]))
def test_any_change_is_worded_or_harmless(
    sound: Path, tmp_path: Path, seed: int, name: str
) -> None:
    spoil_folder(sound / name, tmp_path / "model", Random(seed))
    worded(tmp_path / "model")


@pytest.mark.torture
@pytest.mark.parametrize("name", ["texts", "counts"])
def test_many_changes_are_worded_or_harmless(sound: Path, tmp_path: Path, name: str) -> None:
    for seed in range(20_000):
        spoil_folder(sound / name, tmp_path / "model", Random(f"{name} {seed}"))
        worded(tmp_path / "model")
