"""The table of perplexities, on a made-up corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy import sparse

from benchmarks import perplexity

TINY = ["--made-up", "--units", "4", "--updates", "40", "--temperatures", "20", "--chains", "8"]


def test_a_row_for_each_set_of_documents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [*TINY, "--model", str(tmp_path / "model")]
    perplexity.main(options)
    first = capsys.readouterr().out.splitlines()
    rows = [line.split(" | ")[0] for line in first if line.startswith("| ")]
    assert rows[2:] == ["| validation", "| test, 50", "| test, 1,000", "| test, all"]
    perplexity.main(options)  # with the model that was kept
    assert capsys.readouterr().out.splitlines() == first


def test_the_validation_part_is_not_trained_on() -> None:
    found = perplexity.parts(perplexity.parsed(TINY))
    assert found["train"].shape[0] + found["validation"].shape[0] == 160
    assert found["validation"].shape[0] == 16
    assert found["test, 50"].shape[0] == 50


def test_rows_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    perplexity.main([*TINY, "--documents", "test, 50"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines if line.startswith("| test")] == ["| test, 50"]


def test_the_unigram_of_other_words_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    perplexity.main(["--made-up", "--unigrams"])
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + 2 * 2 * 2


def test_the_long_list_of_stop_words() -> None:
    words = perplexity.LONG_LIST.read_text().split()
    assert words == sorted(set(words))
    assert {"appropriate", "the", "useful", "willing"} < set(words)
    assert len(words) > 500


def test_unigram_by_hand() -> None:
    train, test = sparse.csr_array([[3, 1]]), sparse.csr_array([[1, 1], [0, 0], [2, 0]])
    length, value = perplexity._unigram(train, test)
    assert length == 2.0
    assert value == pytest.approx(0.75**-0.75 * 0.25**-0.25)
