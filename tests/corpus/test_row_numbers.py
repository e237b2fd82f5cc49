"""Which rows of a source a corpus has: what belongs to documents, and lies elsewhere, is found by
them.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from undertow.corpus import as_corpus, open_corpus
from undertow.corpus.corpus import ROWS

TABLE = pl.DataFrame(
    {"text": list("abcdef"), "split": ["train", "test", None, "unsup", "train", "test"]}
)


def test_rows_of_some_splits() -> None:
    corpus = as_corpus(TABLE).where_split(("train", "unsup"))
    rows, total = corpus.row_numbers()
    assert (rows.tolist(), total) == ([0, 3, 4], 6)
    texts = pl.concat(list(corpus.texts()))
    assert texts.to_list() == TABLE["text"].gather(rows).to_list()


def test_all_rows_without_splits() -> None:
    rows, total = as_corpus(TABLE.select("text")).row_numbers()
    assert (rows.tolist(), total) == (list(range(6)), 6)
    assert as_corpus(TABLE).row_numbers()[0].tolist() == list(range(6))


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_rows_of_files_over_many_chunks(tmp_path: Path, ending: str) -> None:
    splits = ["test" if number % 7 == 0 else "train" for number in range(2 * ROWS + 5)]
    table = pl.DataFrame({"text": [f"w{number}" for number in range(len(splits))], "split": splits})
    file = tmp_path / f"corpus.{ending}"
    write = {"parquet": table.write_parquet, "csv": table.write_csv, "jsonl": table.write_ndjson}[
        ending
    ]
    write(file)  # type: ignore[operator]
    corpus = open_corpus(file).where_split("train")
    rows, total = corpus.row_numbers()
    assert total == len(splits)
    assert pl.concat(list(corpus.texts())).to_list() == [f"w{row}" for row in rows.tolist()]
