"""The example of Spark: its function for Arrow batches, and the whole of it where pyspark and Java
are installed.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import undertow
from tests.contracts.test_pages import blocks_of

ROOT = Path(__file__).parents[2]
FILE = ROOT / "examples" / "spark_encode.py"
N = 3  # topics
SUBJECTS = ("rocket moon orbit probe", "apples pears cake honey", "goal match team player")
PYSPARKS = (  # warnings of its own, which it raises in this process
    "ignore:PySpark does not yet fully support:FutureWarning",
    "ignore:distutils Version classes:DeprecationWarning",
    "ignore:unclosed <socket:ResourceWarning",
    "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning",
)
HELD = """
def held(batches):
    import pyarrow
    import spark_encode
    for _ in batches:
        yield pyarrow.RecordBatch.from_pydict({"name": list(spark_encode._held)})
"""


def in_spark(test: Any) -> Any:
    """Marks of a test that has Spark run in this process."""
    for warning in PYSPARKS:
        test = pytest.mark.filterwarnings(warning)(test)
    return pytest.mark.slow(test)


@pytest.fixture(scope="module")
def example() -> Iterator[ModuleType]:
    """The example as a module, as jobs use it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FILE.parent))
        yield importlib.import_module("spark_encode")
        del sys.modules["spark_encode"]


@pytest.fixture(scope="module")
def texts() -> list[str | None]:
    """Some of them empty, null, or of unknown words alone."""
    generator = np.random.default_rng(0)
    made: list[str | None] = [
        " ".join(generator.choice(SUBJECTS[i % 3].split(), generator.integers(1, 30)))
        for i in range(300)
    ]
    made[7], made[8], made[100], made[299] = "", None, "zebras", None
    return made


@pytest.fixture(scope="module")
def model(texts: list[str | None]) -> undertow.TopicModel:
    known = [text for text in texts if text and text != "zebras"]
    return undertow.TopicModel(16, max_epochs=5, random_state=0, n_jobs=1).fit(known)


