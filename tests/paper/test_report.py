"""Means, spreads and choices, against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from tests.paper.tiny import TINY, record
from undertow.paper import plots, settings
from undertow.paper.cells import Cell, Record
from undertow.paper.experiments import alpha, beat, fig1, fig2, fig3, table1, table2
from undertow.paper.experiments.models import model_cells
from undertow.paper.kinds import ModelCell, TimingCell
from undertow.paper.kinds.model import plain_level
from undertow.paper.report import Summary, named, share, summarise, tidy_rows

TWO_SEEDS = replace(TINY, seeds=2)


def test_mean_and_standard_deviation() -> None:
    summary = summarise([record(map=0.2), record(map=0.4), record(map=0.9)], "map")
    assert summary.mean == pytest.approx(0.5)
    assert summary.spread == pytest.approx(0.36056, abs=1e-5)  # the root of (.09 + .01 + .16) / 2
    assert summary.text() == ".500 ± .361"
    assert summary.text(4) == ".5000 ± .3606"


def test_one_seed_has_no_spread() -> None:
    assert summarise([record(map=0.25)], "map").text() == ".250"


def test_divergence_is_shown() -> None:
    diverged = record(diverged=True)
    assert summarise([diverged, diverged], "map").text() == "diverged"
    assert summarise([diverged, record(map=0.5)], "map").text() == ".500 (1 diverged)"
    assert summarise([record(accuracy=1.0)], "map").text() == "–"
    assert Summary(()).rank < Summary((0.0,)).rank


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.6484, ".648"),
        (1.0, "1.000"),
        (0.9996, "1.000"),
        (-0.012, "-.012"),
        (0.0, ".000"),
        (None, "–"),
    ],
)
def test_shares_read_as_in_the_paper(value: float | None, text: str) -> None:
    assert share(value) == text


def test_rows_are_tidy() -> None:
    (cell,) = model_cells(TINY, settings.POSTS, "tuned", "α-NCE 5")
    rows = tidy_rows(named([cell], "tuned", "α-NCE 5"), {cell: record(map=0.5, precision=[1.0])})
    assert rows[0]["family"] == "tuned"
    assert (rows[0]["model"], rows[0]["noises"], rows[0]["weighting"], rows[0]["seed"]) == (
        "α-NCE 5",
        5,
        "counts",
        0,
    )
    assert rows[0]["map"] == 0.5
    assert "precision" not in rows[0]


def test_table1_shows_quoted_figures_and_means() -> None:
    results: dict[Cell, Record] = {
        cell: record(accuracy=0.6 + 0.1 * cell.seed, accuracy_strength=0.5, map=0.3)
        for cell in table1.cells(TWO_SEEDS)
        if isinstance(cell, ModelCell)
    }
    accuracy, _, strength, precision, _ = table1.report(TWO_SEEDS, results).tables
    assert accuracy.columns[1] == "paper (quoted)"
    both = ".650 ± .071"
    assert list(accuracy.rows[0]) == ["CD-1", ".641", *[both] * 4]
    assert list(accuracy.rows[3])[:2] == ["NCE", "–"]
    assert list(strength.rows[0]) == ["CD-1", *[".500 ± .000"] * 4]
    assert list(precision.rows[0]) == ["CD-1", *[".300 ± .000"] * 4]


def test_table2_keeps_quoted_and_run_apart() -> None:
    results: dict[Cell, Record] = {cell: record(accuracy=0.875) for cell in table2.cells(TINY)}
    models, baselines = table2.report(TINY, results).tables
    assert list(models.rows[0])[:4] == ["CD-1", ".8622", ".8750", ".8750"]
    assert list(baselines.rows[0]) == ["Words, counts", ".8675", ".8750"]
    assert list(baselines.rows[1]) == ["Words, binary", "–", ".8750"]
    assert list(baselines.rows[3]) == ["LSA-8", ".8396", ".8750"]
    assert list(baselines.rows[-1]) == ["WRRBM", ".8742", "–"]


def test_curves_are_means_over_seeds_that_did_not_diverge() -> None:
    results: dict[Cell, Record] = {}
    for cell in fig2.cells(replace(TINY, seeds=3)):
        assert isinstance(cell, ModelCell)
        diverged = cell.recipe.learner == "nce" or cell.seed == 2
        precision = [0.8, 0.2 + 0.2 * cell.seed]
        results[cell] = (
            record(diverged=True) if diverged else record(recall=[0.1, 1.0], precision=precision)
        )
    curves = fig2.curves(replace(TINY, seeds=3), "tuned", results)
    assert "NCE" not in curves
    assert curves["CD-1"].precision == pytest.approx([0.8, 0.3])
    assert curves["CD-1"].recall == [0.1, 1.0]


def test_line_across_is_the_best_cd() -> None:
    results: dict[Cell, Record] = {}
    for cell in fig3.cells(TWO_SEEDS):
        assert isinstance(cell, ModelCell)
        best = cell.recipe.learner == "cd" and cell.recipe.n_steps == 5
        figure = 0.4 + 0.1 * cell.seed if best else 0.3
        results[cell] = record(map=figure, accuracy=figure)
    faithful, tuned = fig3.report(TWO_SEEDS, results).tables
    for table in (faithful, tuned):
        assert list(table.rows[-1])[1] == ".450 ± .071 (CD-5)"
    assert [row[0] for row in tuned.rows] == ["0", "0.5", "best CD"]
    assert list(tuned.rows[0])[1:3] == [".300 ± .000", ".300 ± .000"]


def test_levels_are_run_for_every_seed_and_with_both_settings() -> None:
    cells = [
        cell
        for cell in fig3.cells(TWO_SEEDS)
        if isinstance(cell, ModelCell) and cell.recipe.learner != "cd"
    ]
    found = {(cell.recipe.optimizer, cell.recipe.noise_level, cell.seed) for cell in cells}
    assert found == set(product(("sgd", "adam"), TWO_SEEDS.levels, (0, 1)))


def alpha_results() -> dict[Cell, Record]:
    results: dict[Cell, Record] = {}
    for cell in alpha.cells(TWO_SEEDS):
        assert isinstance(cell, ModelCell)
        level = cell.recipe.noise_level
        figure = {0.0: 0.30, 0.5: 0.40, "auto": 0.39}[level] + 0.02 * cell.seed
        results[cell] = record(
            map=figure, accuracy=figure, noise_level=0.45 if level == "auto" else None
        )
    return results


def test_chosen_level_is_compared_with_the_best_of_the_grid() -> None:
    table = alpha.report(TWO_SEEDS, alpha_results()).tables[0]
    assert alpha.best_level(fig3.PANELS[0], TWO_SEEDS, alpha_results()) == 0.5
    assert [list(row) for row in table.rows] == [
        ["0", "0.45", ".390", ".400", "-.010"],
        ["1", "0.45", ".410", ".420", "-.010"],
        ["mean", "", ".400", ".410", "-.010"],
    ]


@pytest.mark.parametrize(("level", "text"), [(None, "–"), (0.7, "0.7"), ([0.3, 0.9], "0.3 to 0.9")])
def test_levels_read_well(level: float | list[float] | None, text: str) -> None:
    assert alpha._level(level) == text


@pytest.mark.parametrize(("level", "plain"), [(None, None), (0.7, 0.7), ((0.3, 0.9), [0.3, 0.9])])
def test_levels_are_plain_json(level: object, plain: object) -> None:
    assert plain_level(level) == plain


@pytest.mark.parametrize(
    ("accuracy", "precision", "verdict"),
    [(0.76, 0.47, "yes"), (0.74, 0.47, "no"), (0.76, 0.45, "no")],
)
def test_goal_is_reached_by_both_means(accuracy: float, precision: float, verdict: str) -> None:
    goal = replace(
        settings.GOALS[0], accuracy=0.75, map=0.46, judged_by="accuracy", retrieved_by="map"
    )
    spread = [
        record(accuracy=accuracy + change, map=precision + change) for change in (-0.1, 0.0, 0.1)
    ]
    assert beat.verdict(goal, spread) == verdict
    assert beat.verdict(goal, [record(diverged=True)]) == "no"
    by_strength = replace(goal, judged_by="accuracy_strength", retrieved_by="map_strength")
    assert beat.verdict(by_strength, spread) == "no"  # these have none
    assert (
        beat.verdict(by_strength, [record(accuracy_strength=accuracy, map_strength=precision)])
        == verdict
    )


def test_table1_has_learners_beyond_the_paper_in_tuned_columns_alone() -> None:
    results: dict[Cell, Record] = {
        cell: record(accuracy=0.75 if cell.recipe.learner == "mh-cd" else 0.5)
        for cell in table1.cells(TINY)
        if isinstance(cell, ModelCell)
    }
    rows = {row[0]: list(row)[1:] for row in table1.report(TINY, results).tables[0].rows}
    assert rows["MH-CD, beyond the paper"] == ["–", "–", ".750", "–", ".750"]
    assert rows["ratio matching, idf, beyond the paper"] == ["–", "–", ".500", "–", ".500"]


def test_timing_goes_on_for_all_but_cd() -> None:
    cells = [cell for cell in fig1.cells(TINY) if isinstance(cell, TimingCell)]
    assert {cell.words for cell in cells if cell.learner == "cd"} == {20, 60}
    for learner in ("alpha-nce", "mh-cd", "ratio-matching"):
        assert {cell.words for cell in cells if cell.learner == learner} == {20, 60, 200}
    assert all(cell.alone for cell in cells)
    results: dict[Cell, Record] = {
        cell: record(median_ms=1.25, made_up=cell.words > 60) for cell in cells
    }
    table = fig1.report(TINY, results).tables[0]
    assert list(table.columns)[-2:] == ["MH-CD", "ratio matching"]
    assert list(table.rows[-1]) == ["200", "–", "–", *["1.25"] * 4]
    nothing = fig1.report(TINY, {})  # where times were left out
    assert set(nothing.tables[0].rows[0][1:]) == {"–"}
    plots.rendered(nothing.pictures[0].draw, "svg")
