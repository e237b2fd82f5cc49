"""Texts to vectors of wordllama-256: the mean of static vectors of word pieces, by its own `embed`
or weighed by idf.

    python wordllama_encode.py TEXTS.jsonl VECTORS.npy [--idf TRAINING.jsonl]

Needs the package wordllama, which holds its weights. Files of texts have one JSON string a line.
With `--idf` a piece weighs log(N / n), where n of the N training texts hold it (1 where none does).
"""

from __future__ import annotations

import argparse
import json
import logging
import time
from pathlib import Path

import numpy as np
import wordllama

BATCH = 16  # texts, of about one length: they are padded to the longest


def main() -> None:
    """The command; tells the seconds of the work as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--idf", type=Path)
    options = parser.parse_args()
    logging.disable(logging.INFO)
    package = Path(
        wordllama.__file__
    ).parent  # as a cache too: it looks for the tokenizer there alone
    model = wordllama.WordLlama.load(dim=256, cache_dir=package, disable_download=True)
    texts, weights = read(options.texts), None
    if options.idf is not None:
        weights = idf(model, read(options.idf))
    began = time.perf_counter()
    vectors = embedded(model, texts) if weights is None else weighed(model, texts, weights)
    seconds = time.perf_counter() - began
    np.save(options.vectors, vectors)
    print(json.dumps({"seconds": seconds}))


def read(file: Path) -> list[str]:
    """Texts; one that is empty becomes a space, of which wordllama can take a mean."""
    return [json.loads(line) or " " for line in file.read_text(encoding="utf-8").splitlines()]


def embedded(model: wordllama.WordLlamaInference, texts: list[str]) -> np.ndarray:
    """By its own function, in the order of lengths."""
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    found = np.empty((len(texts), model.embedding.shape[1]), dtype=np.float32)
    found[order] = model.embed([texts[row] for row in order], norm=True, batch_size=BATCH)
    return found


def ids_of(model: wordllama.WordLlamaInference, text: str) -> np.ndarray:
    """The numbers of its word pieces."""
    return np.array(model.tokenize([text])[0].ids, dtype=np.int64)


def idf(model: wordllama.WordLlamaInference, texts: list[str]) -> np.ndarray:
    """A weight for each word piece."""
    holding = np.zeros(len(model.embedding))
    for text in texts:
        holding[np.unique(ids_of(model, text))] += 1
    return np.log(len(texts) / np.maximum(holding, 1)).astype(np.float32)


def weighed(
    model: wordllama.WordLlamaInference, texts: list[str], weights: np.ndarray
) -> np.ndarray:
    """Weighed means, of length 1; a text of which no piece weighs anything has a vector of
    zeros.
    """
    found = np.zeros((len(texts), model.embedding.shape[1]), dtype=np.float32)
    for row, text in enumerate(texts):
        ids = ids_of(model, text)
        found[row] = weights[ids] @ model.embedding[ids]
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return found / np.where(lengths > 0, lengths, 1)


if __name__ == "__main__":
    main()
