"""Figure 1: time per minibatch over the vocabulary size, CD against alpha-NCE, on both data sets;
and, beyond the paper, MH-CD and ratio matching.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from undertow.paper import plots, settings
from undertow.paper.corpora import Corpus
from undertow.paper.kinds import Timed, TimingCell, milliseconds
from undertow.paper.report import NONE, Cells, Experiment, Picture, Report, Results, Table, named
from undertow.paper.scale import Scale

# name in the legend, offers to a token or neighbours of a document
BEYOND_THE_PAPER: dict[Timed, tuple[str, int]] = {
    "mh-cd": ("MH-CD", 5),
    "ratio-matching": ("ratio matching", 25),
}
DATA = {"20 Newsgroups": settings.POSTS, "IMDB": settings.FILMS}


@dataclass(frozen=True)
class Series:
    """A line of the figure: a learner, and how many draws it makes (`TimingCell`)."""

    learner: Timed
    draws: int

    @property
    def label(self) -> str:
        """As in the legend."""
        if self.learner in BEYOND_THE_PAPER:
            return BEYOND_THE_PAPER[self.learner][0]
        return f"CD-{self.draws}" if self.learner == "cd" else f"α-NCE, k={self.draws}"


def cells(scale: Scale) -> Cells:
    """Every line at every vocabulary size of it, on both data sets."""
    return cells_of_lines(scale, series(scale))


def cells_of_lines(scale: Scale, lines: Sequence[Series]) -> Cells:
    """Those of some lines."""
    found: Cells = {}
    for corpus in DATA.values():
        for one in lines:
            found |= named(line(scale, corpus, one).values(), "timing", one.label)
    return found


def report(scale: Scale, results: Results) -> Report:
    """The figure, and its numbers as a table for each data set."""
    picture = Picture(
        "fig1",
        f"Median time of a training step (gradient and update; minibatches of 128, 128 hidden "
        f"units, {scale.timed_threads} threads) over the vocabulary size. Filled markers: real "
        "documents and their most frequent words. Hollow markers: the data have fewer words; "
        "made-up documents of the same lengths, whose words follow Zipf's law.",
        partial(
            plots.time_panels,
            {name: _points(scale, corpus, results) for name, corpus in DATA.items()},
        ),
    )
    return Report(
        tables=[_table(name, scale, corpus, results) for name, corpus in DATA.items()],
        pictures=[picture],
    )


def series(scale: Scale) -> list[Series]:
    """The lines of the figure, last those that the paper does not have."""
    beyond = [Series(name, draws) for name, (_, draws) in BEYOND_THE_PAPER.items()]
    return [*series_of_the_paper(scale), *beyond]


def series_of_the_paper(scale: Scale) -> list[Series]:
    """CD, then alpha-NCE."""
    return [Series("cd", steps) for steps in scale.timed_gibbs_steps] + [
        Series("alpha-nce", noises) for noises in scale.timed_noises
    ]


def line(scale: Scale, corpus: Corpus, of: Series) -> dict[int, TimingCell]:
    """Vocabulary size -> cell. CD grows with the vocabulary, and stops where it takes long."""
    sizes = scale.timed_words + (scale.timed_words_further if of.learner != "cd" else ())
    return {words: timing(scale, corpus, of.learner, of.draws, words) for words in sizes}


def timing(scale: Scale, corpus: Corpus, learner: Timed, draws: int, words: int) -> TimingCell:
    """A point of a line. The largest vocabulary of real words is counted once; smaller ones are its
    beginning.
    """
    counted = replace(scale.corpus(corpus), words=scale.timed_real_words)
    return TimingCell(
        counted, words, learner, draws, steps=scale.timed_steps, threads=scale.timed_threads
    )


def _points(scale: Scale, corpus: Corpus, results: Results) -> dict[str, list[plots.Timing]]:
    return {
        one.label: [
            plots.Timing(
                words, results[cell].figures["median_ms"], made_up=results[cell].figures["made_up"]
            )
            for words, cell in line(scale, corpus, one).items()
            if cell in results
        ]
        for one in series(scale)
    }


def _table(name: str, scale: Scale, corpus: Corpus, results: Results) -> Table:
    lines = {one.label: line(scale, corpus, one) for one in series(scale)}
    rows = []
    for words in scale.timed_words + scale.timed_words_further:
        times = [milliseconds(results, of[words]) if words in of else None for of in lines.values()]
        rows.append([f"{words:,}", *(NONE if time is None else f"{time:.2f}" for time in times)])
    return Table(f"{name}: milliseconds per minibatch", ["words", *lines], rows)


EXPERIMENT = Experiment("fig1", "Figure 1: time per minibatch", cells, report)
