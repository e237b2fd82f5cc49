"""Vectors of words on the command line."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import undertow
from tests.search.conftest import make_table
from tests.shell import Run
from undertow import TopicModel
from undertow.corpus.word_vectors import read_word_vectors

GLOVE = "apple 1 0.5 0\npear 1 0.25 0\nwheel 0 0.5 1\nroad 0 0.75 1\nzyzzy 9 9 9\n"
SIZE = ["--n-components", 8, "--max-epochs", 3, "--quiet"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_table().write_parquet(tmp_path / "corpus.parquet")
    (tmp_path / "glove.txt").write_text(GLOVE, encoding="utf-8")
    (tmp_path / "glove.txt.gz").write_bytes(gzip.compress(GLOVE.encode()))
    (tmp_path / "wrong.txt").write_text(GLOVE + "plum 1 2\n", encoding="utf-8")
    (tmp_path / "others.txt").write_text("zyzzy 1 2\n", encoding="utf-8")
    return tmp_path


def weights(folder: Path) -> NDArray[np.float32]:
    model = undertow.load(folder)
    assert isinstance(model, TopicModel)
    return model.softmax_.components_


def test_a_model_starts_from_a_file(run: Run, folder: Path) -> None:
    for name, given in {"usual": [], "plain": ["glove.txt"], "packed": ["glove.txt.gz"]}.items():
        options = [word for file in given for word in ("--word-vectors", folder / file)]
        code, _, err = run(
            "fit", folder / "corpus.parquet", "--out", folder / name, *SIZE, *options
        )
        assert code == 0, err
    library = TopicModel(8, max_epochs=3, random_state=0)
    library.fit(make_table(), word_vectors=read_word_vectors(folder / "glove.txt"))
    np.testing.assert_array_equal(weights(folder / "plain"), library.softmax_.components_)
    np.testing.assert_array_equal(weights(folder / "packed"), weights(folder / "plain"))
    assert not np.array_equal(weights(folder / "plain"), weights(folder / "usual"))


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("none.txt", "undertow: --word-vectors must be a file of word vectors, got"),
        (
            "wrong.txt",
            "wrong.txt must hold a word and 3 finite numbers a line, got 2 numbers in line 6",
        ),
        (
            "others.txt",
            "undertow: --word-vectors must have a vector for a word of the vocabulary, got none "
            "for",
        ),
    ],
)
def test_files_that_do_not_fit_are_said(run: Run, folder: Path, file: str, message: str) -> None:
    out = folder / "model"
    code, _, err = run(
        "fit", folder / "corpus.parquet", "--word-vectors", folder / file, "--out", out, *SIZE
    )
    assert code == 2
    assert message in " ".join(err.split())
    assert "Traceback" not in err
    assert not out.exists()


def test_help_has_an_example(run: Run) -> None:
    code, out, _ = run("fit", "--help")
    assert code == 0
    lines = [line for line in out.splitlines() if line.strip(" │").startswith("undertow fit ")]
    assert any("--word-vectors" in line for line in lines)
