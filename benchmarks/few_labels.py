"""How well labels are told from a few labelled documents, where many unlabelled ones were learned
from.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.few_labels [--quick] [--jobs 2]
    [--counts FOLDER]
        [--count-only] [--keep FILE] [--record] [--page]

Vectors: ours with the defaults, the same of a model learned by CD with its defaults, LSA of 128
dimensions, and tf-idf words. All models learn from the whole training part, without labels (of IMDB
with the unlabelled reviews). The classifier and its grid (`benchmarks.linear`) are the same for
all, and so are the labelled documents: so many of each label, drawn from the training part. Judged
is the test part. `--record` keeps the figures as JSON under benchmarks/results, `--page` puts table
and curve into docs/few_labels.md. `--counts`, `--count-only` and `--keep` are those of
`benchmarks.sizes`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks import linear, machine, plots
from benchmarks.document_vectors import Encode, lsa, own_vectors, tf_idf
from benchmarks.kept import Kept
from benchmarks.records import FOLDER
from undertow.estimators import ReplicatedSoftmax
from undertow.files.atomic import write_file
from undertow.paper import files
from undertow.paper.corpora import Corpora, Corpus
from undertow.paper.page import markdown_table, replaced
from undertow.paper.plots import rendered
from undertow.paper.report import Summary, Table

DRAWS = {1: 10, 5: 10, 20: 5, 100: 5}  # labels a class: how often they are drawn
QUICK_DRAWS = {1: 5, 5: 5, 20: 3}
QUICK_DOCUMENTS = 2000
WORDS, DIMENSIONS, SEED = 10_000, 128, 0
FOLDS = 5  # from so many labels a class on they choose the regularisation
DOCS = Path(__file__).parents[1] / "docs"
NAMES = {"20newsgroups": "20 Newsgroups", "imdb": "IMDB"}


def _ours(counts: sparse.csr_array, learner: str) -> Encode:
    model = ReplicatedSoftmax(learner=learner, random_state=SEED, n_jobs=1).fit(counts)
    return lambda asked: own_vectors(model, asked)


SYSTEMS: dict[str, Callable[[sparse.csr_array], Encode]] = {
    "undertow": partial(_ours, learner="alpha-nce"),
    "CD": partial(_ours, learner="cd"),
    "LSA": lambda counts: lsa(counts, DIMENSIONS, SEED),
    "tf-idf words": tf_idf,
}
COSTS = ("CD", "undertow", "tf-idf words", "LSA")  # the slowest first


@dataclass(frozen=True)
class Order:
    """A system on a corpus, whose counts are kept in a folder."""

    system: str
    corpus: Corpus
    folder: Path
    draws: tuple[tuple[int, int], ...]  # labels a class, how often they are drawn


def measure(order: Order) -> dict[str, list[float]]:
    """The accuracy of every draw, by labels a class."""
    counted = Corpora(order.folder).counted(order.corpus)
    encode = SYSTEMS[order.system](counted.learn)
    scale = linear.Scale.of(encode(counted.learn))
    known, asked = scale(encode(counted.train)), scale(encode(counted.test))
    found: dict[str, list[float]] = {}
    for labels, times in order.draws:
        found[str(labels)] = [
            _accuracy(
                known,
                counted.train_labels,
                drawn(counted.train_labels, labels, draw),
                asked,
                counted.test_labels,
            )
            for draw in range(times)
        ]
    return found


def _accuracy(
    known: Any, labels: NDArray[Any], rows: NDArray[np.intp], asked: Any, wanted: NDArray[Any]
) -> float:
    """Of a classifier that sees the labels of these rows only."""
    vectors, told = known[rows], labels[rows]
    fewest = int(np.unique(told, return_counts=True)[1].min())
    regularisation = linear.USUAL
    if fewest >= FOLDS:
        regularisation = linear.chosen(vectors, told, linear.stratified(told, FOLDS))
    return linear.accuracy(vectors, told, asked, wanted, regularisation)


def drawn(labels: NDArray[Any], number: int, draw: int) -> NDArray[np.intp]:
    """Rows of so many documents of each label; the same for every system."""
    generator = np.random.default_rng([number, draw])
    rows = [
        generator.choice(np.flatnonzero(labels == one), number, replace=False)
        for one in np.unique(labels)
    ]
    return np.concatenate(rows)


def measured(
    corpora: Sequence[Corpus],
    draws: Mapping[int, int],
    jobs: int,
    counts: Path | None = None,
    keep: Path | None = None,
) -> dict[str, Any]:
    """Accuracies by corpus, system and labels a class, and where they come from; a line on standard
    error for each system that is done.
    """
    found: dict[str, Any] = {corpus.data: {} for corpus in corpora}
    began, kept = time.perf_counter(), Kept(keep)
    with tempfile.TemporaryDirectory() as temporary:
        name = counts or temporary
        for corpus in corpora:
            Corpora(Path(name)).prepare(corpus)
        orders = [
            Order(system, corpus, Path(name), tuple(draws.items()))
            for system in COSTS
            for corpus in sorted(corpora, key=lambda corpus: not corpus.reviews)
        ]
        for number, (order, result) in enumerate(kept.work(measure, orders, jobs, _name), start=1):
            if isinstance(result, Exception):
                raise result
            found[order.corpus.data][order.system] = result
            means = ", ".join(
                f"{labels}: {np.mean(reached):.3f}" for labels, reached in result.items()
            )
            place = (
                f"{time.perf_counter() - began:6.0f} s  {number}/{len(orders)}  "
                f"{order.corpus.data}, {order.system}"
            )
            print(f"{place}: {means}", file=sys.stderr, flush=True)
    accuracies = {
        data: {system: reached[system] for system in SYSTEMS} for data, reached in found.items()
    }
    return {
        "accuracies": accuracies,
        "computed_on": kept.machines([_name(order) for order in orders]),
    }


def _name(order: Order) -> str:
    return f"{order.corpus.data}, {order.corpus.documents or 'all'} documents, {order.system}"


def section(found: Mapping[str, Any]) -> str:
    """What stands between the markers of the page."""
    parts = (
        ["*A quick run on slices of the data: it shows that everything works.*"]
        if found["quick"]
        else []
    )
    parts.append("![Accuracy over labels a class](images/few_labels.svg)")
    parts += [
        markdown_table(_table(NAMES.get(data, data), reached))
        for data, reached in found["accuracies"].items()
    ]
    parts.append("\n".join(f"- {how}." for how in found["corpora"]))
    parts.append(f"Computed {found['time'][:10]} on {found['computed_on']}.")
    return "\n\n".join(parts)


def _table(name: str, reached: Mapping[str, Mapping[str, Sequence[float]]]) -> Table:
    sizes = list(next(iter(reached.values())))
    columns = [
        "vectors",
        *("1 label a class" if size == "1" else f"{size} labels a class" for size in sizes),
    ]
    rows = [
        [system, *(Summary(tuple(by[size])).text() for size in sizes)]
        for system, by in reached.items()
    ]
    return Table(
        f"{name}: accuracy, mean and standard deviation over draws of labelled documents",
        columns,
        rows,
    )


def curve(found: Mapping[str, Any]) -> bytes:
    """The picture, as SVG."""
    panels = {
        NAMES.get(data, data): {
            system: [
                (
                    int(size),
                    Summary(tuple(values)).mean or 0.0,
                    Summary(tuple(values)).spread or 0.0,
                )
                for size, values in by.items()
            ]
            for system, by in reached.items()
        }
        for data, reached in found["accuracies"].items()
    }
    return rendered(lambda: plots.label_curves(panels), "svg")


def put(found: Mapping[str, Any], docs: Path) -> None:
    """Exchanges table and curve of the page; what stands outside its markers stays."""
    page = docs / "few_labels.md"
    text = page.read_text(encoding="utf-8")
    write_file(docs / "images" / "few_labels.svg", curve(found))
    files.write_text(page, replaced(text, "few labels", section(found), "Figures"))


def main() -> None:
    """Prints the tables; keeps them where asked to."""
    parser = argparse.ArgumentParser(description="Accuracy with a few labels a class")
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"{QUICK_DOCUMENTS:,} documents of each corpus, few draws",
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes, of one thread each")
    parser.add_argument(
        "--counts", type=Path, metavar="FOLDER", help="where counts are kept, or come from"
    )
    parser.add_argument(
        "--count-only", action="store_true", help="fill the folder of --counts, and do nothing else"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="where results are kept as they are done"
    )
    parser.add_argument(
        "--record", action="store_true", help="keep the figures under benchmarks/results"
    )
    parser.add_argument(
        "--page", action="store_true", help="put table and curve into docs/few_labels.md"
    )
    options = parser.parse_args()
    corpora = [
        Corpus(data, WORDS, documents=QUICK_DOCUMENTS if options.quick else None) for data in NAMES
    ]
    if options.count_only:
        for corpus in corpora:
            Corpora(options.counts).prepare(corpus)
        return
    found = {
        "machine": machine.describe(),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": options.quick,
        "corpora": [corpus.in_words() for corpus in corpora],
        **measured(
            corpora,
            QUICK_DRAWS if options.quick else DRAWS,
            options.jobs,
            options.counts,
            options.keep,
        ),
    }
    print(section(found))
    if options.record:
        files.write_json(FOLDER / f"{found['machine']['date']}-few-labels.json", found)
    if options.page:
        put(found, DOCS)


if __name__ == "__main__":
    main()
