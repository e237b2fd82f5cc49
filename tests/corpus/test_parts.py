"""Parts of a corpus: rows that one worker of many reads, which together are the corpus."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from undertow._errors import InvalidInput
from undertow.corpus import Corpus, as_corpus, open_corpus

TABLE = pl.DataFrame(
    {
        "text": [f"document number {number}\nof many" for number in range(23)],
        "split": [("train", "test", None)[number % 3] for number in range(23)],
        "stars": list(range(23)),
    }
)


def write_parquet(path: Path) -> Path:
    TABLE.write_parquet(path / "table.parquet", row_group_size=4)
    return path / "table.parquet"


def write_shards(path: Path) -> Path:
    (path / "shards").mkdir()
    for number in range(3):
        TABLE[number * 8 : number * 8 + 8].write_parquet(path / "shards" / f"{number}.parquet")
    return path / "shards"


def write_csv(path: Path) -> Path:
    TABLE.write_csv(path / "table.csv")
    return path / "table.csv"


def write_json(path: Path) -> Path:
    """With blank lines, which are no rows."""
    lines = TABLE.write_ndjson().splitlines()
    (path / "table.jsonl").write_text(
        "\n\n" + "\n".join(lines[:9]) + "\n \n" + "\n".join(lines[9:])
    )
    return path / "table.jsonl"


def write_texts(path: Path) -> Path:
    (path / "texts").mkdir()
    for number, text in enumerate(TABLE["text"]):
        (path / "texts" / f"{number:02}.txt").write_text(text)
    return path / "texts"


WRITERS = (write_parquet, write_shards, write_csv, write_json, write_texts)


def read(corpus: Corpus, rows: int = 5) -> pl.DataFrame:
    return pl.concat(corpus.chunks(rows))


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("rows", [3, 8, 100])
def test_parts_are_the_whole(write: Callable[[Path], Path], rows: int, tmp_path: Path) -> None:
    corpus = open_corpus(write(tmp_path))
    assert corpus.count_rows() == 23
    parts = [read(corpus.part(first, first + rows)) for first in range(0, 23, rows)]
    assert [part.height for part in parts[:-1]] == [rows] * (len(parts) - 1)
    assert pl.concat(parts).equals(read(corpus))


@pytest.mark.parametrize("write", WRITERS[:-1])
def test_parts_have_the_splits_and_columns_that_were_asked_for(
    write: Callable[[Path], Path], tmp_path: Path
) -> None:
    corpus = open_corpus(write(tmp_path)).where_split("train").keeping(["stars"])
    part = corpus.part(4, 11)
    assert read(part)["id"].to_list() == ["6", "9"]
    assert list(map(int, read(part)["stars"])) == [6, 9]
    rows, total = part.row_numbers()
    assert (rows.tolist(), total) == ([6, 9], 11)
    assert read(part.where_split("test"))["id"].to_list() == ["4", "7", "10"]


def test_a_part_may_hold_no_document() -> None:
    corpus = as_corpus(TABLE).where_split("train")
    assert list(corpus.part(1, 3).chunks()) == []
    assert list(corpus.part(23, 30).chunks()) == []
    with pytest.raises(InvalidInput, match="corpus must hold a document"):
        list(corpus.where_split("none").chunks())
    with pytest.raises(InvalidInput, match="last must be a whole number of at least 3, got 2"):
        corpus.part(3, 2)


@pytest.mark.parametrize("write", WRITERS)
def test_corpora_travel(write: Callable[[Path], Path], tmp_path: Path) -> None:
    corpus = open_corpus(write(tmp_path))
    there = pickle.loads(pickle.dumps(corpus.part(2, 9)))
    assert read(there).equals(read(corpus)[2:9])


def test_errors_name_the_row_of_the_whole(tmp_path: Path) -> None:
    table = TABLE.with_columns(text=pl.when(pl.col("stars") != 17).then("text"))
    table.write_parquet(tmp_path / "holes.parquet")
    with pytest.raises(InvalidInput, match="null in row 17 "):
        list(open_corpus(tmp_path / "holes.parquet").part(10, 20).chunks())
    (tmp_path / "bad.jsonl").write_text(
        '{"text": "a"}\n\n{"text": "b"}\n{"text": 3}\n{"text": "c"}\n'
    )
    corpus = open_corpus(tmp_path / "bad.jsonl", text_column="text")
    with pytest.raises(InvalidInput, match="line 4"):
        list(corpus.part(2, 3).chunks())
