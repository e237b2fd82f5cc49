"""The family of learners side by side: how good their vectors are, what they give as densities, and
what a minibatch costs.
"""

from __future__ import annotations

from collections.abc import Sequence

from undertow.paper import settings
from undertow.paper.cells import Record
from undertow.paper.experiments.fig1 import timing
from undertow.paper.experiments.models import cells_of, records_of
from undertow.paper.family import MEMBERS, Member
from undertow.paper.kinds import DensityCell, TimingCell, milliseconds
from undertow.paper.report import (
    NONE,
    Cells,
    Experiment,
    Report,
    Results,
    Table,
    in_digits,
    named,
    share,
    summarise,
)
from undertow.paper.scale import Scale

CORPUS, SETTING = settings.POSTS, "tuned"
VECTORS = {"accuracy": "accuracy", "map": "MAP", "map_balanced": "MAP, balanced vectors"}


def cells(scale: Scale) -> Cells:
    """Of every learner its vectors, its perplexity if it is asked for one, and its times."""
    found: Cells = {}
    for member in MEMBERS:
        found |= named(cells_of(scale, CORPUS, member.recipe), SETTING, member.name)
        found |= named(density_cells(scale, member), SETTING, member.name)
        for words in scale.timed_family:
            found |= named(timing_cells(scale, member, words), "timing", member.name)
    return found


def density_cells(scale: Scale, member: Member) -> list[DensityCell]:
    """A cell per seed; none where a model is not to be asked."""
    if not member.is_density:
        return []
    return [
        DensityCell(one.corpus, one.recipe, one.hidden, one.seed, scale.temperatures, scale.chains)
        for one in cells_of(scale, CORPUS, member.recipe)
    ]


def timing_cells(scale: Scale, member: Member, words: int) -> list[TimingCell]:
    """One cell, or two where steps grow longer in a run."""
    return [timing(scale, CORPUS, one.learner, one.draws, words) for one in member.times]


def report(scale: Scale, results: Results) -> Report:
    """The table, and how it is to be read."""
    columns = ["learner", *VECTORS.values(), "perplexity", "interval", "over the unigram"]
    columns += [f"ms, K={words:,}" for words in scale.timed_family]
    rows = [_row(scale, member, results) for member in MEMBERS]
    title = f"The family on 20 Newsgroups, K=2,000, H={scale.hidden(settings.HIDDEN)}"
    return Report(tables=[Table(title, columns, rows)], notes=[_note(scale, results)])


def _row(scale: Scale, member: Member, results: Results) -> list[str]:
    judged = records_of(cells_of(scale, CORPUS, member.recipe), results)
    densities = [results[cell] for cell in density_cells(scale, member)]
    return [
        member.name,
        *(summarise(judged, figure).text() for figure in VECTORS),
        *_density(densities),
        *(_time(timing_cells(scale, member, words), results) for words in scale.timed_family),
    ]


def _density(records: Sequence[Record]) -> list[str]:
    """Perplexity, the interval that holds those of all seeds, and the share of the unigram's."""
    found, low, high = (summarise(records, name) for name in ("perplexity", "low", "high"))
    if found.mean is None:
        return [found.text(), NONE, NONE]
    spread = "" if found.spread is None else f" ± {in_digits(found.spread)}"
    unigram = summarise(records, "unigram").mean
    return [
        f"{in_digits(found.mean)}{spread}",
        f"{in_digits(min(low.values))} to {in_digits(max(high.values))}",
        NONE if unigram is None else _ratio(found.mean / unigram),
    ]


def _ratio(value: float) -> str:
    return share(value) if value < 10.0 else in_digits(value)


def _time(cells: Sequence[TimingCell], results: Results) -> str:
    """One time, or the first and the last; none where times were left out."""
    found = [milliseconds(results, cell) for cell in cells]
    return NONE if None in found else " to ".join(f"{time:.2f}" for time in found)


def _note(scale: Scale, results: Results) -> str:
    asked = [cell for cell in results if isinstance(cell, DensityCell)]
    unigram = summarise([results[cell] for cell in asked], "unigram").mean
    beside = "" if unigram is None else f", whose unigram has {in_digits(unigram)}"
    return (
        f"Accuracy and MAP are those of posteriors. Perplexity is that of all test documents"
        f"{beside}, by {scale.temperatures:,} temperatures and {scale.chains} chains each way; the "
        f"interval is what these leave open, of all seeds together. Models with word weights are "
        f"not calibrated, and not asked. Milliseconds are medians of a training step as in Figure "
        f"1 ({scale.timed_threads} threads), without sparsity; word weights do not change them."
    )


EXPERIMENT = Experiment("family", "The family", cells, report)
