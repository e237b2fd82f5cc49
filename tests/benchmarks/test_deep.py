"""The rows of benchmarks/deep.py, on a tiny corpus."""

from __future__ import annotations

import numpy as np
import pytest
from rich.console import Console
from scipy import sparse

from benchmarks import deep
from benchmarks.defaults import Split

COUNTS = sparse.csr_array(np.random.default_rng(0).poisson(0.7, (90, 30)) + 0)
LABELS = np.array(["one", "two"] * 45)
SPLIT = Split(COUNTS[:60], COUNTS[:60], LABELS[:60], COUNTS[60:], LABELS[60:])


def test_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep, "EPOCHS", 1)
    names = ["one layer", "M = 10", "M = 50, mean field, pretrained"]
    arguments = ["--only", *names, "--units", "3", "--asked", "2", "--temperatures", "10"]
    options = deep.parsed([*arguments, "--chains", "5"])
    sheet = deep.table(options, SPLIT, Console(quiet=True))
    assert [cells[0] for cells in sheet.rows] == names
    for cells in sheet.rows:
        assert len(cells) == len(sheet.columns)
        assert 0.5 < float(cells[1]) < 2.0
    assert sheet.rows[0][1] == sheet.rows[0][2]  # one layer has no bound
    assert sum(map(int, sheet.notes[0].removesuffix(".").split(": ")[1].split(", "))) == 30


def test_classes_of_lengths() -> None:
    counts = sparse.csr_array(np.array([[1, 0], [0, 7]]) * np.array([[1], [1]]))
    tokens, classes = deep.lengths_of(counts)
    assert tokens.tolist() == [1, 3]
    assert classes.tolist() == [0, 0]
    many = sparse.csr_array(np.ones((1, 120), dtype=np.int64))
    assert deep.lengths_of(many)[1].tolist() == [4]
