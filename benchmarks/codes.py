"""Codes: how well they find documents of the same label, by the share of equal bits.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.codes
        [--corpus NAME] [--words N] [--seeds 0 1 2]

Questions are every fourth document of the test part, documents those of the training part, on which
models are trained with their defaults. Judged are MAP and precision at 100; of equally near
documents the right ones come last. Beside undertow's codes stand

- *thresholds*: posteriors above 1/2 of a model with a unit for each bit, which codes were before;
- *LSH*: random hyperplanes through the mean of LSA vectors of 128 dimensions;
- *ITQ of LSA*: LSA vectors, centred and turned by the same procedure as ours. How many dimensions
  there are for so many bits was chosen on held-out documents of the training part.

Whole vectors, compared by cosine, say what codes could reach.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize

from benchmarks.defaults import Split as HeldOut
from benchmarks.defaults import imdb, newsgroups
from benchmarks.newsgroups_data import data_file, load
from undertow.counts import log_counts
from undertow.estimators import ReplicatedSoftmax
from undertow.vectors.codes import quantizing_turn

BITS = (32, 64, 128, 256)
DIMENSIONS = (16, 32, 64, 128, 256)
LSH_DIMENSIONS = 128
EVERY = 4  # test documents are questions
BLOCK = 256
Sides = tuple[NDArray[Any], NDArray[Any]]  # questions, documents


@dataclass(frozen=True)
class Corpus:
    """What models learn from, documents with labels, and questions with labels."""

    learn: sparse.csr_array
    known: sparse.csr_array
    known_labels: NDArray[Any]
    asked: sparse.csr_array
    asked_labels: NDArray[Any]


def figures(sides: Sides, corpus: Corpus) -> tuple[float, float]:
    """MAP and precision at 100 of vectors, or of bits as signs, by their products."""
    asked, known = (side.astype(np.float32) for side in sides)
    areas, hundreds = [], []
    for first in range(0, len(asked), BLOCK):
        here = slice(first, first + BLOCK)
        right = corpus.asked_labels[here, None] == corpus.known_labels[None, :]
        nearness = asked[here] @ known.T - 1e-4 * right  # the right ones last
        order = np.argsort(-nearness, axis=1, kind="stable")
        ranked = np.take_along_axis(right, order, axis=1)
        found = np.cumsum(ranked, axis=1)
        precision = found / np.arange(1, ranked.shape[1] + 1)
        areas.append((precision * ranked).sum(axis=1) / np.maximum(found[:, -1], 1))
        hundreds.append(ranked[:, :100].mean(axis=1))
    return float(np.concatenate(areas).mean()), float(np.concatenate(hundreds).mean())


def signs(packed: NDArray[np.uint8], bits: int) -> NDArray[np.int8]:
    """Bits as +1 and -1."""
    result: NDArray[np.int8] = 2 * np.unpackbits(packed, axis=1, count=bits).astype(np.int8) - 1
    return result


def above(sides: Sides) -> Sides:
    """Signs of both sides."""
    asked, known = (np.where(side > 0, 1, -1).astype(np.int8) for side in sides)
    return asked, known


def lsa(corpus: Corpus, dimensions: int) -> Sides:
    """Questions and documents as LSA vectors of length 1."""
    weighting = TfidfTransformer().fit(log_counts(corpus.learn))
    known, asked = (weighting.transform(log_counts(side)) for side in (corpus.known, corpus.asked))
    model = TruncatedSVD(dimensions, random_state=0)
    model.fit(weighting.transform(log_counts(corpus.learn)))
    return normalize(model.transform(asked)), normalize(model.transform(known))


def of_lsa(corpus: Corpus) -> Callable[[int, int], Sides]:
    """Codes of so many bits from so many dimensions."""
    asked, known = lsa(corpus, max(DIMENSIONS))

    def codes(bits: int, dimensions: int) -> Sides:
        sides = (normalize(side[:, :dimensions]).astype(np.float32) for side in (asked, known))
        questions, documents = sides
        middle = documents.mean(axis=0)
        turn = quantizing_turn(documents - middle, bits, rounds=50)
        return above(((questions - middle) @ turn, (documents - middle) @ turn))

    return codes


def opponents(corpus: Corpus, held_out: Corpus, seed: int) -> Iterator[tuple[str, int, Sides]]:
    """LSH and ITQ of LSA."""
    asked, known = lsa(corpus, LSH_DIMENSIONS)
    yield f"LSA-{LSH_DIMENSIONS}, whole", 0, (asked, known)
    chosen_by, codes = of_lsa(held_out), of_lsa(corpus)
    generator = np.random.default_rng(seed)
    for bits in BITS:
        planes = generator.normal(size=(LSH_DIMENSIONS, bits))
        middle = known.mean(axis=0)
        yield "LSH of LSA", bits, above(((asked - middle) @ planes, (known - middle) @ planes))
        areas = {
            dimensions: figures(chosen_by(bits, dimensions), held_out)[0]
            for dimensions in DIMENSIONS
            if dimensions <= bits
        }
        best = max(areas, key=lambda dimensions: areas[dimensions])
        yield f"ITQ of LSA-{best}", bits, codes(bits, best)


def ours(corpus: Corpus, seed: int) -> Iterator[tuple[str, int, Sides]]:
    """Codes of a model with the default number of units, and thresholds of smaller ones."""
    for units in sorted(BITS, reverse=True):
        model = ReplicatedSoftmax(units, random_state=seed).fit(corpus.learn)
        on = [model.encode(side, "posterior") - 0.5 for side in (corpus.asked, corpus.known)]
        yield "thresholds", units, above((on[0], on[1]))
        if units == max(BITS):
            whole = [normalize(model.encode(side, "strength")) for side in sides_of(corpus)]
            yield "strengths, whole", 0, (whole[0], whole[1])
        for bits in BITS if units == max(BITS) else (units,):
            packed = [model.encode(side, "code", n_bits=bits) for side in sides_of(corpus)]
            name = "codes" if units == max(BITS) else f"codes of {units} units"
            yield name, bits, (signs(packed[0], bits), signs(packed[1], bits))


def sides_of(corpus: Corpus) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Counts of questions and of documents."""
    return corpus.asked, corpus.known


