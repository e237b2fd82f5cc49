"""Documents that live in Spark, encoded there: each gets a vector and a topic by `mapInArrow`.

Needs pyspark and Java: python examples/spark_encode.py. For jobs of your own, take this file along
as a module; docs/spark.md says how, and which settings matter.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
import polars as pl
import pyarrow as pa

import undertow
from undertow.datasets import load_python_docs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ADDED = ("vector", "topic", "share")  # beside the id

# The model of this Python worker. It outlives a task only in a module that workers import: of a
# function of `__main__`, each task gets a copy with an empty cache.
_held: dict[str, undertow.TopicModel] = {}


def send(spark: SparkSession, folder: str | Path) -> str:
    """Sends a model folder to all executors, and returns the name that they know it by.

    As an archive: each executor fetches and unpacks it once, and its Python workers read the same
    files. `addFile` refuses a folder of the driver outside of local mode. A broadcast would be held
    by every Python worker beside the model that it makes of it.
    """
    from pyspark import SparkFiles

    name = f"undertow-{uuid4().hex}"  # a model that was trained again gets another
    # executors ask for it as long as the session lives, and Spark removes this folder after that
    place = os.path.join(SparkFiles.getRootDirectory(), f"sent-{name}")
    archive = shutil.make_archive(place, "zip", folder)
    spark.sparkContext.addArchive(f"{archive}#{name}")
    return name


def encode(
    table: DataFrame, model: str, n: int | None = None, *, id: str = "id", text: str = "text"
) -> DataFrame:
    """A vector, a topic and its share for each row, beside its id.

    `model` is what `send` gave, or the path of a folder that all executors see. `n` is the number
    of topics, None for the model's own.
    """
    from pyspark.sql.types import ArrayType, FloatType, IntegerType, StructField, StructType

    vector = StructField("vector", ArrayType(FloatType()))
    topic, share = StructField("topic", IntegerType()), StructField("share", FloatType())
    schema = StructType([table.schema[id], vector, topic, share])
    work = partial(encode_batches, model=model, n=n)
    return table.select(id, text).mapInArrow(work, schema)


def encode_batches(
    batches: Iterator[pa.RecordBatch], model: str, n: int | None = None
) -> Iterator[pa.RecordBatch]:
    """What a Python worker does with a partition: batches of ids and texts in, encoded ones out.

    A text that is null counts as empty. A text without a known word has the vector of an empty one
    (zeros, unless `features` says otherwise), and null for a topic.
    """
    for batch in batches:
        if not batch.num_rows:
            continue
        here = _model(model)
        texts = pl.Series(pl.from_arrow(batch.column(1)))
        if texts.dtype == pl.String:  # undertow says what is wrong with other types
            texts = texts.fill_null("")
        columns = [batch.column(0), _lists(here.transform(texts)), *_widest(here, texts, n)]
        yield pa.RecordBatch.from_arrays(columns, [batch.schema.names[0], *ADDED])


def _model(name: str) -> undertow.TopicModel:
    """The model, loaded when a worker first needs it. It works on one thread, as Spark gives each
    core a worker of its own.
    """
    if name not in _held:
        _held.clear()  # memory for one
        model = undertow.load(_place(name))
        model.softmax_.set_params(n_jobs=1)
        model.vectorizer_.set_params(n_jobs=1)
        _held[name] = model
    return _held[name]


def _place(name: str) -> str:
    """Where a model is on this machine."""
    if os.path.isabs(name):
        return name
    from pyspark import SparkFiles

    return SparkFiles.get(name)


def _lists(vectors: np.ndarray) -> pa.ListArray:
    """Rows of a matrix as a column of lists."""
    documents, width = vectors.shape
    ends = np.arange(documents + 1, dtype=np.int32) * width
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(vectors.ravel()))


def _widest(model: undertow.TopicModel, texts: pl.Series, n: int | None) -> list[pa.Array]:
    """The topic that most of each text is about, and its share; null where there is none."""
    shares = model.transform_topics(texts, n)
    topics, most = np.array(list(model.topic_names(n)), dtype=np.int32), shares.max(axis=1)
    none = ~(most > 0)
    return [pa.array(topics[shares.argmax(axis=1)], mask=none), pa.array(most, mask=none)]


def main() -> None:
    """Trains on a few documents, and encodes them in a Spark on this machine."""
    from pyspark.sql import SparkSession

    documents = load_python_docs()[::4]
    texts = [document.text for document in documents]
    words = r"[^\W\d_]{2,}"  # of letters, two at least
    model = undertow.TopicModel(
        64, stop_words="english", min_df=3, max_df=0.3, token_pattern=words, random_state=0
    ).fit(texts)
    folder = model.save("spark_model", overwrite=True)

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers run the same Python
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.executorEnv.POLARS_MAX_THREADS", "1")  # polars counts words
        .getOrCreate()
    )
    spark.sparkContext.addPyFile(__file__)  # so that workers can import it

    rows = [(document.id, document.text) for document in documents]
    table = spark.createDataFrame([*rows, ("empty", ""), ("null", None)], "id string, text string")
    found = encode(table.repartition(4), send(spark, folder), n=12)
    names = model.topic_names(n=12)
    for row in found.orderBy("id").limit(10).collect():
        print(f"{row.id:40.40s} {len(row.vector)} numbers  {names.get(row.topic, 'none')}")
    print(f"{found.where('topic is not null').count():,} of {table.count():,} have a topic")
    spark.stop()


if __name__ == "__main__":
    import spark_encode  # this file by its name, as workers know it

    spark_encode.main()
