"""`undertow demo`: topics, searches, a comparison and a report, on the documentation of Python's
own libraries.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from undertow.cli import _tables, common
from undertow.cli._shown import new_console

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
    from rich.console import Console
    from scipy import sparse

    from undertow.datasets import DocumentedObject
    from undertow.estimators import TopicModel

PLACE = Path("undertow-demo") / "report.html"
SEARCHES = ("fast fourier transform", "parse command line arguments", "sparse matrix factorization")
WORDS_SHOWN, FOUND_SHOWN, QUERIES = 6, 5, 600


@dataclass(frozen=True)
class _Corpus:
    """The demo's documents, and their counts."""

    documents: list[DocumentedObject]
    counts: sparse.csr_array
    labels: NDArray[np.str_]


def demo(
    n_components: Annotated[
        int,
        typer.Option(min=1, help="Hidden units, the numbers in a document's vector."),
    ] = 128,
    out: Annotated[
        Path | None,
        typer.Option(help=f"Where the report goes; {PLACE} unless given. It is replaced."),
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.")] = False,
    seed: common.Seed = 0,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Train on the documentation of Python's own libraries, then show its topics, searches and a
    comparison with LSA.

    Nothing is downloaded: the corpus is read from the sources of the running Python and of
    undertow's dependencies. At the end stands a report, one HTML file, where the extra is
    installed: pip install 'undertow\\[explorer]'.

    Examples:

        undertow demo

        undertow demo --n-components 64 --seed 1 --out demo.html
    """

    if out is not None:
        _tables.check_ending(out, _tables.PAGES)
    silent = quiet or json
    console = new_console(quiet=silent)
    place = None if no_report else _place(out, console)
    model = _untrained(n_components, seed, verbose=0 if silent else 1)
    corpus = _read(model, console)
    seconds = sum(record.seconds for record in model.softmax_.history_)
    console.print(
        f"Trained {n_components} hidden units in {seconds:.1f} s "
        f"({model.softmax_.n_iter_} epochs).\n"
    )
    facts = {
        "documents": len(corpus.documents),
        "seconds": seconds,
        "topics": _show_topics(model, console),
        "searches": _show_searches(model, corpus, console),
        "comparison": _show_comparison(model, corpus, seed, console),
        "report": None
        if place is None
        else str(_write_report(model, corpus, place, console, silent=silent)),
    }
    if json:
        common.print_json(facts)
    console.print(
        "\nNext, with texts of your own: [bold]undertow fit CORPUS --out model[/bold], then "
        "[bold]undertow topics model[/bold]; or the Python lines in README.md."
    )


def _place(out: Path | None, console: Console) -> Path | None:
    """Where the report will be, said first of all; None where what it needs is not installed."""
    from rich.markup import escape

    from undertow._errors import InvalidInput
    from undertow.report import check_extra

    try:
        check_extra()
    except InvalidInput as error:
        console.print(
            f"No report at the end: {escape(str(error))}", highlight=False, soft_wrap=True
        )
        return None
    place = out or (PLACE if os.access(".", os.W_OK) else Path(tempfile.gettempdir()) / PLACE)
    console.print(
        f"A report of what follows will be in {escape(str(place))}", highlight=False, soft_wrap=True
    )
    return place


def _write_report(
    model: TopicModel, corpus: _Corpus, place: Path, console: Console, *, silent: bool
) -> Path:
    from rich.markup import escape

    from undertow.cli.report import bar
    from undertow.report import write_report

    table, title = _table(corpus.documents), "The documentation of Python's libraries"
    with bar(silent=silent) as progress:
        write_report(
            model,
            place,
            table,
            title=title,
            corpus_name="python-docs",
            overwrite=True,
            progress=progress,
        )
    console.print(
        f"\nThe report, to open in a browser: {escape(place.resolve().as_uri())}", soft_wrap=True
    )
    return place


def _table(documents: list[DocumentedObject]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame([vars(document) for document in documents])


def _untrained(n_components: int, seed: int, *, verbose: int) -> TopicModel:
    from undertow.estimators import TopicModel

    return TopicModel(
        n_components,
        stop_words="english",
        min_df=3,
        max_df=0.3,
        token_pattern=r"[^\W\d_]{2,}",
        random_state=seed,
        verbose=verbose,
    )


def _read(model: TopicModel, console: Console) -> _Corpus:
    """Reads the documents and trains the model on them."""
    import numpy as np

    from undertow.datasets import load_python_docs

    with console.status("reading the documentation of installed libraries"):
        documents = load_python_docs()
    texts = [document.text for document in documents]
    labels = np.array([document.label for document in documents])
    console.print(f"{len(documents):,} functions and classes of {len(set(labels))} packages.")
    model.fit(_table(documents))
    console.print(f"{len(model.words()):,} words are in three of them at least.")
    return _Corpus(documents, model.counts(texts), labels)


def _show_topics(model: TopicModel, console: Console) -> list[dict[str, Any]]:
    """The tree of the model's own cut, with a sentence of a document for each topic."""
    from undertow.cli import _listed

    shown = model.topics(n_words=WORDS_SHOWN)
    title = (
        f"{len(shown)} topics, the widest first: name, share of documents, id, more words, a "
        f"sentence"
    )
    branches = model.topic_tree(n_words=WORDS_SHOWN + _listed.IN_NAMES)
    console.print(_listed.tree(branches, WORDS_SHOWN, title, quotations=True))
    console.print(f"[dim]{_listed.why(model)}[/dim]", highlight=False)
    return [
        {
            "id": topic.id,
            "name": topic.name,
            "share": topic.share,
            "words": [word.word for word in topic.words],
        }
        for topic in shown
    ]


def _show_searches(model: TopicModel, corpus: _Corpus, console: Console) -> dict[str, list[str]]:
    import numpy as np

    from undertow.vectors.joining import unit

    answers = {}
    vectors = unit(model.softmax_.encode(corpus.counts, kind="strength"))
    for query in SEARCHES:
        began = time.perf_counter()
        asked = unit(model.encode([query], kind="strength"))
        closest = np.argsort(-(vectors @ asked[0]))[:FOUND_SHOWN]
        took = 1e3 * (time.perf_counter() - began)
        console.print(f"\n[bold]{query}[/bold]  ({took:.0f} ms)")
        answers[query] = [corpus.documents[found].id for found in closest]
        for name in answers[query]:
            console.print(f"  {name}", highlight=False)
    return answers


def _show_comparison(
    model: TopicModel, corpus: _Corpus, seed: int, console: Console
) -> dict[str, dict[str, float]]:
    """The same documents through LSA: split-half retrieval, and retrieval of documents of the same
    package.
    """
    from rich.table import Table
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.pipeline import make_pipeline

    from undertow.tasks import split_half_score

    counts = corpus.counts
    # Sublinear term frequencies, since both its figures are better with them than without.
    lsa = make_pipeline(
        TfidfTransformer(sublinear_tf=True), TruncatedSVD(model.n_components, random_state=seed)
    )
    with console.status("comparing with LSA"):
        encoders = {
            "undertow": model.softmax_.transform,
            "LSA (scikit-learn)": lsa.fit(counts).transform,
        }
        rows = {
            name: (split_half_score(encode, counts), _label_map(encode(counts), corpus))
            for name, encode in encoders.items()
        }
    table = Table(
        title=f"\n{model.n_components} numbers per document, judged by retrieval (higher is better)"
    )
    table.add_column("model")
    table.add_column("split-half MRR", justify="right")
    table.add_column("MAP of packages", justify="right")
    for name, (mrr, precision) in rows.items():
        table.add_row(name, f"{mrr:.3f}", f"{precision:.3f}")
    console.print(table)
    return {
        name: {"split_half_mrr": mrr, "map": precision} for name, (mrr, precision) in rows.items()
    }


def _label_map(vectors: NDArray[Any], corpus: _Corpus) -> float:
    """Some 600 documents ask; the others of their package are right."""
    import numpy as np

    from undertow.tasks import mean_average_precision

    asks = np.zeros(len(vectors), dtype=bool)
    asks[:: max(len(vectors) // QUERIES, 2)] = True
    return mean_average_precision(
        vectors[asks], corpus.labels[asks], vectors[~asks], corpus.labels[~asks]
    )