def read(name: str, words: int | None) -> tuple[Corpus, Corpus]:
    """A corpus by its name, and its training part with documents held out."""
    split = newsgroups() if name == "newsgroups" else imdb()
    held_out = _few(split)
    if name == "newsgroups":
        data = load(words or 2000)
        asked = data.test[::EVERY], data.test_labels[::EVERY]
        return Corpus(data.train, data.train, data.train_labels, *asked), held_out
    return _reviews(words or 5000), held_out


def _few(split: HeldOut) -> Corpus:
    asked = split.held_out[::2], split.held_out_labels[::2]
    return Corpus(split.learn, split.known, split.known_labels, *asked)


def _reviews(words: int) -> Corpus:
    rows = pl.read_parquet(data_file().parent / "imdb.parquet")
    parts = {part: rows.filter(pl.col("split") == part) for part in ("train", "test")}
    texts = {part: of["text"].str.replace_all("<br />", " ") for part, of in parts.items()}
    counter = CountVectorizer(max_features=words, token_pattern=r"[^\W\d_]{2,}")
    train = sparse.csr_array(counter.fit_transform(texts["train"]))
    test = sparse.csr_array(counter.transform(texts["test"].gather_every(25)))
    labels = {part: of["label"].to_numpy() for part, of in parts.items()}
    return Corpus(train, train, labels["train"], test, labels["test"][::25])


def main() -> None:
    """Prints a line for each kind of code, number of bits and seed."""
    parser = argparse.ArgumentParser(description="Codes beside thresholds, LSH and ITQ of LSA")
    parser.add_argument("--corpus", choices=("newsgroups", "imdb"), default="newsgroups")
    parser.add_argument("--words", type=int, help="2,000 for newsgroups, 5,000 for imdb")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options = parser.parse_args()
    corpus, held_out = read(options.corpus, options.words)
    for seed in options.seeds:
        began = time.perf_counter()
        for found in (ours(corpus, seed), opponents(corpus, held_out, seed)):
            for name, bits, sides in found:
                area, hundred = figures(sides, corpus)
                print(
                    f"seed {seed}  {name:22s} {bits or '':4}  {area:.4f}  {hundred:.4f}", flush=True
                )
        print(f"seed {seed}: {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
