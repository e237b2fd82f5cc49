"""Corpora, curation files, checkpoints and arrays of strangers: read, or refused in words."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import undertow
from tests.hostile.mutations import odd_arrays, odd_bytes, odd_json, put_arrays, reseal
from undertow import InvalidInput, ModelFileError, ReplicatedSoftmax, UndertowError, Vectorizer
from undertow.corpus.analyzer import LONGEST_TOKEN
from undertow.counts import CsrSource, checked_counts, word_distribution
from undertow.learn import Run, Settings, train
from undertow.model import initial_parameters
from undertow.storage import resume_run, save_run
from undertow.storage.npy import map_npy
from undertow.topics.curation import Curation

QUIET = [HealthCheck.function_scoped_fixture]
ROWS = [
    {"id": "a", "text": "the moon", "label": "space", "time": "2020-01-01"},
    {"id": "b", "text": "ripe pears\nand a cake", "label": None, "time": "2021-05-05"},
    {"id": "c", "text": "", "label": "food", "time": None},
]


def as_parquet() -> bytes:
    file = io.BytesIO()
    pl.DataFrame(ROWS).write_parquet(file)
    return file.getvalue()


def as_npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.arange(12, dtype=np.float32).reshape(3, 4))
    return file.getvalue()


SOUND: dict[str, bytes] = {
    "csv": pl.DataFrame(ROWS).write_csv().encode(),
    "tsv": pl.DataFrame(ROWS).write_csv(separator="\t").encode(),
    "jsonl": b"".join(json.dumps(row).encode() + b"\n" for row in ROWS),
    "txt": b"the moon\nripe pears\n\n",
    "parquet": as_parquet(),
}


def read(file: Path) -> int | None:
    """How many documents a corpus has; None where it is refused, in one line."""
    try:
        return sum(chunk.height for chunk in undertow.open_corpus(file).chunks())
    except UndertowError as error:
        message = str(error)
    assert "\n" not in message
    assert len(message) < 1500
    return None


def spoilt(kind: str, random: Random) -> bytes:
    """The bytes of a corpus with something wrong in them."""
    if kind == "jsonl" and random.random() < 0.7:
        lines = [json.dumps(odd_json(row, random)) for row in ROWS]
        return "\n".join(lines).encode("utf-8", "surrogatepass")
    return odd_bytes(SOUND[kind], random)


@pytest.mark.parametrize("kind", SOUND)
def test_a_sound_corpus_is_read(tmp_path: Path, kind: str) -> None:
    (tmp_path / f"corpus.{kind}").write_bytes(SOUND[kind])
    assert read(tmp_path / f"corpus.{kind}") == 3


@pytest.mark.parametrize("kind", SOUND)
@settings(max_examples=40, deadline=None, suppress_health_check=QUIET)
@given(seed=st.integers(0, 2**32 - 1))
def test_any_corpus_is_read_or_refused(tmp_path: Path, kind: str, seed: int) -> None:
    (tmp_path / f"corpus.{kind}").write_bytes(spoilt(kind, Random(seed)))
    read(tmp_path / f"corpus.{kind}")


@pytest.mark.torture
@pytest.mark.parametrize("kind", SOUND)
def test_very_many_corpora_are_read_or_refused(tmp_path: Path, kind: str) -> None:
    for seed in range(20_000):
        (tmp_path / f"corpus.{kind}").write_bytes(spoilt(kind, Random(f"{kind} {seed}")))
        read(tmp_path / f"corpus.{kind}")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "txt"])
def test_a_byte_order_mark_is_no_part_of_a_corpus(tmp_path: Path, kind: str) -> None:
    (tmp_path / f"corpus.{kind}").write_bytes(b"\xef\xbb\xbf" + SOUND[kind])
    (chunk,) = undertow.open_corpus(tmp_path / f"corpus.{kind}").chunks()
    assert chunk["text"][0] == "the moon"
    assert chunk.height == 3


@pytest.mark.parametrize("depth", [200, 2000, 200_000])
def test_a_line_that_is_nested_deeply_is_told(tmp_path: Path, depth: int) -> None:
    nested = "[" * depth + "]" * depth
    for line in (nested, f'{{"id": "x", "text": {nested}}}', f'{{"text": "x", "more": {nested}}}'):
        (tmp_path / "corpus.jsonl").write_text(f"{line}\n", encoding="utf-8")
        read(tmp_path / "corpus.jsonl")
    (tmp_path / "corpus.jsonl").write_text(
        '{"text": "the moon"}\n' * 1001 + f'{{"text": {nested}}}\n', encoding="utf-8"
    )
    assert read(tmp_path / "corpus.jsonl") is None


def test_a_token_without_end_is_no_word() -> None:
    edge, long, huge = "x" * LONGEST_TOKEN, "y" * (LONGEST_TOKEN + 1), "z" * 5_000_000
    texts = [f"moon {edge} {long} {huge} orbit", "moon", f"{'é' * 201} orbit {'é' * 200}"]
    found = Vectorizer(ngram_range=(1, 2)).fit(texts)
    assert max(map(len, found.vocabulary_)) <= 2 * LONGEST_TOKEN + 1
    assert edge in found.vocabulary_
    assert long not in found.vocabulary_
    counted = found.transform(texts).toarray()
    np.testing.assert_array_equal(counted, found.counter().counts(texts).toarray())
    assert f"{edge} orbit" in found.vocabulary_  # neighbours, as where a stop word was
    words = [one.word for one in undertow.corpus.occurrences(found, texts[0])]
    assert f"{edge} orbit" in words


def test_lists_of_tokens_may_hold_longer_ones() -> None:
    link = "https://example.org/" + "a" * 500
    found = Vectorizer().fit([[link, "moon"], ["moon"]])
    assert link in found.vocabulary_
    assert found.transform([[link]]).sum() == 1
    assert found.counter().counts([link]).sum() == 1


def curation_bytes(sound: Path, random: Random) -> bytes:
    content = (sound / "curation.json").read_bytes()
    if random.random() < 0.3:
        return odd_bytes(content, random)
    return json.dumps(odd_json(json.loads(content), random)).encode()


def apply(model: Any, file: Path) -> None:
    """Applies a curation file, and asks for topics; errors are worded."""
    try:
        model.apply_curation(Curation.load(file))
    except UndertowError as error:
        message = str(error)
        assert len(message) < 1500
    for topic in model.topics():
        assert np.isfinite(topic.share)


@settings(max_examples=60, deadline=None, suppress_health_check=QUIET)
@given(seed=st.integers(0, 2**32 - 1))
def test_any_curation_file_is_applied_or_refused(sound: Path, tmp_path: Path, seed: int) -> None:
    (tmp_path / "made.json").write_bytes(curation_bytes(sound, Random(seed)))
    apply(undertow.load(sound / "texts"), tmp_path / "made.json")


@pytest.mark.torture
def test_very_many_curation_files_are_applied_or_refused(sound: Path, tmp_path: Path) -> None:
    for seed in range(10_000):
        (tmp_path / "made.json").write_bytes(curation_bytes(sound, Random(f"curation {seed}")))
        apply(undertow.load(sound / "texts"), tmp_path / "made.json")


def begin() -> tuple[Run, CsrSource]:
    counts = checked_counts(np.random.default_rng(0).poisson(0.5, (60, 12)))
    p = word_distribution(counts)
    source = CsrSource(counts)
    parameters = initial_parameters(3, p, np.ones(12), seed=0)
    settings = Settings(batch_size=20)
    return Run(parameters, p, settings, documents=60, longest=source.longest), source


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run, source = begin()
    return save_run(tmp_path_factory.mktemp("run") / "run", train(run, source, epochs=1))


def resume(saved: Path, target: Path, change: Callable[[Path], None]) -> None:
    """A run that goes on from a checkpoint that somebody changed, or is refused."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(saved, target)
    change(target)
    run, source = begin()
    try:
        train(resume_run(target, run), source, epochs=2)
    except UndertowError:
        return
    assert all(np.isfinite(array).all() for array in run.result().arrays().values())


