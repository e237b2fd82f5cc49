"""The family of learners: recipes, and the table that is made of their cells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.paper.tiny import TINY, record, run_tiny
from undertow.learn import (
    Adam,
    AlphaNCE,
    ContrastiveDivergence,
    MetropolisDivergence,
    RatioMatching,
    defaults,
)
from undertow.learn.registry import find_learner
from undertow.paper import settings
from undertow.paper.cells import Cell, Record
from undertow.paper.experiments import family, fig1
from undertow.paper.family import MEMBERS, Member
from undertow.paper.kinds import DensityCell, ModelCell, TimingCell
from undertow.paper.recipe import estimator, learner, normalised
from undertow.paper.runner import Workshop
from undertow.paper.scale import FULL
from undertow.paper.texts import NEWSGROUPS

BY_NAME = {member.name: member for member in MEMBERS}
TWO_SEEDS = replace(TINY, seeds=2)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_what_a_learner_does_not_use_changes_nothing(member: Member) -> None:
    recipe = normalised(member.recipe)
    assert learner(recipe) == learner(member.recipe)
    assert estimator(recipe, hidden=4, seed=0).weighting == (
        "idf" if member.name.endswith("idf") else None
    )


def test_learners_are_what_they_are_called() -> None:
    made = {name: learner(member.recipe) for name, member in BY_NAME.items()}
    assert made["CD-1"] == ContrastiveDivergence()
    assert made["CD, 1 to 5 steps"] == ContrastiveDivergence((1, 5))
    assert made["PCD-5"] == made["PCD-5, sparsity 10"] == ContrastiveDivergence(5, persistent=True)
    assert made["MH-CD"] == made["MH-CD, idf"] == MetropolisDivergence(proposals=5)
    assert made["NCE, log Z learned"] == find_learner("nce")
    assert made["α-NCE 25"] == AlphaNCE(n_noise=25, noise_level=0.7, sharpness=10.0)
    assert made["ratio matching"] == made["ratio matching, idf"] == RatioMatching()


def test_those_of_table_1_are_its_models() -> None:
    for name, model in (("CD-1", "CD-1"), ("α-NCE 25, idf", "α-NCE 25 idf")):
        of_table = settings.tuned(NEWSGROUPS, model)
        assert normalised(BY_NAME[name].recipe) == normalised(of_table)


def test_but_for_the_learner_metropolis_hastings_has_the_recipe_of_cd() -> None:
    options = [
        estimator(BY_NAME[name].recipe, hidden=128, seed=0).get_params(deep=False)
        for name in ("MH-CD", "CD-1")
    ]
    assert [name for name in options[0] if options[0][name] != options[1][name]] == ["learner"]


def test_ratio_matching_and_nce_have_the_defaults_of_the_estimator() -> None:
    """Written out, since a default that changes must not pass for these figures."""
    for name in ("ratio matching", "NCE, log Z learned"):
        model = estimator(BY_NAME[name].recipe, hidden=128, seed=0)
        steps = 60 * 89
        assert model.optimizer == defaults.make_optimizer("auto", model.learner, steps, 80.0)
        assert model.sparsity_cost == defaults.make_sparsity(0.1, "auto", 80.0, 11_314).cost
    assert estimator(BY_NAME["PCD-5"].recipe, hidden=128, seed=0).optimizer == Adam(
        learning_rate=0.002, annealing=2.0, hidden_bias_rate=1.0, l2=1e-3
    )


def test_models_with_word_weights_are_not_asked_for_a_perplexity() -> None:
    asked = [cell for cell in family.cells(TINY) if isinstance(cell, DensityCell)]
    assert len(asked) == sum(not member.name.endswith("idf") for member in MEMBERS) == 8
    assert all(cell.recipe.weighting is None for cell in asked)


def test_times_are_those_of_figure_1_where_it_has_them() -> None:
    ours, theirs = (
        {cell for cell in cells if isinstance(cell, TimingCell)}
        for cells in (family.cells(FULL), fig1.cells(FULL))
    )
    assert {(cell.learner, cell.draws, cell.words) for cell in ours - theirs} == {
        ("cd", 1, 200_000),
        ("cd", 5, 200_000),
        *(("pcd", 5, words) for words in FULL.timed_family),
        *(("nce", 25, words) for words in FULL.timed_family),
    }
    assert {cell.words for cell in ours} == {2000, 20_000, 200_000}


def results_of(perplexity: float, *, timed: bool = True) -> dict[Cell, Record]:
    results: dict[Cell, Record] = {}
    for cell in family.cells(TWO_SEEDS):
        if isinstance(cell, DensityCell):
            value = perplexity + 10.0 * cell.seed
            results[cell] = record(
                perplexity=value, low=value - 5.0, high=value + 7.0, unigram=1000.0
            )
        elif isinstance(cell, ModelCell):
            results[cell] = record(accuracy=0.7, map=0.3 + 0.02 * cell.seed, map_balanced=0.4)
        elif isinstance(cell, TimingCell) and timed:
            results[cell] = record(median_ms=1.0 * cell.draws)
    return results


def test_a_row_a_learner() -> None:
    (table,) = family.report(TWO_SEEDS, results_of(600.0)).tables
    rows = {row[0]: list(row)[1:] for row in table.rows}
    assert list(rows) == [member.name for member in MEMBERS]
    vectors = [".700 ± .000", ".310 ± .014", ".400 ± .000"]
    assert rows["CD-1"] == [*vectors, "605 ± 7", "595 to 617", ".605", "1.00", "1.00"]
    assert rows["CD, 1 to 5 steps"][-1] == "1.00 to 5.00"
    assert rows["MH-CD, idf"] == [*vectors, "–", "–", "–", "5.00", "5.00"]
    assert table.columns[-2:] == ["ms, K=20", "ms, K=200"]


def test_what_is_no_density_has_no_digits() -> None:
    (table,) = family.report(TWO_SEEDS, results_of(9e8)).tables
    assert list(table.rows[0])[4:7] == ["9e8 ± 7", "9e8 to 9e8", "9e5"]


def test_times_that_were_left_out_are_dashes() -> None:
    (table,) = family.report(TWO_SEEDS, results_of(600.0, timed=False)).tables
    assert {value for row in table.rows for value in row[-2:]} == {"–"}


def test_without_times_nothing_is_timed_and_later_nothing_else_computed(tmp_path: Path) -> None:
    first = run_tiny("family", tmp_path, times="none")
    kept = Workshop(tmp_path).missing(family.cells(TINY))
    assert kept
    assert all(cell.alone for cell in kept)
    assert "| CD-1 |" in first.page.read_text()
    assert run_tiny("family", tmp_path).computed == len(kept)
    assert run_tiny("family", tmp_path, times="anew").computed == len(kept)
    assert run_tiny("family", tmp_path).computed == 0


def test_a_figure_of_times_can_be_written_without_any(tmp_path: Path) -> None:
    outcome = run_tiny("fig1", tmp_path, times="none")
    assert (outcome.computed, outcome.found) == (0, 0)
    assert "Nothing was measured yet." in outcome.page.read_text()


@pytest.mark.torture
def test_known_results_are_not_computed(tmp_path: Path) -> None:
    run_tiny("fig2", tmp_path / "first")
    known = tmp_path / "first" / "results"
    assert run_tiny("fig2", tmp_path / "second", known=known).computed == 0
    pages = [(tmp_path / name / "page.md").read_text() for name in ("first", "second")]
    assert pages[0] == pages[1]
    file = known / "fig2.json"
    file.write_text(file.read_text().replace('"cell_version": ', '"cell_version": 1'))
    assert run_tiny("fig2", tmp_path / "third", known=known).computed > 0
