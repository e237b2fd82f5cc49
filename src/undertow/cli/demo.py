"""`undertow demo`: topics, searches and a comparison with LSA on the documentation of Python's own libraries."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from undertow.cli import common

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console
    from scipy import sparse

    from undertow.datasets import Document
    from undertow.estimators import ReplicatedSoftmax

SEARCHES = ("fast fourier transform", "parse command line arguments", "sparse matrix factorization")
TOPICS_SHOWN, FOUND_SHOWN, QUERIES = 10, 5, 2000


@dataclass(frozen=True)
class _Corpus:
    """The demo's documents as counts."""

    documents: list[Document]
    vectorizer: Any
    counts: sparse.csr_array
    labels: NDArray[np.str_]


def demo(
    topics: Annotated[int, typer.Option(min=1, help="Number of topics.")] = 128,
    seed: common.Seed = 0,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Train on the documentation of Python's own libraries, then show topics, searches and a comparison with LSA.

    Nothing is downloaded: the corpus is read from the sources of the running Python and of undertow's dependencies.

    Examples:

        undertow demo

        undertow demo --topics 64 --seed 1
    """
    from rich.console import Console

    from undertow.estimators import ReplicatedSoftmax

    silent = quiet or json
    console = Console(quiet=silent)
    corpus = _read(console)
    model = ReplicatedSoftmax(topics, random_state=seed, verbose=0 if silent else 1)
    model.fit(corpus.counts)
    seconds = sum(record.seconds for record in model.history_)
    console.print(f"Trained {topics} topics in {seconds:.1f} s ({model.n_iter_} epochs).\n")
    facts = {
        "documents": len(corpus.documents),
        "seconds": seconds,
        "topics": _show_topics(model, corpus, console),
        "searches": _show_searches(model, corpus, console),
        "comparison": _show_comparison(model, corpus, seed, console),
    }
    if json:
        common.print_json(facts)
    console.print(
        "\nNext, with texts of your own: [bold]undertow fit CORPUS --out model[/bold], then "
        "[bold]undertow topics model[/bold]; or the Python lines in README.md."
    )


def _read(console: Console) -> _Corpus:
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer

    from undertow.counts import checked_counts
    from undertow.datasets import load_python_docs

    with console.status("reading the documentation of installed libraries"):
        documents = load_python_docs()
        vectorizer = CountVectorizer(stop_words="english", min_df=3, max_df=0.3, token_pattern=r"[^\W\d_]{2,}")
        counts = checked_counts(vectorizer.fit_transform(document.text for document in documents))
    labels = np.array([document.label for document in documents])
    words, packages = counts.shape[1], len(set(labels))
    console.print(f"{len(documents):,} functions and classes of {packages} packages, {words:,} words.")
    return _Corpus(documents, vectorizer, counts, labels)


def _show_topics(model: ReplicatedSoftmax, corpus: _Corpus, console: Console) -> dict[int, list[str]]:
    from rich.table import Table

    words = corpus.vectorizer.get_feature_names_out()
    table = Table(title="The clearest topics")
    table.add_column("topic", justify="right")
    table.add_column("on in", justify="right")
    table.add_column("words that switch it on")
    shown = sorted(model.topics(n_words=8, words=words), key=lambda topic: -_clarity(topic))[:TOPICS_SHOWN]
    for topic in shown:
        table.add_row(str(topic.id), f"{topic.activity:.0%}", ", ".join(weight.word for weight in topic.up))
    console.print(table)
    return {topic.id: [weight.word for weight in topic.up] for topic in shown}


def _clarity(topic: Any) -> float:
    """How strongly the words shown push their unit, on average."""
    return float(sum(weight.weight for weight in topic.up) / max(len(topic.up), 1))


def _show_searches(model: ReplicatedSoftmax, corpus: _Corpus, console: Console) -> dict[str, list[str]]:
    import numpy as np

    answers = {}
    vectors = _unit_rows(model.encode(corpus.counts, kind="strength"))
    for query in SEARCHES:
        began = time.perf_counter()
        asked = _unit_rows(model.encode(corpus.vectorizer.transform([query]), kind="strength"))
        closest = np.argsort(-(vectors @ asked[0]))[:FOUND_SHOWN]
        took = 1e3 * (time.perf_counter() - began)
        console.print(f"\n[bold]{query}[/bold]  ({took:.0f} ms)")
        answers[query] = [corpus.documents[found].id for found in closest]
        for name in answers[query]:
            console.print(f"  {name}", highlight=False)
    return answers


def _show_comparison(
    model: ReplicatedSoftmax, corpus: _Corpus, seed: int, console: Console
) -> dict[str, dict[str, float]]:
    """The same documents through LSA: split-half retrieval, and retrieval of documents of the same package."""
    from rich.table import Table
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.pipeline import make_pipeline

    from undertow.tasks import split_half_score

    counts = corpus.counts
    # Sublinear term frequencies, since both its figures are better with them than without.
    lsa = make_pipeline(TfidfTransformer(sublinear_tf=True), TruncatedSVD(model.n_components, random_state=seed))
    with console.status("comparing with LSA"):
        encoders = {"undertow": model.transform, "LSA (scikit-learn)": lsa.fit(counts).transform}
        rows = {
            name: (split_half_score(encode, counts), _label_map(encode(counts), corpus))
            for name, encode in encoders.items()
        }
    table = Table(title=f"\n{model.n_components} numbers per document, judged by retrieval (higher is better)")
    table.add_column("model")
    table.add_column("split-half MRR", justify="right")
    table.add_column("MAP of packages", justify="right")
    for name, (mrr, precision) in rows.items():
        table.add_row(name, f"{mrr:.3f}", f"{precision:.3f}")
    console.print(table)
    return {name: {"split_half_mrr": mrr, "map": precision} for name, (mrr, precision) in rows.items()}


def _label_map(vectors: NDArray[Any], corpus: _Corpus) -> float:
    """Every sixth document or so asks; the others of its package are right."""
    import numpy as np

    from undertow.tasks import mean_average_precision

    asks = np.zeros(len(vectors), dtype=bool)
    asks[:: max(len(vectors) // QUERIES, 2)] = True
    return mean_average_precision(vectors[asks], corpus.labels[asks], vectors[~asks], corpus.labels[~asks])


def _unit_rows(vectors: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[Any] = vectors / np.maximum(lengths, 1e-12)
    return unit
