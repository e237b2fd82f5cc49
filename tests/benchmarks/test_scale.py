"""The benchmark of large corpora: real pieces, drawn again and again, and facts that hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from benchmarks import scale


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    """One of 230 words, one of 40, and one that must not be trained on."""
    texts = [
        " ".join(f"w{word % 90}" for word in range(230)),
        " ".join(["short"] * 40),
        "secret " * 150,
    ]
    path = tmp_path / "imdb.parquet"
    pl.DataFrame({"text": texts, "split": ["train", "unsup", "test"]}).write_parquet(path)
    return path


def test_pieces_are_cut_from_training_texts(reviews: Path) -> None:
    found = scale.pieces(reviews)
    assert [len(piece.split()) for piece in found] == [100, 100]
    assert found[1].split()[0] == "w10"  # the 101st word


def test_a_corpus_is_shards_of_pieces(
    tmp_path: Path, reviews: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scale, "SHARD", 40)
    size = scale.write_corpus(tmp_path / "corpus", scale.pieces(reviews), 100)
    shards = sorted((tmp_path / "corpus").iterdir())
    assert [pl.read_parquet(shard).height for shard in shards] == [40, 40, 20]
    assert size == sum(shard.stat().st_size for shard in shards)
    assert set(pl.read_parquet(shards[0])["text"]) == set(scale.pieces(reviews))


def test_too_little_disk_is_refused(tmp_path: Path) -> None:
    scale.require_room(tmp_path, 1)
    with pytest.raises(SystemExit, match=r"--folder must have .* GB free, got"):
        scale.require_room(tmp_path, 10**15)


@pytest.mark.torture
@pytest.mark.slow
def test_a_fit_is_measured_in_a_process_of_its_own(tmp_path: Path) -> None:
    scale.write_corpus(
        tmp_path / "corpus", pl.Series([f"w{n} w{n + 1} w{n // 2}" for n in range(500)]), 60_000
    )
    (tmp_path / "scratch").mkdir()
    found: dict[str, Any] = scale.measured(tmp_path / "corpus", tmp_path / "scratch")
    assert found["documents"] == 60_000
    assert found["scratch_left"] == 0
    assert 0 <= found["waited_share"] < 1
    assert found["peak_bytes"] >= found["bytes_before"] > 10**7
    assert found["reading_seconds"] > 0 < found["training_seconds"]
