"""The defaults on corpora of many sizes and shapes, beside LSA and words.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.sizes [--only NAME ...] [--quick]
    [--seeds 1] [--jobs 2]
        [--newswire FOLDER] [--counts FOLDER] [--count-only] [--keep FILE] [--record] [--page]

`--newswire` names a folder with Reuters-21578 as JSON (see `size_corpora.newswire`). `--record`
keeps the figures as JSON under benchmarks/results, `--page` puts the table into docs/sizes.md.
`--counts` keeps counts in a folder, so that a machine without the texts can measure: `--count-only`
fills it. `--keep` writes every row to a file when it is done; a later run with that file measures
the others only.

Nothing of the estimator is set but the number of units where a row is about it. LSA is tried with
128 dimensions and with as many as there are units, below the number of documents; each of its
figures is that of the better one. Accuracy is that of a linear probe, P@10 the share of the ten
nearest training documents with the question's label, MAP the mean average precision over all
training documents. Questions are test documents, 1,500 at most. Seconds are processor time of
training, on one thread.
"""

from __future__ import annotations

import argparse
import io
import logging
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import linear, machine, size_table
from benchmarks.document_vectors import Encode, lsa, own_vectors, tf_idf
from benchmarks.kept import Kept
from benchmarks.nearest import retrieved
from benchmarks.records import FOLDER
from benchmarks.size_rows import Row, quick, rows
from undertow.estimators import ReplicatedSoftmax
from undertow.files.atomic import write_file
from undertow.paper import files
from undertow.paper.corpora import Counted

USUAL_LSA = 128  # dimensions
FOLDS = 7  # the parts of the labelled documents by which the probe's regularisation is chosen:
FEW = 2000  # all of them up to so many documents, one beyond
PAGE = Path(__file__).parents[1] / "docs" / "sizes.md"


@dataclass(frozen=True)
class Order:
    """A row with a seed."""

    row: Row
    seed: int
    counts: Path | None = None  # where counts are kept


def measure(order: Order) -> dict[str, Any]:
    """The figures of one row with one seed."""
    row, seed = order.row, order.seed
    corpus = counted(row, order.counts)
    with _complaints() as complaints:
        began = time.process_time()
        model = ReplicatedSoftmax(row.units, random_state=seed, n_jobs=1).fit(corpus.learn)
        seconds = time.process_time() - began
        ours = _judged(lambda counts: own_vectors(model, counts), corpus)
    return {
        "documents": corpus.learn.shape[0],
        "labelled": len(corpus.train_labels),
        "questions": len(corpus.test_labels),
        "labels": len(np.unique(corpus.train_labels)),
        "words": corpus.learn.shape[1],
        "tokens": float(corpus.learn.sum() / corpus.learn.shape[0]),
        "units": row.units,
        "epochs": model.n_iter_,
        "dead_units": model.history_[-1].dead_units,
        "warnings": complaints,
        "undertow": ours | {"seconds": seconds},
        "LSA": _best_lsa(corpus, row.units, seed),
        "words themselves": _judged(tf_idf(corpus.learn), corpus),
    }


def counted(row: Row, folder: Path | None) -> Counted:
    """Counts of a row: those in the folder, where it has them; or counted now, and kept there."""
    file = (
        None
        if folder is None
        else folder / f"{files.digest(asdict(replace(row, name='', units=0, folder='')))}.npz"
    )
    if file is not None and file.exists():
        with np.load(file, allow_pickle=False) as arrays:
            return Counted.from_arrays(arrays)
    from benchmarks import (
        size_corpora,
    )  # here: a machine that has the counts needs nothing that reads texts

    found = size_corpora.counted(row)
    if file is not None:
        content = io.BytesIO()
        # its flags have names of their own
        np.savez(content, **found.arrays())  # type: ignore[arg-type]
        write_file(file, content.getvalue())
    return found


def _best_lsa(corpus: Counted, units: int, seed: int) -> dict[str, float]:
    """LSA with its usual number of dimensions and with as many as there are units: the better one,
    figure by figure.
    """
    found = []
    for dimensions in sorted({min(USUAL_LSA, units), units}):
        began = time.process_time()
        encode = lsa(corpus.learn, dimensions, seed)
        seconds = time.process_time() - began
        found.append(_judged(encode, corpus) | {"seconds": seconds})
    return {figure: max(one[figure] for one in found) for figure in found[0]}


