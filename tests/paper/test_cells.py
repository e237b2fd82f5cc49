"""Cells are found again by their settings, recomputed when these change, and survive damage."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from undertow import TrainingDiverged
from undertow.paper import cells as cells_module
from undertow.paper import settings
from undertow.paper.cells import Cell, Records, compute
from undertow.paper.corpora import Corpora, Corpus
from undertow.paper.kinds import ModelCell
from undertow.paper.runner import Workshop, run

RUNS: list[int] = []


@dataclass(frozen=True)
class Counting(Cell):
    """Counts how often it is run."""

    kind: ClassVar[str] = "counting"
    number: int
    diverges: bool = False

    @property
    def corpora(self) -> tuple[Corpus, ...]:
        return ()

    @property
    def cost(self) -> float:
        return float(self.number)

    def labels(self) -> dict[str, Any]:
        return {"number": self.number}

    def run(self, corpora: Corpora) -> dict[str, Any]:
        if self.diverges:
            raise TrainingDiverged("the loss is inf")
        RUNS.append(self.number)
        return {"square": self.number**2}


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    RUNS.clear()
    return Workshop(tmp_path)


def bring_up_to_date(workshop: Workshop, *cells: Cell) -> list[int]:
    """The numbers of the cells that had to be run."""
    before = len(RUNS)
    run(workshop, workshop.missing(cells), jobs=1, done=lambda cell: None)
    return RUNS[before:]


def test_long_cells_go_first_and_each_cell_once(workshop: Workshop) -> None:
    assert bring_up_to_date(workshop, Counting(2), Counting(5), Counting(2), Counting(3)) == [
        5,
        3,
        2,
    ]


def test_second_run_does_no_work(workshop: Workshop) -> None:
    bring_up_to_date(workshop, Counting(2), Counting(3))
    assert bring_up_to_date(workshop, Counting(2), Counting(3)) == []
    assert workshop.results([Counting(3)])[Counting(3)].figures == {"square": 9}


def test_changed_setting_computes_what_it_touches(workshop: Workshop) -> None:
    bring_up_to_date(workshop, Counting(2), Counting(3))
    assert bring_up_to_date(workshop, Counting(2), Counting(4)) == [4]


def test_new_version_computes_anew(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    bring_up_to_date(workshop, Counting(2))
    monkeypatch.setattr(cells_module, "CELL_VERSION", cells_module.CELL_VERSION + 1)
    assert bring_up_to_date(workshop, Counting(2)) == [2]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"settings": {}}', '"text"'])
def test_damaged_file_is_computed_anew(
    workshop: Workshop, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    bring_up_to_date(workshop, Counting(2))
    workshop.records.file(Counting(2)).write_text(damage)
    assert bring_up_to_date(workshop, Counting(2)) == [2]
    assert "computed anew" in caplog.text
    assert bring_up_to_date(workshop, Counting(2)) == []


def test_file_of_other_settings_is_not_believed(workshop: Workshop) -> None:
    bring_up_to_date(workshop, Counting(2), Counting(3))
    workshop.records.file(Counting(2)).write_bytes(workshop.records.file(Counting(3)).read_bytes())
    assert bring_up_to_date(workshop, Counting(2)) == [2]


def test_record_says_what_where_and_when(workshop: Workshop) -> None:
    bring_up_to_date(workshop, Counting(2))
    kept = json.loads(workshop.records.file(Counting(2)).read_text())
    assert list(kept) == ["settings", "figures", "seconds", "date", "machine"]
    assert kept["settings"] == {"kind": "counting", "number": 2, "diverges": False}
    assert set(kept["machine"]) == {
        "processor",
        "cores",
        "memory_gib",
        "system",
        "python",
        "versions",
    }


def test_divergence_is_a_result(tmp_path: Path) -> None:
    found = compute(Counting(1, diverges=True), Corpora(tmp_path))
    assert found.diverged
    assert found.figures["message"] == "the loss is inf"


def test_missing_record_is_said(workshop: Workshop) -> None:
    with pytest.raises(FileNotFoundError, match="1 records are gone"):
        workshop.results([Counting(7)])


def model_cell() -> ModelCell:
    return ModelCell(
        settings.POSTS, settings.tuned("20newsgroups", "α-NCE 25 idf"), hidden=128, seed=0
    )


def test_digest_is_the_same_in_another_process() -> None:
    code = (
        "from undertow.paper import settings; from undertow.paper.kinds import ModelCell;"
        "print(ModelCell(settings.POSTS, settings.tuned('20newsgroups', 'α-NCE 25 idf'), "
        "hidden=128, seed=0).digest)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == model_cell().digest


def test_every_setting_is_in_the_digest() -> None:
    cell = model_cell()
    others = [
        replace(cell, seed=1),
        replace(cell, hidden=64),
        replace(cell, corpus=replace(cell.corpus, headers="removed")),
        replace(cell, recipe=replace(cell.recipe, l2=5e-3)),
        replace(cell, recipe=replace(cell.recipe, learner_options=(("noise", "independent"),))),
    ]
    assert len({cell.digest, *(other.digest for other in others)}) == 6


def test_records_of_nothing(tmp_path: Path) -> None:
    assert Records(tmp_path / "absent").read(Counting(1)) is None


def test_of_known_results_the_newest_count_and_what_is_kept_counts_more(tmp_path: Path) -> None:
    results, records = tmp_path / "results", Records(tmp_path / "cells")

    def write(name: str, *found: tuple[int, str, int], version: int | None = None) -> None:
        cells = [
            {
                "settings": Counting(number).settings(),
                "figures": {"square": square},
                "seconds": 1.0,
                "date": date,
                "machine": {},
            }
            for number, date, square in found
        ]
        version = cells_module.CELL_VERSION if version is None else version
        results.mkdir(exist_ok=True)
        (results / f"{name}.json").write_text(json.dumps({"cell_version": version, "cells": cells}))

    kept = compute(Counting(5), Corpora(tmp_path))
    records.write(Counting(5), kept)
    write("a", (2, "2026-01-01", 1), (3, "2026-01-02", 1), (5, "2027-01-01", 1))
    write("b", (2, "2026-01-02", 2), (3, "2026-01-01", 2))
    write("c", (7, "2026-01-01", 3), version=0)
    assert records.take(results) == 2
    found = {number: records.read(Counting(number)) for number in (2, 3, 5, 7)}
    squares = {number: one and one.figures["square"] for number, one in found.items()}
    assert squares == {2: 2, 3: 1, 5: 25, 7: None}
    assert records.take(results) == 0
