"""The benchmarks of a card run, tiny and interpreted, where there is none; and their figures become
tables and a plot.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks.gpu import tables

FOUND: dict[str, Any] = {
    "date": "2026-11-19",
    "card": "a card",
    "torch": "2.13",
    "ceilings": {"bytes a second": 4.0e12, "seconds a kernel": 2e-6},
    "steps": [{"words": 2000, "batch": 128, "Mtok/s": 51.0, "over floor": 4.5}],
    "learners": [
        {"words": 2000, "CD-1": 1.0, "alpha-NCE 5": 0.2},
        {"words": 10000, "CD-1": 5.0, "alpha-NCE 5": 0.3},
    ],
}
JUDGED = [
    {"device": "cuda", "batch": 128, "rate": 1.0, "seed": seed, "epochs": 9, "training, s": 0.5}
    | {"fit, s": 1.0, "accuracy": 0.7 + seed / 100, "MAP of balanced": 0.4, "MAP of strengths": 0.5}
    for seed in range(3)
]


def test_tables_of_several_files(tmp_path: Path) -> None:
    cores = {"machine": {"processor": "of some kind"}, "rows": [{"what": "train", "threads": 16}]}
    files = [tmp_path / f"{n}.json" for n in range(3)]
    for file, content in zip(files, (FOUND, {"judged": JUDGED}, cores), strict=True):
        file.write_text(json.dumps(content))
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n<!-- gpu-steps -->\nold\n<!-- end gpu-steps -->\n\nText.\n")
    tables.main([*map(str, files), "--page", str(page)])
    text = page.read_text()
    assert "old" not in text
    assert "Text." in text
    assert "| 2,000 | 128 | 51 | 4.5 |" in text
    assert "*a card, 2.13, 2026-11-19*" in text
    assert "| cuda | 128 | 1 | 3 | 9 (9 to 9) |" in text
    assert "0.71 (0.7 to 0.72)" in text
    assert "| train | 16 |" in text
    tables.main([*map(str, files), "--page", str(page)])
    assert page.read_text() == text


def test_figure_of_learners(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs undertow[paper]")
    file, figure = tmp_path / "found.json", tmp_path / "figure.svg"
    file.write_text(json.dumps(FOUND))
    tables.main([str(file), "--figure", str(figure)])
    assert "<svg" in figure.read_text()


@pytest.mark.slow
@pytest.mark.skipif(find_spec("torch") is None, reason="needs undertow[gpu]")
@pytest.mark.skipif(find_spec("triton") is None, reason="needs Triton")
@pytest.mark.parametrize(
    "sections",
    [["steps", "encoding"], pytest.param(["learners", "quality"], marks=pytest.mark.torture)],
    ids="-".join,
)
def test_all_run_tiny(sections: list[str], tmp_path: Path) -> None:
    from benchmarks.gpu.__main__ import main

    out = tmp_path / "found.json"
    few = ["--batches", "32", "--seeds", "1", "--models", str(tmp_path / "models")]
    main([*sections, "--tiny", "--out", str(out), *few])
    found = json.loads(out.read_text())
    assert found.keys() >= {*sections, "ceilings"}
    files = [out]
    if "quality" in sections:
        files.append(tmp_path / "judged.json")
        main(["--judge", "--tiny", "--out", str(files[-1]), *few])
    named = {"judged", "to level"} if "quality" in sections else {"steps", "encoding"}
    assert set(tables.sections(tables.together(files))) >= {*named, "ceilings"}