def spoil_checkpoint(folder: Path, random: Random) -> None:
    if random.random() < 0.6:
        reseal(folder, lambda header: header.update(manifest=odd_json(header["manifest"], random)))
    else:
        arrays = safetensors.numpy.load_file(folder / "weights.safetensors")
        put_arrays(folder, odd_arrays(arrays, random))


@settings(max_examples=60, deadline=None, suppress_health_check=QUIET)
@given(seed=st.integers(0, 2**32 - 1))
def test_any_checkpoint_is_resumed_or_refused(saved: Path, tmp_path: Path, seed: int) -> None:
    resume(saved, tmp_path / "run", lambda folder: spoil_checkpoint(folder, Random(seed)))


@pytest.mark.torture
def test_very_many_checkpoints_are_resumed_or_refused(saved: Path, tmp_path: Path) -> None:
    for seed in range(5_000):
        random = Random(f"run {seed}")
        resume(saved, tmp_path / "run", lambda folder, r=random: spoil_checkpoint(folder, r))  # type: ignore[misc]


def fit_at(folder: Path, *callbacks: Any) -> ReplicatedSoftmax:
    """A fit with early stopping that goes on from a checkpoint, where there is one."""
    counts = np.random.default_rng(0).poisson(0.5, (60, 12))
    options: dict[str, Any] = {"early_stopping": True, "max_epochs": 3, "weighting": None}
    model = ReplicatedSoftmax(3, batch_size=20, random_state=0, callbacks=callbacks, **options)
    return model.fit(counts, checkpoint=folder, checkpoint_every="1epoch", resume=True)


def stopped_fit(folder: Path) -> Path:
    """The checkpoint of a fit that ended in its second epoch, with the best parameters so far."""

    def end(_: Any, record: Any) -> None:
        if record.epoch == 1:
            raise InterruptedError

    with suppress(InterruptedError):
        fit_at(folder, end)
    return folder


