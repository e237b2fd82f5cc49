"""Vectors of another encoder on the command line: rows that belong to documents, and files that
cannot be trusted.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import undertow
from tests.search.conftest import make_table
from tests.shell import Run
from undertow import TopicModel
from undertow.corpus import Corpus
from undertow.search import Index

WIDTH = 5
VECTORS = (
    np.eye(WIDTH)[np.arange(120) % WIDTH] + np.random.default_rng(1).normal(size=(120, WIDTH)) / 9
).astype("f4")
SPLITS = ["test" if number % 3 == 1 else "train" for number in range(120)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus, of which every third row is never trained on, and vectors of all
    rows.
    """
    place = tmp_path_factory.mktemp("joined")
    make_table().with_columns(pl.Series("split", SPLITS)).write_parquet(place / "corpus.parquet")
    np.save(place / "vectors.npy", VECTORS)
    np.save(place / "short.npy", VECTORS[:-1])
    np.save(place / "question.npy", VECTORS[7])
    (place / "hostile.npy").write_bytes(
        b"\x93NUMPY\x01\x00\x46\x00"
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (120, 999999999), }  \n"
    )
    return place


@pytest.fixture(scope="module")
def model_folder(folder: Path) -> Path:
    from tests.shell import shell

    patch = pytest.MonkeyPatch()
    with patch.context() as context:
        run = shell(context, _Silent())  # type: ignore[arg-type]
        given = ["--vectors", folder / "vectors.npy", "--features", "strength"]
        size = ["--n-components", 8, "--max-epochs", 3, "--quiet"]
        code, _, _ = run("fit", folder / "corpus.parquet", *given, *size, "--out", folder / "model")
    assert code == 0
    return folder / "model"


class _Silent:
    """In the place of what catches the output of a test: a module has none."""

    def readouterr(self) -> Any:
        return type("Output", (), {"out": "", "err": ""})


def loaded(path: Path) -> TopicModel:
    model = undertow.load(path)
    assert isinstance(model, TopicModel)
    return model


def test_rows_that_are_not_trained_on_are_passed_over(model_folder: Path) -> None:
    model, kept = loaded(model_folder), np.array(SPLITS) == "train"
    assert model.vectors_width_ == WIDTH
    assert model.atlas_.documents == kept.sum()
    table = make_table().filter(pl.Series(kept))
    again = copy.deepcopy(model).grow_topics(table, vectors=VECTORS[kept])
    np.testing.assert_array_equal(model.atlas_.routes, again.atlas_.routes)
    shifted = copy.deepcopy(model).grow_topics(table, vectors=VECTORS[: kept.sum()])
    assert not np.array_equal(model.atlas_.routes, shifted.atlas_.routes)


def test_transform_joins_row_by_row(
    run: Run, model_folder: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self: whole(self, 50))
    given = ["--vectors", folder / "vectors.npy"]
    corpus, out = folder / "corpus.parquet", tmp_path / "joined.npy"
    assert (
        run("transform", model_folder, corpus, *given, "--kind", "strength", "--out", out)[0] == 0
    )
    model, texts = loaded(model_folder), make_table()["text"]
    np.testing.assert_array_equal(np.load(out), model.encode(texts, "strength", vectors=VECTORS))
    out = tmp_path / "topics.npy"
    assert (
        run("transform", model_folder, corpus, *given, "--kind", "topics", "-n", 3, "--out", out)[0]
        == 0
    )
    np.testing.assert_allclose(
        np.load(out)[:, :3], model.transform_topics(texts, 3, vectors=VECTORS), atol=1e-6
    )
    assert (
        run(
            "transform", model_folder, corpus, "--kind", "posterior", "--out", tmp_path / "own.npy"
        )[0]
        == 0
    )
    assert np.load(tmp_path / "own.npy").shape == (120, 8)


def test_an_index_is_made_and_asked(
    run: Run, model_folder: Path, folder: Path, tmp_path: Path
) -> None:
    place = tmp_path / "index"
    code, out, _ = run(
        "index",
        model_folder,
        folder / "corpus.parquet",
        "--vectors",
        folder / "vectors.npy",
        "--out",
        place,
        "--json",
    )
    assert code == 0
    assert json.loads(out)["joined"] == WIDTH
    asked = ["search", place, "ripe fruit juice", "--mode", "semantic", "--json"]
    code, out, _ = run(*asked, "--vector", folder / "question.npy")
    index = Index.open(place)
    for vector, told in ((VECTORS[7], out), (None, run(*asked)[1])):
        hits = index.search("ripe fruit juice", mode="semantic", vector=vector)
        assert [hit["id"] for hit in json.loads(told)["results"]] == [hit.id for hit in hits]
    assert out != run(*asked)[1]
    pl.DataFrame({"id": ["new"], "text": ["ripe"]}).write_csv(tmp_path / "more.csv")
    np.save(tmp_path / "more.npy", VECTORS[:1])
    code, _, err = run("add", place, tmp_path / "more.csv")
    assert code != 0
    assert "--vectors must be given, 5 numbers for each document" in err
    assert (
        run("add", place, tmp_path / "more.csv", "--vectors", tmp_path / "more.npy", "--quiet")[0]
        == 0
    )
    assert len(Index.open(place)) == 121


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("short.npy", "--vectors must have a row for each document, 120, got 119 rows"),
        ("hostile.npy", "--vectors must be a whole file"),
        ("corpus.parquet", "--vectors must be a .npy file of numbers"),
        ("none.npy", "--vectors must be a .npy file, got"),
        ("question.npy", "--vectors must have 2 dimensions"),
    ],
)
@pytest.mark.parametrize("command", ["fit", "index", "transform"])
def test_files_that_do_not_fit_are_said(
    run: Run,
    model_folder: Path,
    folder: Path,
    tmp_path: Path,
    file: str,
    message: str,
    command: str,
) -> None:
    before = (
        [folder / "corpus.parquet"]
        if command == "fit"
        else [model_folder, folder / "corpus.parquet"]
    )
    out = tmp_path / "out.npy"
    kind = ["--kind", "strength"] if command == "transform" else []
    code, _, err = run(command, *before, "--vectors", folder / file, "--out", out, *kind, "--quiet")
    assert code != 0
    if (command, file) == ("transform", "short.npy"):
        message = "--vectors must have a row for each document, at least 120, got 119 rows"
    assert message in " ".join(err.split())
    assert "Traceback" not in err
    assert not out.exists()


def test_what_is_missing_is_said(
    run: Run, model_folder: Path, folder: Path, tmp_path: Path
) -> None:
    corpus = folder / "corpus.parquet"
    for kind in ("strength", "topics"):
        _, _, err = run(
            "transform", model_folder, corpus, "--kind", kind, "--out", tmp_path / "out.npy"
        )
        assert "--vectors must be given, 5 numbers for each text" in " ".join(err.split())
    _, _, err = run("index", model_folder, corpus, "--out", tmp_path / "index")
    assert "--vectors must be given, 5 numbers for each document" in " ".join(err.split())


@pytest.mark.parametrize("command", ["fit", "index", "add", "transform", "search"])
def test_help_has_an_example(run: Run, command: str) -> None:
    code, out, _ = run(command, "--help")
    assert code == 0
    lines = [
        line for line in out.splitlines() if line.strip(" │").startswith(f"undertow {command} ")
    ]
    assert any("--vector" in line and ".npy" in line for line in lines)
