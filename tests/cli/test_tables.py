"""Files hold what their names say, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.search.conftest import make_table
from tests.shell import Run
from undertow import InvalidInput, TopicModel
from undertow.cli import _tables

VECTORS = np.arange(12, dtype=np.float32).reshape(6, 2) / 7
TABLE = pl.DataFrame(
    {"id": [*'abcd"', "f,\n"], "label": ["x", None, "ä", "'", "y", "z"], "vector": VECTORS},
)


def pieces() -> Iterator[pl.DataFrame]:
    yield TABLE.head(4)
    yield TABLE.tail(2)


def flat(table: pl.DataFrame) -> pl.DataFrame:
    columns = [pl.col("vector").arr.get(place).alias(f"vector_{place}") for place in range(2)]
    return table.select("id", "label", *columns)


def read(file: Path) -> pl.DataFrame:
    """As another program would."""
    match file.suffix.lower():
        case ".csv" | ".tsv":
            separator = "," if file.suffix == ".csv" else "\t"
            kinds = {"vector_0": pl.Float32, "vector_1": pl.Float32}
            return pl.read_csv(file, separator=separator, schema_overrides=kinds, glob=False)
        case ".jsonl":
            lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            return pl.DataFrame(lines, schema=TABLE.schema)
        case ".arrow" | ".feather":
            import pyarrow.feather

            return pl.DataFrame(pyarrow.feather.read_table(file)).cast(TABLE.schema)
        case _:
            return pl.read_parquet(file, glob=False)


@pytest.mark.parametrize(
    "ending", [".parquet", ".csv", ".tsv", ".jsonl", ".arrow", ".feather", ".PARQUET"]
)
def test_what_is_written_is_read_again(tmp_path: Path, ending: str) -> None:
    file = tmp_path / "new[1] folder" / f"table{ending}"  # brackets are letters
    assert _tables.write_tables(pieces(), file) == 6
    expected = flat(TABLE) if ending in (".csv", ".tsv") else TABLE
    assert read(file).equals(expected)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("kind", [np.float32, np.uint8])
def test_numbers_alone(tmp_path: Path, kind: type[Any]) -> None:
    numbers = (VECTORS * 70).astype(kind)
    table = TABLE.with_columns(vector=pl.Series(numbers))
    assert _tables.write_tables(iter([table.head(4), table.tail(2)]), tmp_path / "v.npy") == 6
    found = np.load(tmp_path / "v.npy")
    assert found.dtype == kind
    np.testing.assert_array_equal(found, numbers)
    assert np.load(tmp_path / "v.npy", mmap_mode="r").shape == (6, 2)


def test_many_pieces_of_numbers(tmp_path: Path) -> None:
    """Numbers of rows with more and more digits are written over the one that the file began
    with.
    """
    many = (
        pl.DataFrame({"a": np.full(1000, number, dtype=np.float64), "b": [0.5] * 1000})
        for number in range(101)
    )
    assert _tables.write_tables(many, tmp_path / "v.npy") == 101_000
    found = np.load(tmp_path / "v.npy")
    assert (found.shape, found.dtype) == ((101_000, 2), np.float32)
    np.testing.assert_array_equal(found[:, 0], np.repeat(np.arange(101), 1000))


@pytest.mark.parametrize("ending", _tables.NUMBERS)
def test_what_is_not_whole_is_not_there(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"table{ending}"
    file.write_text("what was there")

    def broken() -> Iterator[pl.DataFrame]:
        yield TABLE
        raise InvalidInput("the second piece")

    with pytest.raises(InvalidInput, match="the second piece"):
        _tables.write_tables(broken(), file)
    assert file.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("ending", _tables.NUMBERS)
def test_no_more_than_one_piece_is_held(tmp_path: Path, ending: str) -> None:
    import weakref

    alive: list[weakref.ref[pl.DataFrame]] = []

    def watched() -> Iterator[pl.DataFrame]:
        for _ in range(5):
            assert sum(piece() is not None for piece in alive) <= 1
            piece = TABLE.clone()
            alive.append(weakref.ref(piece))
            yield piece
            del piece

    assert _tables.write_tables(watched(), tmp_path / f"table{ending}") == 30


# From the command line


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, table = tmp_path_factory.mktemp("tables"), make_table()
    table.write_parquet(folder / "corpus.parquet")
    model = TopicModel(8, max_epochs=5, random_state=0)
    model.fit(table).save(folder / "model")
    return folder


def test_vectors_in_every_format(run: Run, place: Path, tmp_path: Path) -> None:
    from undertow import load

    model: Any = load(place / "model")
    vectors = model.encode(make_table()["text"], "strength")
    for ending in _tables.NUMBERS:
        file = tmp_path / f"vectors{ending}"
        code, out, err = run(
            "transform", place / "model", place / "corpus.parquet", "--kind=strength", "--out", file
        )
        assert (code, "120 vectors" in out, ", without ids" in out) == (
            0,
            True,
            ending == ".npy",
        ), err
        if ending == ".npy":
            np.testing.assert_array_equal(np.load(file), vectors)
        elif ending == ".csv":
            table = pl.read_csv(file)
            assert table.columns == [
                "id",
                "label",
                "split",
                *(f"vector_{number}" for number in range(8)),
            ]
            np.testing.assert_allclose(
                table.select(pl.exclude("id", "label", "split")).to_numpy(), vectors, rtol=1e-6
            )


def test_shares_of_topics_as_numbers(run: Run, place: Path, tmp_path: Path) -> None:
    from undertow import load

    command = ("transform", place / "model", place / "corpus.parquet", "--kind=topics", "--out")
    assert (
        run(*command, tmp_path / "shares.npy")[0] == run(*command, tmp_path / "shares.csv")[0] == 0
    )
    model: Any = load(place / "model")
    shares, found = model.transform_topics(make_table()["text"]), np.load(tmp_path / "shares.npy")
    np.testing.assert_allclose(found[:, :-1], shares, atol=1e-7)
    np.testing.assert_allclose(
        found.sum(axis=1), 1.0, atol=1e-5
    )  # the last column is what belongs to no topic
    assert pl.read_csv(tmp_path / "shares.csv").columns[-1] == "none"


def test_a_table_of_topics_in_every_format(run: Run, place: Path, tmp_path: Path) -> None:
    for ending in (*_tables.TABLES, ".json"):
        code, _, err = run("topics", place / "model", "--out", tmp_path / f"topics{ending}")
        assert code == 0, err
    table = pl.read_parquet(tmp_path / "topics.parquet")
    assert pl.read_csv(tmp_path / "topics.tsv", separator="\t").columns == table.columns
    assert len((tmp_path / "topics.jsonl").read_text().splitlines()) == table.height


def test_a_name_that_says_nothing_is_refused_at_once(run: Run, place: Path, tmp_path: Path) -> None:
    model, corpus = place / "model", place / "corpus.parquet"
    for command, endings in (
        (("transform", model, corpus), ".parquet, .csv, .tsv, .jsonl, .arrow, .feather or .npy"),
        (("topics", model), ".parquet, .csv, .tsv, .jsonl, .arrow, .feather or .json"),
        (("report", model), ".html or .htm"),
        (("demo",), ".html or .htm"),
    ):
        for name in ("vectors.txt", "vectors", ".csv"):
            code, _, err = run(*command, "--out", tmp_path / name)
            assert (
                code,
                f"undertow: --out must end in {endings}, got {tmp_path / name}" in err,
            ) == (2, True), err
    assert list(tmp_path.iterdir()) == []
