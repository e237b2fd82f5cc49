"""The paper's claims: verdicts, and the figures they are made from, against numbers worked out by
hand.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.paper.tiny import TINY, record
from undertow.paper import settings
from undertow.paper.cells import Cell, Record
from undertow.paper.experiments import claims, fig1
from undertow.paper.experiments.claims import (
    ACCURACY,
    CLAIMS,
    HIGH,
    LOW,
    PRECISION,
    Claim,
    figure_of,
    verdict,
)
from undertow.paper.kinds import ModelCell, TimingCell
from undertow.paper.report import Summary

TWO_SEEDS = replace(TINY, seeds=2)
ALWAYS_DIVERGED = Summary((), diverged=2)


def around(middle: float, half: float = 0.01) -> Summary:
    """Two seeds: their deviation is half * sqrt(2), and the standard error of their mean is
    `half`.
    """
    return Summary((middle - half, middle + half))


# The standard error of a difference of two such means is sqrt(.01^2 + .01^2) = .01414, and twice
# that is .02828.


@pytest.mark.parametrize(
    ("better", "worse", "plain", "harmless"),
    [
        (0.529, 0.5, "holds", "holds"),
        (0.528, 0.5, "no difference", "holds"),
        (0.5, 0.5, "no difference", "holds"),
        (0.5, 0.528, "no difference", "holds"),
        (0.5, 0.529, "refuted", "refuted"),
    ],
)
def test_a_difference_counts_beyond_two_standard_errors(
    better: float, worse: float, plain: str, harmless: str
) -> None:
    assert verdict(around(better), around(worse)) == plain
    assert verdict(around(better), around(worse), harmless=True) == harmless


def test_errors_of_both_sides_count() -> None:
    """3 and 4 hundredths make 5: a tenth is twice that."""
    assert verdict(around(0.601, 0.03), around(0.5, 0.04)) == "holds"
    assert verdict(around(0.599, 0.03), around(0.5, 0.04)) == "no difference"
    assert verdict(around(0.599, 0.03), around(0.5, 0.03)) == "holds"


def test_more_seeds_have_a_smaller_error() -> None:
    """The same deviations twice over: two seeds leave open what four decide."""
    two = [Summary((middle - 0.01, middle + 0.01)) for middle in (0.525, 0.5)]
    four = [Summary(2 * side.values) for side in two]
    assert verdict(*two) == "no difference"
    assert verdict(*four) == "holds"


def test_one_seed_has_no_error() -> None:
    assert verdict(Summary((0.5001,)), Summary((0.5,))) == "holds"
    assert verdict(Summary((0.5,)), Summary((0.5001,)), harmless=True) == "refuted"
    assert verdict(Summary((0.5,)), Summary((0.5,))) == "no difference"
    assert verdict(Summary((0.521,)), around(0.5)) == "holds"  # one side's error is all there is
    assert verdict(Summary((0.519,)), around(0.5)) == "no difference"


@pytest.mark.parametrize("harmless", [False, True])
def test_a_side_that_always_diverged_is_the_worse_one(harmless: bool) -> None:
    assert verdict(around(0.1), ALWAYS_DIVERGED, harmless=harmless) == "holds"
    assert verdict(ALWAYS_DIVERGED, around(0.1), harmless=harmless) == "refuted"


def test_two_sides_that_always_diverged_do_not_differ() -> None:
    assert verdict(ALWAYS_DIVERGED, ALWAYS_DIVERGED) == "no difference"


def test_a_side_that_diverged_once_counts_by_its_other_seeds() -> None:
    assert verdict(Summary((0.4,), diverged=1), Summary((0.5,))) == "refuted"
    assert verdict(Summary((0.6,), diverged=1), Summary((0.5,))) == "holds"


def test_figures_are_those_of_seeds_that_did_not_diverge() -> None:
    records = [
        record(map=0.3, accuracy=0.6, recall=[0.1, 0.5, 1.0], precision=[0.9, 0.5, 0.2]),
        record(diverged=True),
        record(map=0.5, accuracy=0.7, recall=[0.1, 0.5, 1.0], precision=[0.8, 0.4, 0.1]),
    ]
    assert figure_of(records, PRECISION) == Summary((0.3, 0.5), diverged=1)
    assert figure_of(records, ACCURACY) == Summary((0.6, 0.7), diverged=1)
    assert figure_of(records, LOW) == Summary((0.9, 0.8), diverged=1)
    assert figure_of(records, HIGH) == Summary((0.2, 0.1), diverged=1)


@pytest.mark.parametrize("figure", [ACCURACY, LOW, HIGH])
def test_records_that_all_diverged_have_no_figure(figure: str) -> None:
    assert figure_of([record(diverged=True)], figure) == Summary((), diverged=1)


def sides(claim: Claim, family: str) -> tuple[list[ModelCell], list[ModelCell]]:
    return claim.better(TWO_SEEDS, family), claim.worse(TWO_SEEDS, family)


@pytest.mark.parametrize(
    "claim", CLAIMS, ids=lambda claim: f"{claim.text}, {claim.figure}, {claim.corpus.data}"
)
def test_both_sides_of_a_claim_are_run(claim: Claim) -> None:
    listed = claims.cells(TWO_SEEDS)
    for family in settings.FAMILIES:
        better, worse = sides(claim, family)
        assert {cell.seed for cell in better} == {cell.seed for cell in worse} == {0, 1}
        assert {cell.corpus for cell in (*better, *worse)} == {TWO_SEEDS.corpus(claim.corpus)}
        assert set(better) | set(worse) <= set(listed)
        assert {listed[cell]["family"] for cell in (*better, *worse)} == {family}
        assert not set(better) & set(worse)  # there is something to compare


def test_nothing_else_is_run() -> None:
    compared = {
        cell
        for claim in CLAIMS
        for family in settings.FAMILIES
        for side in sides(claim, family)
        for cell in side
    }
    lines = fig1.series_of_the_paper(TWO_SEEDS)
    assert set(claims.cells(TWO_SEEDS)) == compared | set(fig1.cells_of_lines(TWO_SEEDS, lines))


def test_sides_are_what_the_claims_say() -> None:
    """The tuned recipes, whose numbers are those of `settings` but for the one that a claim is
    about.
    """
    recipes = {
        (claim.text, claim.corpus): tuple(side[0].recipe for side in sides(claim, "tuned"))
        for claim in CLAIMS
    }
    posts = settings.POSTS
    more, fewer = recipes["more noise is better: k = 25 over 5", posts]
    assert (more.n_noise, replace(more, n_noise=5)) == (25, fewer)
    for corpus in (posts, settings.FILMS):
        weighted, counted = recipes["idf weights are better than counts", corpus]
        assert (weighted.weighting, replace(weighted, weighting=None)) == ("idf", counted)
    for text, level in (
        ("partial noise is better than full noise, α = 0", 0.0),
        ("it is better than α = .9", 0.9),
    ):
        for corpus, own in ((posts, 0.7), (settings.FILMS, 0.5)):
            for line, weighting in (("counts", None), ("idf", "idf")):
                partial, other = recipes[f"{text} ({line})", corpus]
                assert (partial.noise_level, partial.weighting) == (own, weighting)
                assert replace(partial, noise_level=level) == other
    _, plain = recipes["NCE without the uniform estimate is poor", posts]
    assert plain.learner == "nce"
    for line, weighting in (("", None), (" idf", "idf")):
        ours, rival = recipes[f"α-NCE 25{line} retrieves better than CD-1{line}", posts]
        assert (ours.learner, ours.n_noise, ours.weighting) == ("alpha-nce", 25, weighting)
        assert (rival.learner, rival.n_steps, rival.weighting) == ("cd", 1, weighting)
    frozen, learned = recipes["freezing log Z does not harm", posts]
    assert replace(frozen, learner_options=(("normaliser", "learned"),)) == learned
    damped, raw = recipes["ceil(log(1 + v)) is better than counts as they are", posts]
    assert (damped.count_transform, raw) == ("log", replace(damped, count_transform=None))


def test_freezing_is_the_only_claim_of_no_harm() -> None:
    assert {claim.text for claim in CLAIMS if claim.harmless} == {"freezing log Z does not harm"}


def make_results() -> dict[Cell, Record]:
    """CD and few noises do as well as they do here; tuned models are all alike, and tuned NCE
    diverges.
    """
    results: dict[Cell, Record] = {}
    for cell in claims.cells(TWO_SEEDS):
        if isinstance(cell, TimingCell):
            slow = {"cd": 30.0, "alpha-nce": 2.0}[cell.learner]
            results[cell] = record(median_ms=slow * cell.draws, made_up=False)
            continue
        assert isinstance(cell, ModelCell)
        recipe, shift = cell.recipe, 0.01 * (2 * cell.seed - 1)
        if recipe.learner == "nce" and recipe.optimizer == "adam":
            results[cell] = record(diverged=True)
            continue
        better = (
            0.0 if recipe.optimizer == "adam" or recipe.learner == "cd" else 0.01 * recipe.n_noise
        )
        figure = 0.5 + better + shift
        results[cell] = record(
            accuracy=figure, map=figure - 0.2, recall=[0.1, 1.0], precision=[figure + 0.1, figure]
        )
    return results


def test_the_report_has_a_row_a_claim_and_a_column_a_family() -> None:
    table, _ = claims.report(TWO_SEEDS, make_results()).tables
    assert list(table.columns) == ["claim", "by", "faithful", "tuned"]
    assert [row[0] for row in table.rows] == [claim.text for claim in CLAIMS]
    assert {len(row) for row in table.rows} == {4}
    rows = {(row[0], row[1]): list(row[2:]) for row in table.rows}
    assert len(rows) == len(CLAIMS)  # no two are of the same name
    same = ".500 / .500: no difference"
    assert rows["more noise is better: k = 25 over 5", "accuracy, 20 Newsgroups"] == [
        ".750 / .550: holds",
        same,
    ]
    assert rows["more noise is better: k = 5 over 1", "MAP, 20 Newsgroups"] == [
        ".350 / .310: holds",
        ".300 / .300: no difference",
    ]
    assert rows["idf weights are better than counts", "accuracy, IMDB"] == [
        ".5500 / .5500: no difference",
        ".5000 / .5000: no difference",
    ]
    assert rows["NCE without the uniform estimate is poor", "accuracy, 20 Newsgroups"] == [
        ".750 / .750: no difference",
        ".500 / –: holds",
    ]
    ends = (
        "precision at the lowest recall, 20 Newsgroups",
        "precision at the highest recall, 20 Newsgroups",
    )
    low, high = (rows["α-NCE 25 retrieves better than CD-1", end] for end in ends)
    assert low == [".850 / .600: holds", ".600 / .600: no difference"]
    assert high == [".750 / .500: holds", same]
    assert rows["freezing log Z does not harm", "accuracy, 20 Newsgroups"] == [
        ".750 / .750: holds",
        ".500 / .500: holds",
    ]


def test_speeds_are_from_the_quickest_cd_to_the_slowest() -> None:
    """CD takes 30 and 60 ms, alpha-NCE 2 and 6: 30 / 6 and 60 / 2."""
    _, speed = claims.report(TWO_SEEDS, make_results()).tables
    assert list(speed.columns) == ["words", "20 Newsgroups", "IMDB"]
    assert [list(row) for row in speed.rows] == [
        ["20", "5.0 to 30", "5.0 to 30"],
        ["60", "5.0 to 30", "5.0 to 30"],
    ]