def _judged(encode: Encode, corpus: Counted) -> dict[str, float]:
    """Accuracy, P@10 and MAP; the same for all systems."""
    known, asked = encode(corpus.train), encode(corpus.test)
    scale = linear.Scale.of(encode(corpus.learn))
    folds = linear.stratified(corpus.train_labels, FOLDS)
    if len(corpus.train_labels) > FEW:
        folds = folds[:1]
    train, labels = scale(known), corpus.train_labels
    regularisation = linear.chosen(train, labels, folds)
    reached = linear.accuracy(train, labels, scale(asked), corpus.test_labels, regularisation)
    found = retrieved(asked, corpus.test_labels, known, labels)
    return {"accuracy": reached, "regularisation": regularisation, **found}


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """Warnings and what the log says that is as serious, while this lasts; the list is full
    afterwards.
    """
    found: list[str] = []

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(record.getMessage())

    handler, logger = Heard(logging.WARNING), logging.getLogger("undertow")
    logger.addHandler(handler)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield found
    finally:
        logger.removeHandler(handler)
        found += [f"{one.category.__name__}: {one.message}" for one in caught]


def measured(
    chosen: Sequence[Row],
    seeds: int,
    jobs: int,
    counts: Path | None = None,
    keep: Path | None = None,
) -> dict[str, Any]:
    """The figures of every row, in the order of the rows, and where they come from; a line on
    standard error for each that is done.
    """
    orders = [Order(row, seed, counts) for row in chosen for seed in range(seeds)]
    orders.sort(key=lambda order: -order.row.cost)
    found: dict[str, list[Any]] = {row.name: [] for row in chosen}
    began, kept = time.perf_counter(), Kept(keep)
    for number, (order, result) in enumerate(kept.work(measure, orders, jobs, _name), start=1):
        found[order.row.name].append(result)
        shown = str(result) if isinstance(result, Exception) else size_table.in_short(result)
        took = time.perf_counter() - began
        print(
            f"{took:6.0f} s  {number}/{len(orders)}  {order.row.name}: {shown}",
            file=sys.stderr,
            flush=True,
        )
    means = {name: _mean(results) for name, results in found.items()}
    return {"rows": means, "computed_on": kept.machines([_name(order) for order in orders])}


def _name(order: Order) -> str:
    return f"{order.row.name}, seed {order.seed}"


def _mean(results: Sequence[dict[str, Any] | Exception]) -> dict[str, Any]:
    """Means over the seeds; what failed with one of them has failed."""
    for result in results:
        if isinstance(result, Exception):
            return {"failed": str(result)}
    runs: list[Mapping[str, Any]] = [
        result for result in results if not isinstance(result, Exception)
    ]
    return {name: _mean_of([run[name] for run in runs]) for name in runs[0]}


def _mean_of(values: Sequence[Any]) -> Any:
    if isinstance(values[0], dict):
        return {name: _mean_of([value[name] for value in values]) for name in values[0]}
    if isinstance(values[0], list):
        return sorted({one for value in values for one in value})
    return values[0] if all(value == values[0] for value in values) else float(np.mean(values))


def chosen_rows(only: Iterable[str] | None, quickly: bool, news: str) -> list[Row]:
    """The rows that are asked for; an unknown name is an error that lists those there are."""
    there = rows(news)
    wanted = set(only or ())
    unknown = sorted(wanted - {row.name for row in there})
    if unknown:
        names = ", ".join(repr(row.name) for row in there)
        raise SystemExit(f"--only must name rows ({names}), got {unknown[0]!r}")
    return [
        row for row in there if (not wanted or row.name in wanted) and (not quickly or quick(row))
    ]


def main() -> None:
    """Prints the table; keeps it where asked to."""
    parser = argparse.ArgumentParser(description="The defaults on corpora of many sizes and shapes")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="rows by name, such as 'posts 1,000'"
    )
    parser.add_argument("--quick", action="store_true", help="rows of few documents only")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes, of one thread each")
    parser.add_argument("--newswire", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--counts", type=Path, metavar="FOLDER", help="where counts are kept, or come from"
    )
    parser.add_argument(
        "--count-only", action="store_true", help="fill the folder of --counts, and do nothing else"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="where rows are kept as they are done"
    )
    parser.add_argument(
        "--record", action="store_true", help="keep the figures under benchmarks/results"
    )
    parser.add_argument("--page", action="store_true", help="put the table into docs/sizes.md")
    options = parser.parse_args()
    chosen = chosen_rows(options.only, options.quick, str(options.newswire or ""))
    if options.count_only:
        for row in chosen:
            counted(row, options.counts)
        return
    found = {
        "machine": machine.describe(),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "seeds": options.seeds,
        "all_rows": not (options.only or options.quick),
        **measured(chosen, options.seeds, options.jobs, options.counts, options.keep),
    }
    print(size_table.section(found))
    if options.record:
        files.write_json(FOLDER / f"{found['machine']['date']}-sizes.json", found)
    if options.page:
        size_table.put(found, PAGE)


if __name__ == "__main__":
    main()