def go_on(saved: Path, target: Path, change: Callable[[Path], None]) -> None:
    """A fit that goes on from a checkpoint that somebody changed, or is refused in words."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(saved, target)
    change(target)
    try:
        model = fit_at(target)
    except UndertowError:
        return
    assert all(np.isfinite(array).all() for array in model.parameters_.arrays().values())


def spoil_fit(folder: Path, random: Random) -> None:
    """Changes what it says of itself, or the run in it, and seals both."""
    part = folder / random.choice(["of", "run"])
    if part.name == "run" and random.random() < 0.5:
        spoil_checkpoint(part, random)
        return
    told = json.loads((part / "model.json").read_text())["manifest"]
    name = random.choice([name for name in ("options", "corpus", "facts", "seed") if name in told])
    told[name] = odd_json(told[name], random)
    reseal(part, lambda header: header.update(manifest=told))


@pytest.fixture(scope="module")
def halfway(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stopped_fit(tmp_path_factory.mktemp("halfway") / "saved")


def put_in(part: str, name: str, value: Any) -> Callable[[Path], None]:
    """Puts a value into what a part of a checkpoint says."""
    return lambda folder: reseal(
        folder / part, lambda header: header["manifest"].update({name: value})
    )


WRONG_FITS: dict[str, tuple[Callable[[Path], None], str]] = {
    "options of none": (put_in("of", "options", [1]), "options must be an object"),
    "a seed of text": (put_in("of", "seed", "x"), "seed must be a whole number"),
    "a corpus of text": (put_in("of", "corpus", "x"), "corpus must be an object"),
    "documents of text": (put_in("of", "corpus", {"documents": "x"}), "corpus.documents must be"),
    "no early stopping": (put_in("run", "facts", {}), "stopping must be an object"),
    "no best": (put_in("run", "facts", {"stopping": {"best_epoch": 1}}), "stopping must be"),
    "scores of a number": (put_in("run", "facts", {"level": 0.5, "scores": 1}), "scores must be"),
    "an epoch of text": (
        put_in("run", "facts", {"stopping": {"best": None, "best_epoch": "x"}}),
        "best_epoch must be a whole number",
    ),
}


@pytest.mark.parametrize("name", WRONG_FITS)
def test_what_a_checkpoint_tells_of_its_fit_is_checked(
    halfway: Path, tmp_path: Path, name: str
) -> None:
    edit, said = WRONG_FITS[name]
    shutil.copytree(halfway, tmp_path / "saved")
    edit(tmp_path / "saved")
    with pytest.raises(ModelFileError, match=re.escape(said)):
        fit_at(tmp_path / "saved")


def test_best_parameters_of_another_form_are_refused(halfway: Path, tmp_path: Path) -> None:
    shutil.copytree(halfway, tmp_path / "saved")
    arrays = safetensors.numpy.load_file(tmp_path / "saved" / "run" / "weights.safetensors")
    best = {name: array for name, array in arrays.items() if name.startswith("beside.")}
    assert best
    other = {name: array[:2].copy() if array.ndim else array for name, array in best.items()}
    put_arrays(tmp_path / "saved" / "run", arrays | other)
    with pytest.raises(ModelFileError, match="best parameters in a checkpoint must have the forms"):
        fit_at(tmp_path / "saved")


@settings(max_examples=10, deadline=None, suppress_health_check=QUIET)
@given(seed=st.integers(0, 2**32 - 1))
def test_any_fit_goes_on_or_is_refused(halfway: Path, tmp_path: Path, seed: int) -> None:
    go_on(halfway, tmp_path / "fit", lambda folder: spoil_fit(folder, Random(seed)))


@pytest.mark.torture
def test_very_many_fits_go_on_or_are_refused(halfway: Path, tmp_path: Path) -> None:
    for seed in range(3_000):
        random = Random(f"fit {seed}")
        go_on(halfway, tmp_path / "fit", lambda folder, r=random: spoil_fit(folder, r))  # type: ignore[misc]


@settings(max_examples=80, deadline=None, suppress_health_check=QUIET)
@given(seed=st.integers(0, 2**32 - 1))
def test_any_array_file_is_mapped_or_refused(tmp_path: Path, seed: int) -> None:
    (tmp_path / "made.npy").write_bytes(odd_bytes(as_npy(), Random(seed)))
    try:
        found = map_npy(tmp_path / "made.npy")
    except InvalidInput:
        return
    assert found.nbytes <= 4096


@pytest.mark.parametrize("seed", [-1, 2**32, 2**40, "x", 1.5])
def test_a_seed_that_is_none_is_told(seed: Any) -> None:
    with pytest.raises(InvalidInput, match="random_state must be a whole number from 0 to 4294967"):
        ReplicatedSoftmax(2, random_state=seed, max_epochs=1, weighting=None).fit([[1]])
