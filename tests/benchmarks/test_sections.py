"""Every section once, as small as it gets: that it runs, that its figures have the paths promised,
that it is shown.
"""

from __future__ import annotations

import io
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks import bench, documents, encoding, memory, peers, quality, start
from benchmarks.figures import look_up
from benchmarks.peers import launch
from benchmarks.peers.work import Order
from benchmarks.progress import silent
from benchmarks.records import as_json
from tests.benchmarks import made_up

FIGURES = {
    "steps": ["loop_tokens_per_second", "growth/100", "over_yardstick"],
    "growth": ["noises/growth/2", "units/ms/16"],
    "threads": ["gain/50", "lowest_gain"],
    "divergence": ["cd1_over_alpha_nce/50", "cd5_over_alpha_nce/50"],
    "inference": ["documents_per_second/estimator", "over_yardstick/engine"],
    "start": ["import_seconds", "help_seconds", "help_over_python"],
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_section(name: str) -> None:
    section = bench.SECTIONS[name]
    found = section.measure(made_up.TINY, silent)
    for path in FIGURES[name]:
        figure = look_up(found, path)
        assert figure is not None
        assert figure > 0
    assert section.sheets(found)
    as_json(found)


def test_encoding() -> None:
    found = encoding.measure(made_up.TINY, silent, made_up.reviews())
    assert found["texts_per_second"]["short texts"] > 0
    assert 10 <= found["words_a_text"]["short texts"] <= 20
    assert encoding.sheets(found)


def test_pieces_have_10_to_20_words_in_their_order() -> None:
    (review, *_) = made_up.reviews()
    cut = list(encoding.pieces([review], 100))
    assert all(10 <= len(piece.split()) <= 20 for piece in cut)
    assert review.startswith(" ".join(cut))
    assert len(list(encoding.pieces(made_up.reviews(), 7))) == 7


def test_documents() -> None:
    found = documents.measure(made_up.TINY, silent, made_up.labelled())
    assert found["growth"]["undertow"]["20"] == 1.0
    assert found["seconds"]["undertow"]["40"] > 0
    assert len(documents.sheets(found)) == 2


@pytest.mark.torture
def test_quality(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        peers.SYSTEMS, "no such library", peers.Entry("none", needs="no_such_library")
    )
    said: list[str] = []
    effort = replace(made_up.TINY, systems=(*made_up.TINY.systems, "no such library"))
    found = quality.measure(effort, said.append, made_up.labelled())
    assert found["skipped"] == {
        "no such library": "no_such_library is not installed (make bench-full installs it)"
    }
    assert any("no such library is left out" in line for line in said)
    ours = found["systems"]["undertow"]
    assert ours["passes_of_points"] == [1, 2]
    assert set(ours["curves"]) >= {"posterior"}
    assert found["systems"]["LSA"]["best_map"] > 0.6  # chance is a half
    assert ours["memory_mib"] > 10
    assert quality.sheets(found)
    as_json(found)


def test_a_system_that_fails_is_told_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(order: Order, hear: launch.Hear) -> dict[str, Any]:
        raise launch.Failed("out of order")

    monkeypatch.setattr(launch, "run", fail)
    found = quality.measure(made_up.TINY, silent, made_up.labelled())
    assert found["systems"] == {}
    assert found["skipped"]["LSA"] == "out of order"


def test_a_process_that_fails_is_quoted(tmp_path: Path) -> None:
    order = Order("LSA", str(tmp_path), topics=2, workers=1, seconds=1.0, due=(), fits=())
    with pytest.raises(launch.Failed, match=r"FileNotFoundError.*train\.npz"):
        launch.run(order, lambda record: None)


def test_without_data_a_section_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNDERTOW_DATA", raising=False)
    text = io.StringIO()
    results, sheets = bench.run(
        made_up.TINY, ["encoding", "quality"], Console(file=text, width=200)
    )
    assert set(results["encoding"]) == {"skipped"}
    assert "quality is left out: UNDERTOW_DATA must name the folder" in text.getvalue()
    assert [sheet.title for sheet in sheets] == ["Targets (two cores)"]


def test_the_first_fit_is_told_apart_by_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([('{"seconds": 9.0}', start.ANNOUNCEMENT), ('{"seconds": 0.5}', "")])

    def answer(*arguments: str, more: object = None) -> Any:
        stdout, stderr = next(answers)
        return subprocess.CompletedProcess(arguments, 0, stdout, stderr)

    monkeypatch.setattr(start, "python", answer)
    found = start.first_fits(silent)
    assert found["compilation_seconds"] == 8.5
    assert found["says_that_it_compiles"] == 1


def test_seconds_to_a_level_are_the_fewest() -> None:
    curve = [[1.0, 0.1], [2.0, 0.3], [4.0, 0.25]]
    assert quality.time_to(curve, 0.25) == 2.0
    assert quality.time_to(curve, 0.5) is None


def test_memory_of_this_process() -> None:
    assert memory.peak_mib() > 10
    assert memory.helpers_mib(2**22 + 1) == 0  # no such process
