"""Word pieces to vectors by all-MiniLM-L6-v2: step two of two, and the one that may run on a GPU.

    python minilm_encode.py WEIGHTS.safetensors TOKENS.npz ... --out FOLDER [--device auto|cpu|cuda]

Needs PyTorch, NumPy and safetensors only. TOKENS are what `minilm_tokens.py` writes; files may be
compressed by xz (NAME.npz.xz). A chunk's vector is the mean over
its positions, [CLS] and [SEP] among them, divided by its length; a document's is the mean of its
chunks', divided by its length. FOLDER gets NAME-FIRST.npy, float16, for each TOKENS named NAME.npz:
FIRST is the number of its first document. Weights may be float16; all sums are float32.
"""

from __future__ import annotations

import argparse
import json
import lzma
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load
from torch.nn import functional

LAYERS, HEADS, EPSILON = 6, 12, 1e-12
CLS, SEP, PAD = 101, 102, 0
POSITIONS = {"cpu": 8192, "cuda": 131_072}  # of a batch, padding among them
Weights = dict[str, torch.Tensor]


def main() -> None:
    """The command; tells the seconds of the work as JSON, a line for each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("tokens", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument("--rows", type=int, default=12_500, help="of a file of vectors, at most")
    parser.add_argument("--first", type=int, default=0, help="the number of the first document")
    options = parser.parse_args()
    device = options.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    weights = {
        name: value.to(device, torch.float32)
        for name, value in load(content(options.weights)).items()
    }
    options.out.mkdir(parents=True, exist_ok=True)
    for file in options.tokens:
        name = file.name.partition(".")[0]
        tokens = dict(np.load(BytesIO(content(file)), allow_pickle=False))
        began = time.perf_counter()
        vectors = encoded(weights, tokens, device)
        seconds = time.perf_counter() - began
        for row in range(0, len(vectors), options.rows):
            part = vectors[row : row + options.rows].astype(np.float16)
            np.save(options.out / f"{name}-{options.first + row:05d}.npy", part)
        said = {"file": name, "documents": len(vectors), "device": device, "seconds": seconds}
        print(json.dumps(said), flush=True)


def content(file: Path) -> bytes:
    """The bytes of a file, or of what was compressed into it."""
    read = file.read_bytes()
    return lzma.decompress(read) if file.suffix == ".xz" else read


def encoded(weights: Weights, tokens: dict[str, np.ndarray], device: str) -> np.ndarray:
    """A vector for each document."""
    chunks = tokens["chunks"]
    found = np.empty(
        (len(chunks) - 1, weights["embeddings.LayerNorm.bias"].shape[0]), dtype=np.float32
    )
    for rows in batches(np.diff(chunks), POSITIONS[device]):
        ids = padded([tokens["ids"][chunks[row] : chunks[row + 1]] for row in rows])
        with torch.inference_mode():
            found[rows] = unit(forward(weights, torch.from_numpy(ids).to(device))).cpu().numpy()
    sums: np.ndarray = np.add.reduceat(found, tokens["documents"][:-1], axis=0)
    means: np.ndarray = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return means


def batches(sizes: np.ndarray, positions: int) -> Iterator[np.ndarray]:
    """Rows of chunks of about one length, the longest first, so many that they fit."""
    order = np.argsort(-sizes, kind="stable")
    while len(order):
        many = max(1, positions // (int(sizes[order[0]]) + 2))
        yield order[:many]
        order = order[many:]


def padded(chunks: list[np.ndarray]) -> np.ndarray:
    """[CLS] pieces [SEP], then [PAD] up to the longest."""
    ids = np.full((len(chunks), max(map(len, chunks)) + 2), PAD, dtype=np.int64)
    for row, chunk in zip(ids, chunks, strict=True):
        row[0], row[1 : len(chunk) + 1], row[len(chunk) + 1] = CLS, chunk, SEP
    return ids


def forward(weights: Weights, ids: torch.Tensor) -> torch.Tensor:
    """BERT, and the mean over the positions that are not padding."""
    there = ids != PAD
    words, places, kinds = (
        weights[f"embeddings.{name}_embeddings.weight"]
        for name in ("word", "position", "token_type")
    )
    hidden = normalised(weights, "embeddings", words[ids] + places[: ids.shape[1]] + kinds[0])
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        heard = linear(
            weights, f"{layer}.attention.output.dense", attention(weights, layer, hidden, there)
        )
        hidden = normalised(weights, f"{layer}.attention.output", heard + hidden)
        wide = functional.gelu(linear(weights, f"{layer}.intermediate.dense", hidden))
        hidden = normalised(
            weights, f"{layer}.output", linear(weights, f"{layer}.output.dense", wide) + hidden
        )
    return (hidden * there[:, :, None]).sum(dim=1) / there.sum(dim=1, keepdim=True)


def attention(
    weights: Weights, layer: str, hidden: torch.Tensor, there: torch.Tensor
) -> torch.Tensor:
    """What each position hears of the others."""
    rows, length, width = hidden.shape
    query, key, value = (
        linear(weights, f"{layer}.attention.self.{name}", hidden)
        .view(rows, length, HEADS, -1)
        .transpose(1, 2)
        for name in ("query", "key", "value")
    )
    heard = functional.scaled_dot_product_attention(
        query, key, value, attn_mask=there[:, None, None, :]
    )
    return heard.transpose(1, 2).reshape(rows, length, width)


def linear(weights: Weights, name: str, values: torch.Tensor) -> torch.Tensor:
    """W x + b."""
    return functional.linear(values, weights[f"{name}.weight"], weights[f"{name}.bias"])


def normalised(weights: Weights, name: str, values: torch.Tensor) -> torch.Tensor:
    """Layer normalisation."""
    scale, shift = weights[f"{name}.LayerNorm.weight"], weights[f"{name}.LayerNorm.bias"]
    return functional.layer_norm(values, scale.shape, scale, shift, EPSILON)


def unit(vectors: torch.Tensor) -> torch.Tensor:
    """Of length 1."""
    return functional.normalize(vectors, dim=1)


if __name__ == "__main__":
    main()
