"""The paper's claims, one by one: what is compared, by which figure, and whether the difference is
one.

A difference counts where it is larger than twice its standard error over seeds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from undertow.paper import settings
from undertow.paper.cells import Record
from undertow.paper.corpora import Corpus
from undertow.paper.experiments import fig1
from undertow.paper.experiments.models import cells_of, level_cells, model_cells, records_of
from undertow.paper.kinds import ModelCell, milliseconds
from undertow.paper.recipe import Recipe
from undertow.paper.report import (
    NONE,
    Cells,
    Experiment,
    Report,
    Results,
    Summary,
    Table,
    named,
    share,
    summarise,
)
from undertow.paper.scale import Scale

Of = Callable[[Scale, str], list[ModelCell]]  # the cells of a family

HOLDS, REFUTED, NEITHER = "holds", "refuted", "no difference"
ACCURACY, PRECISION = "accuracy", "map"
LOW, HIGH = "precision at the lowest recall", "precision at the highest recall"
SHOWN = {ACCURACY: "accuracy", PRECISION: "MAP", LOW: LOW, HIGH: HIGH}
NAMES = {settings.POSTS: "20 Newsgroups", settings.FILMS: "IMDB"}
BEYOND = 2.0  # standard errors


@dataclass(frozen=True)
class Claim:
    """That one model is better than another by a figure on a data set; `harmless`: that it is not
    worse.
    """

    text: str
    corpus: Corpus
    figure: str
    better: Of
    worse: Of
    harmless: bool = False


def _model(corpus: Corpus, model: str) -> Of:
    return lambda scale, family: model_cells(scale, corpus, family, model)


def _level(corpus: Corpus, model: str, level: float) -> Of:
    return lambda scale, family: level_cells(scale, corpus, family, model, level)


def _changed(corpus: Corpus, model: str, change: Callable[[Recipe], Recipe]) -> Of:
    return lambda scale, family: cells_of(
        scale, corpus, change(settings.FAMILIES[family](corpus.data, model))
    )


def _claims() -> Iterator[Claim]:
    posts, films = settings.POSTS, settings.FILMS
    on_posts = {"counts": "α-NCE 25", "idf": "α-NCE 25 idf"}
    on_films = {"counts": "α-NCE 5", "idf": "α-NCE 5 idf"}
    judged = [
        (posts, ACCURACY, on_posts),
        (posts, PRECISION, on_posts),
        (films, ACCURACY, on_films),
    ]
    for figure in (ACCURACY, PRECISION):
        for fewer, more in (("α-NCE 1", "α-NCE 5"), ("α-NCE 5", "α-NCE 25")):
            text = f"more noise is better: k = {more.split()[-1]} over {fewer.split()[-1]}"
            yield Claim(text, posts, figure, _model(posts, more), _model(posts, fewer))
    for corpus, figure, models in judged:
        both = _model(corpus, models["idf"]), _model(corpus, models["counts"])
        yield Claim("idf weights are better than counts", corpus, figure, *both)
    for level, text in (
        (0.0, "partial noise is better than full noise, α = 0"),
        (0.9, "it is better than α = .9"),
    ):
        for corpus, figure, models in judged:
            for line, model in models.items():
                both = _model(corpus, model), _level(corpus, model, level)
                yield Claim(f"{text} ({line})", corpus, figure, *both)
    for figure in (ACCURACY, PRECISION):
        text = "NCE without the uniform estimate is poor"
        yield Claim(text, posts, figure, _model(posts, "α-NCE 25"), _model(posts, "NCE"))
    for model, rival in (("α-NCE 25", "CD-1"), ("α-NCE 25 idf", "CD-1 idf")):
        for figure in (PRECISION, LOW, HIGH):
            text = f"{model} retrieves better than {rival}"
            yield Claim(text, posts, figure, _model(posts, model), _model(posts, rival))
    model = "α-NCE 25"
    for figure in (ACCURACY, PRECISION):
        learned = _changed(
            posts,
            model,
            lambda recipe: replace(recipe, learner_options=(("normaliser", "learned"),)),
        )
        text = "freezing log Z does not harm"
        yield Claim(text, posts, figure, _model(posts, model), learned, harmless=True)
    for figure in (ACCURACY, PRECISION):
        raw = _changed(posts, model, lambda recipe: replace(recipe, count_transform=None))
        text = "ceil(log(1 + v)) is better than counts as they are"
        yield Claim(text, posts, figure, _model(posts, model), raw)


CLAIMS = tuple(_claims())


def cells(scale: Scale) -> Cells:
    """Both sides of every claim, and the times of Figure 1."""
    found = fig1.cells_of_lines(scale, fig1.series_of_the_paper(scale))
    for claim in CLAIMS:
        for family in settings.FAMILIES:
            for side in (claim.better, claim.worse):
                found |= named(side(scale, family), family, claim.text)
    return found


def report(scale: Scale, results: Results) -> Report:
    """A row per claim and figure, and one for the speed."""
    rows = [_row(claim, scale, results) for claim in CLAIMS]
    columns = ["claim", "by", *settings.FAMILIES]
    notes = [
        f"Each entry: the figure of the side that the paper has ahead, that of the other, and the "
        f"verdict: a difference counts where it is larger than {BEYOND:g} standard errors over "
        "seeds."
    ]
    return Report(tables=[Table("Claims", columns, rows), _speed(scale, results)], notes=notes)


def _row(claim: Claim, scale: Scale, results: Results) -> list[str]:
    digits = 4 if claim.corpus == settings.FILMS else 3
    shown = []
    for family in settings.FAMILIES:
        better, worse = (
            figure_of(records_of(side(scale, family), results), claim.figure)
            for side in (claim.better, claim.worse)
        )
        numbers = " / ".join(share(side.mean, digits) for side in (better, worse))
        shown.append(f"{numbers}: {verdict(better, worse, harmless=claim.harmless)}")
    return [claim.text, f"{SHOWN[claim.figure]}, {NAMES[claim.corpus]}", *shown]


def figure_of(records: Sequence[Record], figure: str) -> Summary:
    """A figure over seeds; precisions at the two ends of recall are those of Figure 2."""
    if figure not in (LOW, HIGH):
        return summarise(records, figure)
    place = 0 if figure == LOW else -1
    kept = [record for record in records if not record.diverged]
    return Summary(
        tuple(float(record.figures["precision"][place]) for record in kept),
        len(records) - len(kept),
    )


def verdict(better: Summary, worse: Summary, *, harmless: bool = False) -> str:
    """Whether one is better than the other, beyond chance; a side that always diverged is the worse
    one.
    """
    if better.mean is None and worse.mean is None:
        return NEITHER
    if better.mean is None or worse.mean is None:
        return HOLDS if better.mean is not None else REFUTED
    error = math.hypot(
        *((side.spread or 0.0) / math.sqrt(len(side.values)) for side in (better, worse))
    )
    difference = better.mean - worse.mean
    if difference < -BEYOND * error:
        return REFUTED
    if harmless:
        return HOLDS
    return HOLDS if difference > BEYOND * error else NEITHER


def _speed(scale: Scale, results: Results) -> Table:
    """How many times the time of alpha-NCE a step of CD takes, from the quickest CD to the
    slowest.
    """
    rows = []
    for words in scale.timed_words:
        row = [f"{words:,}"]
        for corpus in fig1.DATA.values():
            of_cd, of_noise = (
                _times(scale, corpus, learner, words, results) for learner in ("cd", "alpha-nce")
            )
            row.append(
                f"{min(of_cd) / max(of_noise):.1f} to {max(of_cd) / min(of_noise):.0f}"
                if of_cd and of_noise
                else NONE
            )
        rows.append(row)
    return Table(
        "Speed: the time of CD over that of alpha-NCE; the paper has 10 to 500",
        ["words", *fig1.DATA],
        rows,
    )


def _times(scale: Scale, corpus: Corpus, learner: str, words: int, results: Results) -> list[float]:
    """Milliseconds of the lines of a learner, as far as they were taken."""
    lines = [one for one in fig1.series_of_the_paper(scale) if one.learner == learner]
    found = (milliseconds(results, fig1.line(scale, corpus, one)[words]) for one in lines)
    return [time for time in found if time is not None]


EXPERIMENT = Experiment("claims", "The paper's claims, one by one", cells, report)