@pytest.fixture(scope="module")
def folder(model: undertow.TopicModel, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(model.save(tmp_path_factory.mktemp("spark") / "model"))


@pytest.fixture(autouse=True)
def nothing_held(example: ModuleType) -> None:
    example._held.clear()


def batches(texts: list[str | None], *sizes: int) -> Iterator[pa.RecordBatch]:
    """Batches of these numbers of rows, as Spark gives them; an id is the number of a row."""
    assert sum(sizes) == len(texts)
    first = 0
    for size in sizes:
        ids = pa.array(range(first, first + size), pa.int64())
        column = pa.array(texts[first : first + size], pa.string())
        yield pa.RecordBatch.from_arrays([ids, column], ["post", "text"])
        first += size


def check(rows: list[dict[str, Any]], model: undertow.TopicModel, texts: list[str | None]) -> None:
    """Rows in the order of texts have what the model itself says of these, to the last bit."""
    given = [text or "" for text in texts]
    vectors = np.array([row["vector"] for row in rows], dtype=np.float32)
    np.testing.assert_array_equal(vectors, model.transform(given))
    shares = model.transform_topics(given, N)
    ids = list(model.topic_names(N))
    for row, of_text in zip(rows, shares, strict=True):
        if of_text.any():
            assert row["topic"] == ids[of_text.argmax()]
            assert row["share"] == of_text.max()
        else:
            assert row["topic"] is row["share"] is None


@pytest.mark.parametrize("sizes", [(300,), (0, 1, 99, 0, 200), (150, 150, 0), (1,) * 300])
def test_batches_get_what_the_model_says(
    example: ModuleType,
    model: undertow.TopicModel,
    folder: str,
    texts: list[str | None],
    sizes: tuple[int, ...],
) -> None:
    found = list(example.encode_batches(batches(texts, *sizes), folder, N))
    assert [batch.num_rows for batch in found] == [size for size in sizes if size]
    assert {batch.schema for batch in found} == {
        pa.schema(
            {
                "post": pa.int64(),
                "vector": pa.list_(pa.float32()),
                "topic": pa.int32(),
                "share": pa.float32(),
            }
        )
    }
    rows = [row for batch in found for row in batch.to_pylist()]
    assert [row["post"] for row in rows] == list(range(300))
    check(rows, model, texts)
    for empty in (7, 8, 100, 299):
        assert not any(rows[empty]["vector"])
        assert rows[empty]["topic"] is None
    assert len({row["topic"] for row in rows}) == N + 1


def test_of_an_empty_partition_nothing_is_loaded(example: ModuleType) -> None:
    assert list(example.encode_batches(iter(()), "/nowhere")) == []


def test_ids_are_given_back_as_they_are(example: ModuleType, folder: str) -> None:
    ids = pa.array(["b", None, "a"], pa.large_string())
    batch = pa.RecordBatch.from_arrays([ids, pa.array([None] * 3, pa.large_string())], ["id", "t"])
    (found,) = example.encode_batches(iter([batch]), folder)
    assert found.column(0).equals(ids)


def test_numbers_are_no_texts(example: ModuleType, folder: str) -> None:
    batch = pa.RecordBatch.from_pydict({"id": [1], "text": [2]})
    with pytest.raises(undertow.InvalidInput, match="texts must be strings"):
        list(example.encode_batches(iter([batch]), folder))


def test_a_worker_loads_once_and_uses_one_thread(
    example: ModuleType, folder: str, texts: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, load = [], undertow.load

    def watched(path: str) -> Any:
        loaded.append(path)
        return load(path)

    monkeypatch.setattr(undertow, "load", watched)
    for _ in range(2):
        list(example.encode_batches(batches(texts, 100, 200), folder))
    assert loaded == [folder]
    held = example._held[folder]
    assert held.softmax_.n_jobs == held.vectorizer_.n_jobs == 1
    other = shutil.copytree(folder, f"{folder} 2", dirs_exist_ok=True)
    list(example.encode_batches(batches(texts, 300), other))
    assert loaded == [folder, other]
    assert list(example._held) == [other]


# In Spark


@pytest.fixture(scope="module")
def spark(example: ModuleType) -> Iterator[Any]:
    """Spark on this machine, with two Python workers."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("Spark needs Java, which is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), *sys.path]))
        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.executorEnv.POLARS_MAX_THREADS": "1",
            "spark.sql.shuffle.partitions": "4",
        }
        session = sql.SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        session.sparkContext.addPyFile(str(FILE))
        yield session
        session.stop()


def table_of(spark: Any, texts: list[str | None], partitions: int) -> Any:
    return spark.createDataFrame(list(enumerate(texts)), "post long, text string").repartition(
        partitions
    )


def rows_of(table: Any) -> list[dict[str, Any]]:
    return [row.asDict() for row in table.orderBy(table.columns[0]).collect()]


@in_spark
@pytest.mark.parametrize("partitions", [1, 5])
def test_spark_gives_what_the_model_says(
    example: ModuleType,
    model: undertow.TopicModel,
    folder: str,
    texts: list[str | None],
    spark: Any,
    partitions: int,
) -> None:
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 37)
    sent = example.send(spark, folder)
    found = example.encode(table_of(spark, texts, partitions), sent, N, id="post")
    assert found.columns == ["post", "vector", "topic", "share"]
    check(rows_of(found), model, texts)


@in_spark
def test_partitions_may_be_empty(
    example: ModuleType, model: undertow.TopicModel, folder: str, spark: Any
) -> None:
    texts: list[str | None] = ["a rocket", None]
    table = table_of(spark, texts, 8)
    assert 0 in table.rdd.glom().map(len).collect()
    check(rows_of(example.encode(table, folder, N, id="post")), model, texts)
    assert rows_of(example.encode(table.limit(0), folder, N, id="post")) == []


@in_spark
def test_a_worker_of_spark_holds_the_model_between_tasks(
    example: ModuleType, folder: str, texts: list[str | None], spark: Any
) -> None:
    sent = example.send(spark, folder)
    rows_of(example.encode(table_of(spark, texts, 4), sent, N, id="post"))
    assert not example._held, "the driver needs none"
    # a function of `__main__` goes to workers as source, and asks their module there
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(HELD, names)
    rows = spark.range(0, 4, 1, 4).mapInArrow(names["held"], "name string").collect()
    assert {row.name for row in rows} == {sent}


def run(file: Path, folder: Path) -> str:
    """What a job writes, in a process and a Spark of its own."""
    path = os.pathsep.join([str(ROOT / "src"), str(FILE.parent)])
    done = subprocess.run(
        [sys.executable, file],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("spark")  # says whether there is one
def test_the_page_on_spark_runs(
    model: undertow.TopicModel, texts: list[str | None], tmp_path: Path
) -> None:
    posts = pl.DataFrame({"id": [f"{row:03}" for row in range(len(texts))], "text": texts})
    posts.write_parquet(tmp_path / "posts.parquet")
    model.save(tmp_path / "model")
    job = tmp_path / "job.py"
    job.write_text("\n".join(blocks_of("docs/spark.md")), encoding="utf-8")
    run(job, tmp_path)
    sample = sum(map(len, undertow.open_corpus(tmp_path / "sample").texts()))
    assert 0 < sample < len(texts)
    found = pl.read_parquet(tmp_path / "encoded" / "*.parquet").sort("id")
    assert found["id"].equals(posts["id"])
    vectors = model.transform([text or "" for text in texts])
    np.testing.assert_array_equal(found["vector"].to_list(), vectors)


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_the_example_runs(tmp_path: Path) -> None:
    *rows, last = run(FILE, tmp_path).splitlines()[-11:]
    assert all("128 numbers  " in row for row in rows)
    assert last.endswith("have a topic")
