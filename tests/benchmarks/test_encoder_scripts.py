"""The scripts that run in the peers' interpreter: what of them needs no peer, and the rest where
PyTorch is there.
"""

from __future__ import annotations

import lzma
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest

LIBRARIES = (
    "tokenizers",
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "safetensors.torch",
    "wordllama",
)


def script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A script as a module, gone after the test; libraries that are not installed are mocks."""
    for library in LIBRARIES:
        if find_spec(library.partition(".")[0]) is None:
            monkeypatch.setitem(sys.modules, library, mock.MagicMock())
    path = f"benchmarks.encoders.{name}"
    monkeypatch.setitem(sys.modules, path, mock.MagicMock())
    del sys.modules[path]
    return import_module(path)


def test_documents_become_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = script("minilm_tokens", monkeypatch)
    sizes = [300, 0, 254, 255, 1]
    documents = [np.full(size, number, dtype=np.uint16) for number, size in enumerate(sizes)]
    ids, chunks, starts = tokens.arranged(documents)
    assert np.diff(chunks).tolist() == [254, 46, 0, 254, 254, 1, 1]
    assert np.diff(starts).tolist() == [2, 1, 1, 2, 1]
    assert ids.dtype == np.uint16
    for number, size in enumerate(sizes):
        assert ids[chunks[starts[number]] : chunks[starts[number + 1]]].tolist() == [number] * size


def test_long_texts_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = script("minilm_tokens", monkeypatch)
    fake = SimpleNamespace(
        encode_batch=lambda texts, add_special_tokens: [
            SimpleNamespace(ids=[len(word) for word in text.split()]) for text in texts
        ]
    )
    found = tokens.pieces(fake, ["a bb ccc dddd", "", "ee"], 3)
    assert [ids.tolist() for ids in found] == [[1, 2, 3], [], [2]]


def test_batches_hold_every_chunk_once_and_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    encode = script("minilm_encode", monkeypatch)
    sizes = np.random.default_rng(0).integers(0, 255, 500)
    batches = list(encode.batches(sizes, 1000))
    assert sorted(np.concatenate(batches).tolist()) == list(range(500))
    assert all(len(rows) * (sizes[rows].max() + 2) <= 1000 for rows in batches)
    assert [len(rows) for rows in encode.batches(np.array([254, 254]), 10)] == [
        1,
        1,
    ]  # too long is still encoded


def test_chunks_are_padded_behind_their_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    encode = script("minilm_encode", monkeypatch)
    ids = encode.padded([np.array([7, 8], dtype=np.uint16), np.empty(0, dtype=np.uint16)])
    assert ids.tolist() == [[101, 7, 8, 102], [101, 102, 0, 0]]


def test_files_may_be_compressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = script("minilm_encode", monkeypatch)
    (tmp_path / "a.npz").write_bytes(b"plain")
    (tmp_path / "a.npz.xz").write_bytes(lzma.compress(b"packed"))
    assert encode.content(tmp_path / "a.npz") == b"plain"
    assert encode.content(tmp_path / "a.npz.xz") == b"packed"


def test_word_pieces_are_weighed_by_idf(monkeypatch: pytest.MonkeyPatch) -> None:
    words = script("wordllama_encode", monkeypatch)
    names = ["the", "fig", "gear"]

    def tokenize(texts: list[str]) -> list[Any]:
        return [SimpleNamespace(ids=[names.index(word) for word in text.split()]) for text in texts]

    fake = SimpleNamespace(tokenize=tokenize, embedding=np.eye(3, dtype=np.float32))
    weights = words.idf(fake, ["the fig", "the the", "the fig", "the"])
    assert weights.tolist() == pytest.approx([0.0, np.log(2), np.log(4)])
    found = words.weighed(fake, ["the fig gear fig", "the"], weights)
    assert found[0].tolist() == pytest.approx(
        [0.0, np.sqrt(0.5), np.sqrt(0.5)]
    )  # log 4 is twice log 2
    assert found[1].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.torture
def test_vectors_do_not_depend_on_the_batch() -> None:
    torch = pytest.importorskip("torch")
    encode = import_module("benchmarks.encoders.minilm_encode")
    weights = {
        name: 0.3 * torch.randn(shape) for name, shape in shapes(width=24, words=200).items()
    }
    documents = [
        np.random.default_rng(size).integers(103, 200, size).astype(np.uint16)
        for size in (5, 0, 30, 254, 7)
    ]
    chunks = np.cumsum([0, *map(len, documents)])
    together = encode.encoded(
        weights,
        {
            "ids": np.concatenate(documents),
            "chunks": chunks,
            "documents": np.array([0, 1, 2, 4, 5]),
        },
        "cpu",
    )
    alone = np.concatenate(
        [
            encode.encoded(
                weights,
                {"ids": ids, "chunks": np.array([0, len(ids)]), "documents": np.array([0, 1])},
                "cpu",
            )
            for ids in documents
        ]
    )
    pair = alone[2] + alone[3]
    expected = np.stack([alone[0], alone[1], pair / np.linalg.norm(pair), alone[4]])
    assert together == pytest.approx(expected, abs=1e-4)


def shapes(width: int, words: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of BERT's weights."""
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (words, width),
        "embeddings.position_embeddings.weight": (256, width),
        "embeddings.token_type_embeddings.weight": (2, width),
    }
    norms = ["embeddings"]
    for number in range(6):
        layer = f"encoder.layer.{number}"
        dense = dict.fromkeys(
            ("self.query", "self.key", "self.value", "output.dense"), (width, width)
        )
        linear = {f"{layer}.attention.{name}": shape for name, shape in dense.items()}
        linear |= {
            f"{layer}.intermediate.dense": (2 * width, width),
            f"{layer}.output.dense": (width, 2 * width),
        }
        for name, shape in linear.items():
            found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
        norms += [f"{layer}.attention.output", f"{layer}.output"]
    return found | {
        f"{name}.LayerNorm.{part}": (width,) for name in norms for part in ("weight", "bias")
    }
