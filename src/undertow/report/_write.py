"""`write_report`: from a model, and a corpus where there is one, to one file."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from undertow._errors import InvalidInput
from undertow.estimators import evaluation
from undertow.estimators.topic_parts import atlas_of
from undertow.files.atomic import write_file
from undertow.kernels.randomness import permutation
from undertow.report import _beginnings, _charts, _facts, _map, _page, _topics

if TYPE_CHECKING:
    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel
    from undertow.insight import Overview

MOST_JUDGED = 50_000  # documents; classification and retrieval take time with the square of it

Progress = Callable[[str, int, int], None]  # told what is done, how much of it, and of how much


def write_report(
    model: TopicModel | str | os.PathLike[str],
    path: str | os.PathLike[str],
    corpus: Any = None,
    *,
    n: int | None = None,
    title: str | None = None,
    corpus_name: str | None = None,
    evaluate: bool = True,
    overwrite: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> Path:
    """Writes one HTML file about a model: its topics and their tree, training and settings. With a
    corpus also a map of its documents, typical ones, topics over time where there are times, and an
    evaluation.

    The file holds all it needs, beginnings of documents included, and asks no network for anything.
    It needs the extra: pip install 'undertow[explorer]'.

    Parameters
    ----------
    model : TopicModel or path
        A fitted one, or its folder.
    path : path
        The file to write.
    corpus : texts, table, Corpus or None
        Anything that `TopicModel.fit` takes.
    n : int or None
        How many topics; None for the model's own number.
    title : str or None
        What the page calls itself; None for the name of the model's folder.
    corpus_name : str or None
        What the page calls the corpus.
    evaluate : bool
        Whether the model is judged on the corpus, which takes longest.
    overwrite : bool
        Whether a file that is there may be replaced.
    seed : int
        For samples, and for the halves of the evaluation.
    progress : callable or None
        Told what is done (a word), how much of it, of how much.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInput
        Where the file is there already, or the extra is not installed.

    Examples
    --------
    >>> undertow.write_report(model, "report.html", n=4, title="Moon and cakes")
    PosixPath('report.html')
    >>> undertow.write_report(model, "map.html", texts, evaluate=False).name
    'map.html'
    """
    _page.check_extra()
    target = _free(path, overwrite)
    show: Progress = progress or (lambda work, done, total: None)
    names = {"title": title, "corpus": corpus_name}
    content = made_page(model, corpus, n=n, names=names, evaluate=evaluate, seed=seed, show=show)
    write_file(target, content.encode())
    show("writing", 1, 1)
    return target


def made_page(
    model: Any,
    corpus: Any,
    *,
    n: int | None,
    names: dict[str, str | None],
    evaluate: bool,
    seed: int,
    show: Progress,
) -> str:
    """The text of a report; `names` are those that the page is given, or None."""
    trained, name = _topic_model(model)
    atlas_of(trained).count(n)  # said before any work is done, if there is no such cut
    documents, overview = None, None
    judged: dict[str, Any] = {}
    if corpus is not None:
        from undertow.corpus import as_corpus
        from undertow.insight import overview_of_texts

        documents = as_corpus(corpus, trained.columns_)
        overview = overview_of_texts(
            trained, documents, progress=lambda done, total: show("map", done, total)
        )
        judged = (
            judgement(trained, documents, overview.sampled_from, seed, show, n) if evaluate else {}
        )
    show("writing", 0, 1)
    given = {**names, "title": names["title"] or name}
    return report_page(trained, n, documents, overview, judged, given)


def judgement(
    model: TopicModel, corpus: Corpus, total: int, seed: int, show: Progress, n: int | None = None
) -> dict[str, Any]:
    """The figures of `undertow evaluate`, of a sample where documents are many; what cannot be
    measured is left out.
    """
    rows = (
        None
        if total <= MOST_JUDGED
        else np.sort(permutation(seed, 0, np.arange(total))[:MOST_JUDGED])
    )
    read = evaluation.read_corpus(
        model, corpus, rows=rows, show=lambda done: show("counting", done, total)
    )
    figures: dict[str, Any] = {"documents": read.counts.shape[0]}
    steps: dict[str, Callable[[], dict[str, Any]]] = {
        "classifying and retrieving": lambda: evaluation.label_figures(model.softmax_, read, seed),
        "judging topics": lambda: evaluation.label_free_figures(model, read, n),
    }
    for number, (work, measure) in enumerate(steps.items()):
        show(work, number, len(steps))
        try:
            figures |= measure()
        except InvalidInput:  # too few documents, words or labels in common
            continue
    return figures


def report_page(
    model: TopicModel,
    n: int | None,
    corpus: Corpus | None,
    overview: Overview | None,
    judged: dict[str, Any],
    names: dict[str, str | None],
) -> str:
    """The text of the file; `names` are those of the page ("title") and of the documents
    ("corpus").
    """
    from undertow.plot.colour_groups import shown_rows

    texts: dict[int, str] = {}
    drawn: dict[str, Any] | None = None
    if corpus is not None and overview is not None:
        rows, atlas = shown_rows(overview, _map.MOST), atlas_of(model)
        typical = {
            row
            for node in atlas.cut(n)
            for row in overview.typical_of(atlas, node, _topics.TYPICAL)
        }
        texts = _beginnings.beginnings(
            corpus, overview, {*rows.tolist(), *typical}, 4 * _topics.SHOWN
        )
        drawn = _map.map_of(overview, model, n, rows, texts) if len(rows) else None
    topics = _topics.topics(model, n, overview, texts)
    charts = _charts.charts(model, judged)
    data: dict[str, Any] = {
        "topics": [
            {name: topic[name] for name in ("id", "name", "colour", "symbol")} for topic in topics
        ],
        "map": drawn,
        "streams": _charts.streams(model, n, overview),
        "charts": charts,
    }
    values = {
        **names,
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "documents": atlas_of(model).documents,
        "topics": topics,
        "branches": _topics.branches(model, n, topics),
        "model_figures": _facts.model_figures(model, judged),
        "units": _facts.units(model),
        "judgements": _facts.judgements(judged),
        "judged_documents": judged.get("documents", 0),
        "settings": _facts.settings(model),
        "overview": overview,
        "streams": data["streams"] is not None,
        "chart_titles": {name: chart["title"] for name, chart in charts.items()},
        **_map_values(drawn, overview),
    }
    return _page.page(values, data)


def _map_values(drawn: dict[str, Any] | None, overview: Overview | None) -> dict[str, Any]:
    """How many documents are on the map, and why not all."""
    points = drawn["points"] if drawn else 0
    missing = overview.sampled_from - points if overview else 0
    return {
        "map_points": points,
        "map_is_sample": overview is not None
        and (points == _map.MOST or len(overview) < overview.sampled_from),
        "without_words": "1 has" if missing == 1 else f"{missing:,} have",
        "colourings": list(drawn["colourings"]) if drawn else [],
    }


def _topic_model(model: Any) -> tuple[TopicModel, str]:
    """A model, or the one in a folder; and what the report calls it."""
    from undertow.estimators import TopicModel, load

    if isinstance(model, (str, os.PathLike)):
        loaded = load(model)
        name = Path(model).resolve().name
    else:
        loaded, name = model, "Topics"
    if not isinstance(loaded, TopicModel):
        raise InvalidInput(f"model must be a TopicModel or its folder, got {type(loaded).__name__}")
    return loaded, name


def _free(path: str | os.PathLike[str], overwrite: bool) -> Path:
    target = Path(path)
    if target.is_dir():
        raise InvalidInput(f"path must be the name of a file, got {target}, which is a folder")
    if os.path.lexists(target) and not overwrite:
        raise InvalidInput(
            f"path must not exist yet, got {target}, which does: overwrite=True replaces it"
        )
    return target
