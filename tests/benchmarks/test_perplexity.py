"""The table of perplexities, on a made-up corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

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
