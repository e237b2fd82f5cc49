"""Perplexity on 20 Newsgroups, beside the unigram and the published figures.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.perplexity --units 50

trains a Replicated Softmax for likelihood on the training part, less 1,000 documents that settings
were chosen by, and prints the perplexity of these, of 50, of 1,000 and of all test documents. The
tables stand in docs/likelihood.md. `--model FOLDER` keeps the model, or takes the one that is
there.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.perplexity --unigrams

trains nothing, and prints the perplexity of the unigram with other words taken out and other
counts: which of them are near the published 1335.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import undertow
from benchmarks import machine
from undertow import ReplicatedSoftmax
from undertow.corpus import Vectorizer
from undertow.counts import log_counts, word_distribution
from undertow.learn import Adam, ContrastiveDivergence
from undertow.paper import texts
from undertow.paper.texts import MADE_UP, NEWSGROUPS

HELD_OUT = 1000
BATCH = 128
SIZES = (50, 1000)  # of published samples of test documents
PUBLISHED = {50: 953 / 1335, 128: 965 / 1335}  # over the unigram's
# after the SMART system's, which was usual at the time; scikit-learn's has 318
LONG_LIST = Path(__file__).with_name("long_stop_words.txt")
# 10,000 updates, chosen on the held-out documents
LEARNER = ContrastiveDivergence(5, persistent=True)
RISING = ContrastiveDivergence((1, 5))
OPTIMIZER = Adam(learning_rate=0.002, annealing=2.0, hidden_bias_rate=1.0, l2=1e-3)


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--units", type=int, default=50)
    parser.add_argument("--updates", type=int, default=10_000)
    parser.add_argument("--learner", choices=("pcd", "rising"), default="pcd")
    parser.add_argument("--headers", choices=("removed", "kept"), default="removed")
    parser.add_argument("--counts", choices=("log", "plain"), default="log")
    parser.add_argument("--stop-words", choices=("usual", "long"), default="usual")
    parser.add_argument("--unigrams", action="store_true", help="of all ways to count, no model")
    parser.add_argument("--temperatures", type=int, default=1000)
    parser.add_argument("--chains", type=int, default=100)
    parser.add_argument("--documents", nargs="*", help="these rows of the table alone")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--made-up", action="store_true", help="on a tiny corpus, for tests")
    return parser.parse_args(arguments)


def parts(options: argparse.Namespace) -> dict[str, sparse.csr_array]:
    """Counts to train on, to choose by, and to test."""
    learn, test = counted(options)
    order = np.random.default_rng(0).permutation(learn.shape[0])
    held_out = min(HELD_OUT, len(order) // 10)
    test = test[np.asarray(test.sum(axis=1)).ravel() > 0]
    found = {"train": learn[np.sort(order[held_out:])]}
    found["validation"] = learn[np.sort(order[:held_out])]
    drawn = np.random.default_rng(0).permutation(test.shape[0])
    for size in SIZES:
        found[f"test, {size:,}"] = test[np.sort(drawn[:size])]
    return found | {"test, all": test}


def counted(options: argparse.Namespace) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Counts of the training and the test part, as those of `undertow paper`, but for stop words
    (`undertow.paper.corpora`).
    """
    data = MADE_UP[NEWSGROUPS] if options.made_up else NEWSGROUPS
    table = texts.documents(data, headers=options.headers, at_most=None)
    vectorizer = Vectorizer(
        vocabulary_size=2000,
        min_df=1,
        token_pattern=r"\p{L}{2,}",
        stop_words=LONG_LIST.read_text().split() if options.stop_words == "long" else "english",
        stemmer="english",
    )
    train, test = (table.filter(table["split"] == part)["text"] for part in ("train", "test"))
    return vectorizer.fit_transform(train), vectorizer.transform(test)


def trained(options: argparse.Namespace, counts: sparse.csr_array) -> ReplicatedSoftmax:
    """The model, or the one that is kept."""
    if options.model is not None and options.model.exists():
        kept = undertow.load(options.model)
        assert isinstance(kept, ReplicatedSoftmax)
        return kept
    documents = int((np.asarray(counts.sum(axis=1)).ravel() > 0).sum())
    model = ReplicatedSoftmax(
        options.units,
        learner=LEARNER if options.learner == "pcd" else RISING,
        weighting=None,
        count_transform="log" if options.counts == "log" else None,
        features="posterior",
        optimizer=OPTIMIZER,
        sparsity_cost=0.0,
        batch_size=BATCH,
        max_epochs=max(round(options.updates / np.ceil(documents / BATCH)), 1),
        random_state=0,
    ).fit(counts)
    if options.model is not None:
        model.save(options.model)
    return model


def rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """A row of the table for each set of documents."""
    counts = parts(options)
    model = trained(options, counts.pop("train"))
    found = []
    for name, documents in counts.items():
        if options.documents and name not in options.documents:
            continue
        one = model.perplexity(
            documents,
            n_temperatures=options.temperatures,
            n_chains=options.chains,
            random_state=0,
        )
        found.append({**vars(one), "documents": name})
    return found


def shown(options: argparse.Namespace, found: list[dict[str, Any]]) -> list[str]:
    """The table, as Markdown."""
    published = PUBLISHED.get(options.units)
    lines = [
        "| documents | perplexity | interval | from above | other documents | unigram | ratio |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in found:
        numbers = (
            f"{row['value']:.1f}",
            f"{row['low']:.1f} to {row['high']:.1f}",
            f"{row['from_above']:.1f}",
            f"{row['sampled_low']:.0f} to {row['sampled_high']:.0f}",
            f"{row['unigram']:.1f}",
            f"{row['value'] / row['unigram']:.3f}",
        )
        lines.append(f"| {row['documents']} | {' | '.join(numbers)} |")
    if published is not None:
        lines += ["", f"Published, over its unigram: {published:.3f}."]
    return lines


def unigrams(options: argparse.Namespace) -> list[str]:
    """The table of other words and counts, as Markdown."""
    lines = [
        "| headers, quotations, signatures | stop words | counts | words a document | unigram |",
        "| --- | --- | --- | ---: | ---: |",
    ]
    for headers, stop_words in product(("kept", "removed"), ("usual", "long")):
        how = argparse.Namespace(**{**vars(options), "headers": headers, "stop_words": stop_words})
        for name, part in zip(("log", "plain"), _both_counts(how), strict=True):
            words, value = part
            lines.append(f"| {headers} | {stop_words} | {name} | {words:.1f} | {value:.0f} |")
    return lines


def _both_counts(options: argparse.Namespace) -> list[tuple[float, float]]:
    """Of damped and of plain counts: the mean length of test documents, and the perplexity of the
    training part's shares of words.
    """
    plain = counted(options)
    return [_unigram(*map(log_counts, plain)), _unigram(*plain)]


def _unigram(train: sparse.csr_array, test: sparse.csr_array) -> tuple[float, float]:
    lengths = np.asarray(test.sum(axis=1)).ravel()
    test, lengths = test[lengths > 0], lengths[lengths > 0]
    each = test @ np.log(word_distribution(train)) / lengths
    return float(lengths.mean()), float(np.exp(-each.mean()))


def main(arguments: list[str] | None = None) -> None:
    """Trains, measures and prints."""
    options = parsed(arguments)
    print(" ".join(f"{name}={value}" for name, value in vars(options).items() if name != "model"))
    print("\n".join(unigrams(options) if options.unigrams else shown(options, rows(options))))
    print(machine.describe())


if __name__ == "__main__":
    main()
