"""Corpora of every format: round trips, columns, splits, and what is said of files that cannot be
read.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from undertow._errors import InvalidInput
from undertow.corpus import Corpus, as_corpus, open_corpus

TABLE = pl.DataFrame(
    {
        "id": ["a", "b", "c"],
        "text": ["one, two", "größer 数据\nnew line", ""],
        "label": ["pos", None, "neg"],
        "split": ["train", "unsup", "test"],
    }
)


def packed(path: Path, data: bytes, suffix: str) -> Path:
    """Writes the bytes under the path and a suffix that says how they are packed."""
    target = path.with_name(path.name + suffix)
    if suffix == ".zst":
        pl.DataFrame({"column": [data.decode().removesuffix("\n")]}).write_csv(
            target, include_header=False, quote_style="never", compression="zstd"
        )
    else:
        target.write_bytes(gzip.compress(data) if suffix == ".gz" else data)
    return target


def write_shards(path: Path, suffix: str) -> Path:
    folder = path / "shards"
    (folder / "deeper").mkdir(parents=True)
    TABLE[:1].write_parquet(folder / "0.parquet")
    TABLE[1:].write_parquet(folder / "deeper" / "1.parquet")
    (folder / "_SUCCESS").touch()
    return folder


def write_parquet(path: Path, suffix: str) -> Path:
    TABLE.write_parquet(path / "table.parquet")
    return path / "table.parquet"


def write_csv(path: Path, suffix: str) -> Path:
    return packed(path / "table.csv", TABLE.write_csv().encode(), suffix)


def write_tsv(path: Path, suffix: str) -> Path:
    return packed(path / "table.tsv", TABLE.write_csv(separator="\t").encode(), suffix)


def write_json(path: Path, suffix: str) -> Path:
    return packed(path / "table.jsonl", (TABLE.write_ndjson() + "\n").encode(), suffix)


def read(corpus: Corpus, rows: int = 2) -> pl.DataFrame:
    return pl.concat(corpus.chunks(rows))


@pytest.mark.parametrize(
    ("write", "suffix"),
    [(write_parquet, ""), (write_shards, "")]
    + [
        (write, suffix)
        for write in (write_csv, write_tsv, write_json)
        for suffix in ("", ".gz", ".zst")
    ],
)
def test_tables_come_back(tmp_path: Path, write: Callable[[Path, str], Path], suffix: str) -> None:
    corpus = open_corpus(write(tmp_path, suffix))
    assert corpus.columns == ("id", "text", "label", "split")
    assert read(corpus).equals(TABLE)
    assert read(corpus, rows=1).equals(TABLE)  # as often as asked
    assert [chunk.height for chunk in corpus.chunks(2)] == [2, 1]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_a_text_file_has_a_document_a_line(tmp_path: Path, suffix: str) -> None:
    path = packed(tmp_path / "lines.txt", "one two\n\nthree é\n".encode(), suffix)
    corpus = open_corpus(path)
    assert corpus.columns == ("id", "text")
    assert read(corpus).to_dict(as_series=False) == {
        "id": ["0", "1", "2"],
        "text": ["one two", "", "three é"],
    }


def test_a_folder_of_text_files(tmp_path: Path) -> None:
    for name, text in (
        ("b.txt", "second\nline"),
        ("a/1", "first"),
        ("a/2.text", ""),
        (".hidden", "no"),
        ("x.py", "no"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    corpus = open_corpus(tmp_path)
    assert read(corpus).to_dict(as_series=False) == {
        "id": ["a/1", "a/2.text", "b.txt"],
        "text": ["first", "", "second\nline"],
    }
    assert [text for chunk in corpus.texts(1) for text in chunk] == ["first", "", "second\nline"]


def test_columns_by_other_names(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    TABLE.rename({"id": "Doc_ID", "text": "REVIEW", "label": "category"}).with_columns(
        date=pl.lit(date(2020, 1, 2)), other=1
    ).write_parquet(path)
    found = read(open_corpus(path))
    assert found.columns == ["id", "text", "label", "split", "time"]
    assert found.drop("time").equals(TABLE)
    assert found["time"].to_list() == [date(2020, 1, 2)] * 3


def test_columns_by_option(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,text,title,n,part,when\n1,body,head,7,test,2020\n")
    corpus = open_corpus(
        path,
        id_column="n",
        text_column="title",
        label_column="id",
        split_column="part",
        time_column="when",
    )
    assert read(corpus).to_dicts() == [
        {"id": "7", "text": "head", "label": "1", "split": "test", "time": "2020"}
    ]
    assert read(open_corpus(path, text_column="title"))["text"].to_list() == ["head"]


def test_numbers_become_ids_and_labels_and_row_numbers_do_where_there_are_none(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"text": "12", "label": 3}\n\n{"text": "true", "label": null}\n')
    assert read(open_corpus(path)).to_dict(as_series=False) == {
        "id": ["0", "1"],
        "text": ["12", "true"],
        "label": ["3", None],
    }


def test_a_single_column_is_the_text(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("headline\nhello\n")
    assert read(open_corpus(tmp_path / "t.csv"))["text"].to_list() == ["hello"]


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_csv_file_of_another_spreadsheet(tmp_path: Path, mark: str, suffix: str) -> None:
    rows = [("id", "the text", '"a, or b"'), ("1", '"one; two, three"', "x"), ("2", "so", "1,5")]
    told = "\ufeff" + "".join(mark.join(row) + "\r\n" for row in rows)
    path = packed(tmp_path / "t.csv", told.encode(), suffix)
    corpus = open_corpus(path, text_column="the text", label_column="a, or b")
    assert read(corpus).to_dict(as_series=False) == {
        "id": ["1", "2"],
        "text": ["one; two, three", "so"],
        "label": ["x", "1,5"],
    }


def test_commas_go_before_semicolons(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,text; or not\n1,a;b\n")
    found = read(open_corpus(tmp_path / "t.csv", text_column="text; or not"))
    assert found["text"].to_list() == ["a;b"]


def test_the_mark_is_that_of_the_very_file(tmp_path: Path) -> None:
    """And not of what its name would mean as a pattern."""
    (tmp_path / "a1.csv").write_text("id,text\n1,so\n")
    (tmp_path / "a[1].csv").write_text("id;text\n1;a moon\n")
    assert read(open_corpus(tmp_path / "a[1].csv"))["text"].to_list() == ["a moon"]


def test_splits(tmp_path: Path) -> None:
    corpus = open_corpus(write_parquet(tmp_path, ""))
    trained = corpus.where_split(("train", "unsup"))
    assert read(trained, 1)["id"].to_list() == ["a", "b"]
    assert read(corpus.where_split("test"), 1)["id"].to_list() == ["c"]
    assert repr(trained).endswith(
        "table.parquet', columns=['id', 'text', 'label', 'split'], splits=['train', 'unsup'])"
    )
    with pytest.raises(
        InvalidInput,
        match=r"corpus must hold a document with split 'x' or 'y', got none in 3 rows of",
    ):
        read(corpus.where_split(("x", "y")))
    with pytest.raises(
        InvalidInput,
        match=r"splits need a split column, got the table without one: name it by split_col",
    ):
        as_corpus(["a"]).where_split("train")


def test_row_numbers_are_those_of_the_file_whatever_the_split() -> None:
    corpus = as_corpus(TABLE.drop("id")).where_split("test")
    assert read(corpus)["id"].to_list() == ["2"]


def test_a_text_of_another_split_is_not_looked_at() -> None:
    table = pl.DataFrame({"text": ["a", None], "split": ["train", "test"]})
    assert read(as_corpus(table).where_split("train"))["text"].to_list() == ["a"]


def test_further_columns_come_on_request(tmp_path: Path) -> None:
    table = TABLE.with_columns(rating=pl.Series([5, None, 0]), row=pl.Series(["x", "", "y"]))
    table.write_parquet(tmp_path / "t.parquet")
    table.write_csv(tmp_path / "t.csv")
    (tmp_path / "t.jsonl").write_text(table.write_ndjson())
    for name, typed in (("t.parquet", True), ("t.csv", False), ("t.jsonl", False)):
        corpus = open_corpus(tmp_path / name).keeping(["rating", "row", "rating"])
        assert corpus.columns == ("id", "text", "label", "split", "rating", "row")
        assert corpus.typed is typed
        found = read(corpus)
        assert found.select(TABLE.columns).equals(TABLE)
        assert found["rating"].to_list() == ([5, None, 0] if typed else ["5", None, "0"])
        assert found["row"].to_list() == ["x", None if name == "t.csv" else "", "y"]
        assert read(corpus.where_split("test"))["row"].to_list() == ["y"]
    with pytest.raises(
        InvalidInput, match=r"kept columns must be those of .*t.jsonl, which has 'id', .*; got 'no'"
    ):
        corpus.keeping(["no"])
    with pytest.raises(
        InvalidInput, match="must not be named as one that the corpus has, got 'label'"
    ):
        corpus.keeping(["label"])
    assert read(corpus.keeping({"stars": "rating"}))["stars"].to_list() == ["5", None, "0"]


def test_globs_go_to_polars(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(f"text\n{name}\n")
    assert read(open_corpus(f"{tmp_path}/*.csv"))["text"].to_list() == ["a", "b"]


def test_remote_paths_go_to_polars_untouched(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def scan(path: str, **options: Any) -> pl.LazyFrame:
        asked.append(path)
        return TABLE.lazy()

    for name in ("scan_parquet", "scan_csv"):
        monkeypatch.setattr(pl, name, scan)
    paths = ["s3://bucket/a.parquet", "https://x.org/a.csv.gz?download=1", "hf://datasets/a/b/"]
    for path in paths:
        assert read(open_corpus(path))["id"].to_list() == ["a", "b", "c"]
    assert asked == paths


# What cannot be read


def file(name: str, data: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return write


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (
            lambda folder: folder / "no.csv",
            "path must be a file or folder, got {}, which does not exist",
        ),
        (
            file("a.xlsx", b"x"),
            "path must end in .parquet, .pq, .csv, .tsv, .jsonl, .ndjson, .txt (or be a folder), "
            "got {}",
        ),
        (
            file("a.parquet", b"hello, this is no table"),
            "{} must be a Parquet file, got: parquet: File out of spec",
        ),
        (file("a.csv", b"PAR1xxxx"), "{} must be a CSV file, got a Parquet file"),
        (file("a.parquet", b"PK\x03\x04"), "{} must be a Parquet file, got a zip archive"),
        (file("a.csv", b""), "{} must be a CSV file, got: empty CSV"),
        (file("a.csv", b"id,text\n"), "corpus must hold a document, got none in 0 rows of {}"),
        (
            file("a.csv", b"id,text\n1,a,b\n"),
            "{} must be a CSV file, got: found more fields than defined in 'Schema': a row has "
            "more cells than the first line (a text with commas needs quotes)",
        ),
        (
            file("a.csv", b"id,text\n1,ok\n2,caf\xe9\n"),
            "{} must be UTF-8 text, got other bytes (0xe9 in line 3): convert it",
        ),
        (
            file("a.csv", b"a,b\n1,2\n"),
            "no column of {} is named 'text', 'document', 'content', 'body', 'review', 'message'; "
            "it",
        ),
        (file("a.txt", b""), "corpus must hold a document, got none in 0 rows of {}"),
        (
            file("a.txt", b"ok\ncaf\xe9\n"),
            "{} must be UTF-8 text, got other bytes (0xe9 in line 2): convert it",
        ),
        (
            file("a.txt.gz", gzip.compress(b"caf\xe9\n")),
            "{} must be UTF-8 text, got other bytes (0xe9 in line 1)",
        ),
        (file("a.jsonl", b""), "text_column must be given: no column of {} is named"),
        (file("a.jsonl", b"hello\n"), "{} must hold a JSON object a line, got 'hello' in line 1"),
        (
            file("a.jsonl", b'[{"text": "a"}]\n'),
            '{} must hold a JSON object a line, got \'[{{"text": "a"}}]\' in line 1',
        ),
        (
            file("a.jsonl", b'{"text": "a"}\n' * 1200 + b'{"text": \n'),
            "{} must hold a JSON object a line, got '{{\"text\": ' in line 1201",
        ),
        (
            file("a.jsonl", b'{"text": "caf\xe9"}\n'),
            "{} must be UTF-8 text, got other bytes (0xe9 in line 1)",
        ),
        (
            file("a.jsonl", b'{"text": "a"}\n\n{"text": 5}\n'),
            "texts must be strings, got 5 in line 3 of {}",
        ),
        (file("a.jsonl", b'{"text": true}\n'), "texts must be strings, got True in line 1 of {}"),
        (
            file("a.jsonl", b'{"text": "a"}\n{"text": ["b"]}\n'),
            "columns must hold single values, got ['b'] under 'text' in line 2 of {}",
        ),
        (
            file("a.jsonl", b'{"text": "a"}\n{"id": 5}\n'),
            "texts must be strings, got null in row 1 of column 'text' of {}",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    tmp_path: Path, write: Callable[[Path], Path], message: str
) -> None:
    path = write(tmp_path)
    with pytest.raises(InvalidInput, match=re.escape(message.format(path))) as caught:
        read(open_corpus(path))
    assert "\n" not in str(caught.value)


def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput,
        match=r"path must hold Parquet files or text files .* got the folder .* without any",
    ):
        open_corpus(tmp_path)
    (tmp_path / "a.txt").write_bytes(b"caf\xe9")
    with pytest.raises(
        InvalidInput,
        match=r"a\.txt must be UTF-8 text, got byte 0xe9 at 3: convert it, such as by iconv",
    ):
        read(open_corpus(tmp_path))
    TABLE.write_parquet(tmp_path / "a.parquet")
    TABLE.drop("label").write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InvalidInput, match="must be a folder of Parquet files alike, got: "):
        read(open_corpus(tmp_path))


@pytest.mark.parametrize("role", ["id", "text", "label", "split", "time"])
def test_unknown_columns_are_answered_by_those_there_are(tmp_path: Path, role: str) -> None:
    path = write_parquet(tmp_path, "")
    message = (
        f"{role}_column must be a column of {path}, which has 'id', 'text', 'label', 'split'; got "
        f"'body'"
    )
    options: dict[str, Any] = {f"{role}_column": "body"}
    with pytest.raises(InvalidInput, match=re.escape(message)):
        open_corpus(path, **options)


def test_texts_must_be_strings(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match="text_column must hold strings, got Int64 in column 'text' of the table"
    ):
        read(as_corpus(pl.DataFrame({"text": [1, 2]})))
    with pytest.raises(
        InvalidInput, match="texts must be strings, got null in row 3 of column 'text' of the table"
    ):
        read(as_corpus(pl.DataFrame({"text": ["a", "b", "c", None]})))
    with pytest.raises(InvalidInput, match="rows must be a whole number of at least 1, got 0"):
        read(as_corpus(TABLE), rows=0)


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A folder with links: within it, out of it, through another out of it, and in a circle."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "key.txt").write_text("secret key")
    folder = tmp_path / "folder"
    (folder / "deeper").mkdir(parents=True)
    (folder / "a.txt").write_text("apple")
    (folder / "deeper" / "b.txt").write_text("pear")
    (folder / "within.txt").symlink_to("deeper/b.txt")
    (folder / "out.txt").symlink_to(tmp_path / "secrets" / "key.txt")
    (folder / "deeper" / "up.txt").symlink_to("../../secrets/key.txt")
    (folder / "all").symlink_to(tmp_path / "secrets")
    (folder / "twice.txt").symlink_to("out.txt")
    (folder / "circle.txt").symlink_to("circle.txt")
    return folder


def test_links_out_of_a_folder_are_not_followed(
    linked: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (linked.parent / "link").symlink_to(linked)
    for folder in (linked, linked.parent / "link"):
        caplog.clear()
        found = read(open_corpus(folder))
        assert dict(zip(found["id"], found["text"], strict=True)) == {
            "a.txt": "apple",
            "deeper/b.txt": "pear",
            "within.txt": "pear",
        }
        assert "links that lead out of the folder are not followed: 5, such as all" in caplog.text


def test_nor_are_those_to_tables(linked: Path, caplog: pytest.LogCaptureFixture) -> None:
    TABLE.write_parquet(linked.parent / "table.parquet")
    (linked / "shard.parquet").symlink_to(linked.parent / "table.parquet")
    assert len(read(open_corpus(linked))) == 3  # the texts
    assert "not followed: 6" in caplog.text
    for file in linked.rglob("*.txt"):
        file.unlink()
    with pytest.raises(InvalidInput, match="without any but links that lead out of it"):
        open_corpus(linked)


@pytest.mark.parametrize("end", ["parquet", "csv", "jsonl", "txt"])
def test_brackets_in_a_name_are_letters(tmp_path: Path, end: str) -> None:
    """And no pattern: another file would be read in its place."""
    table = {"a[1]": pl.DataFrame({"text": ["a moon"]}), "a1": pl.DataFrame({"text": ["a pear"]})}
    for name, rows in table.items():
        file = tmp_path / f"{name}.{end}"
        if end == "parquet":
            rows.write_parquet(file)
        elif end == "jsonl":
            rows.write_ndjson(file)
        else:
            rows.write_csv(file, include_header=end == "csv")
    (chunk,) = open_corpus(tmp_path / f"a[1].{end}").chunks()
    assert chunk["text"].to_list() == ["a moon"]
    if end == "parquet":
        (tmp_path / "a1.parquet").unlink()
        assert open_corpus(tmp_path).count_rows() == 1
