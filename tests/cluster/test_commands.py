"""Commands on a cluster, beside the same commands without one."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.cluster.in_process import NearCrew, in_one_process
from tests.cluster.test_losses import strike
from tests.cluster.test_reading import some_texts
from tests.shell import Run
from undertow import InvalidInput, TopicModel, load, open_corpus
from undertow.cluster import Cluster
from undertow.estimators import cluster_tables
from undertow.estimators.cluster_tables import Asked

FIT = ("--n-components", "8", "--max-epochs", "2", "--seed", "3", "--batch-size", "32")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus and a model, as one machine makes it."""
    folder = tmp_path_factory.mktemp("commands")
    texts = some_texts(400)
    table = pl.DataFrame({"text": texts, "label": [f"l{n % 3}" for n in range(400)]})
    table.write_parquet(folder / "corpus.parquet")
    options: dict[str, Any] = {
        "n_components": 8,
        "max_epochs": 2,
        "random_state": 3,
        "batch_size": 32,
    }
    TopicModel(**options).fit(open_corpus(folder / "corpus.parquet")).save(folder / "model")
    return folder


@pytest.fixture(autouse=True)
def inside(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


@pytest.fixture
def near() -> Iterator[None]:
    """Workers live in this process."""
    with in_one_process():
        yield


def weights(folder: str) -> Any:
    return load(folder).softmax_.parameters_.weights


def test_fit_and_index(
    machines: Any, place: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    options = ("--cluster", machines.address, "--workers", "2")
    code, out, err = run("fit", "corpus.parquet", "--out", "two", *FIT, *options, "--json")
    assert code == 0, err
    assert json.loads(out)["cluster"]["workers"] == 2
    with in_one_process():
        same = run(
            "fit", "corpus.parquet", "--out", "here", *FIT, "--cluster", "auto", *options[2:]
        )
    assert same[0] == 0, same[2]
    assert np.array_equal(weights("two"), weights("here"))
    assert not np.array_equal(weights("two"), weights("model"))

    pytest.importorskip("lancedb")
    from undertow.corpus import shards
    from undertow.search import Index

    monkeypatch.setattr(shards, "ROWS", 50)
    assert run("index", "model", "corpus.parquet", "--out", "one")[0] == 0
    code, _, err = run("index", "model", "corpus.parquet", "--out", "many", *options)
    assert code == 0, err
    one, many = Index.open("one"), Index.open("many")
    assert len(one) == len(many) == 400
    for question in ("word1 word2", "word30"):
        found = [(hit.id, hit.text, hit.score) for hit in many.search(question, 20)]
        assert found == [(hit.id, hit.text, hit.score) for hit in one.search(question, 20)]


@pytest.mark.torture  # machines are killed in test_losses.py too, and workers in test_crew.py
def test_a_machine_is_killed_while_it_transforms(
    machines: Any, second_machine: Any, place: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    from undertow.corpus import shards

    monkeypatch.setattr(shards, "ROWS", 50)
    command = ("transform", "model", "corpus.parquet", "--out")
    assert run(*command, "alone.npy")[0] == 0
    strike(monkeypatch, "encode", 3, lambda: machines.remove_node(second_machine))
    code, out, err = run(*command, "shared.npy", "--cluster", machines.address, "--workers", "2")
    assert code == 0, err
    assert Path("shared.npy").read_bytes() == Path("alone.npy").read_bytes()
    assert not [file for file in place.iterdir() if "pieces" in file.name]
    assert "Note: worker " in out
    assert " was lost while encoding documents (its machine is gone)" in out


@pytest.mark.torture
def test_a_machine_is_killed_while_it_indexes(
    machines: Any, second_machine: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lancedb")
    from undertow.corpus import shards
    from undertow.search import Index

    monkeypatch.setattr(shards, "ROWS", 50)
    corpus = open_corpus("corpus.parquet")
    strike(monkeypatch, "rows", 2, lambda: machines.remove_node(second_machine))
    made = Index.create("lost", "model", corpus, cluster="auto", workers=2)
    (remark,) = made.remarks
    assert " was lost while encoding documents (its machine is gone)" in remark
    assert [row.id for row in made.search("word1", 5)] == [
        row.id for row in Index.create("unhurt", "model", corpus).search("word1", 5)
    ]


@pytest.mark.parametrize(("kind", "name"), [("topics", "a.csv"), ("strength", "b.npy")])
def test_transform_by_pieces(
    kind: str, name: str, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    from undertow.corpus import shards

    monkeypatch.setattr(shards, "ROWS", 50)
    command = ("transform", "model", "corpus.parquet", "--kind", kind, "--out")
    assert run(*command, name)[0] == 0
    with in_one_process():
        code, _, err = run(*command, f"many_{name}", "--cluster", "auto", "--workers", "3")
    assert code == 0, err
    assert Path(f"many_{name}").read_bytes() == Path(name).read_bytes()


@pytest.mark.torture
def test_the_process_that_leads_is_killed(machines: Any, place: Path, run: Run) -> None:
    """By a signal that it cannot catch; the same command goes on from its checkpoint."""
    command = ("fit", "corpus.parquet", *FIT, "--cluster", machines.address, "--workers", "2")
    saving = ("--checkpoint", "saved", "--checkpoint-every", "0", "--out", "resumed")
    code = "from undertow.cli import main; main()"
    arguments = [sys.executable, "-c", code, *command, *saving, "--max-epochs", "200"]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE) as leading:
        until = time.monotonic() + 120
        while not Path("saved/run").exists() and time.monotonic() < until:
            time.sleep(0.02)
        leading.kill()
    assert Path("saved/run").exists()
    assert not Path("resumed").exists()
    code_, out, err = run(*command, *saving, "--max-epochs", "200", "--resume")
    assert code_ == 0, err
    assert "Note: training goes on from saved: epoch " in out
    with in_one_process():
        whole = (*command, "--max-epochs", "200", "--out", "whole")
        assert run(*whole)[0] == 0
    assert np.array_equal(weights("resumed"), weights("whole"))


def test_a_handler_of_sigterm_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    from undertow.cluster import connecting

    def begin(address: str) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # as Ray does with one of its own

    monkeypatch.setattr(connecting, "_start", begin)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with connecting._own_sigterm():
            connecting._start("auto")
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before)


def test_transform_goes_on_where_it_stopped(
    near: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from undertow.corpus import shards

    monkeypatch.setattr(shards, "ROWS", 50)
    model, corpus, two = load("model"), open_corpus("corpus.parquet"), Cluster(workers=2)
    out, written = place / "stopped.parquet", list[Path]()
    write = cluster_tables._write

    def stop_after_three(file: Path, table: pl.DataFrame | None) -> None:
        if len(written) == 3:
            raise KeyboardInterrupt
        written.append(file)
        write(file, table)

    monkeypatch.setattr(cluster_tables, "_write", stop_after_three)
    with pytest.raises(KeyboardInterrupt):
        list(cluster_tables.encoded(Asked(model, corpus), two, out))
    assert all(file.exists() for file in written)
    first = written[0].stat().st_mtime_ns
    again: list[Path] = []

    def counted(file: Path, table: pl.DataFrame | None) -> None:
        again.append(file)
        write(file, table)

    monkeypatch.setattr(cluster_tables, "_write", counted)
    tables = list(cluster_tables.encoded(Asked(model, corpus), two, out))
    assert written[0].stat().st_mtime_ns == first
    assert len(again) == 8 - 3
    expected = model.transform(corpus)
    assert np.array_equal(np.vstack([table["vector"].to_numpy() for table in tables]), expected)
    list(cluster_tables.encoded(Asked(model, corpus, "soft"), two, out))
    assert len(again) == 5 + 8  # of another kind, none can be used
    cluster_tables.finish(out)
    assert not written[0].exists()


def test_an_index_goes_on_where_it_stopped(
    near: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lancedb")
    from undertow.corpus import shards
    from undertow.search import Index

    monkeypatch.setattr(shards, "ROWS", 50)
    told: list[int] = []

    def stop(done: int, total: int) -> None:
        told.append(done)
        if done >= 150:
            raise KeyboardInterrupt

    options: dict[str, Any] = {"cluster": "auto", "workers": 2}
    corpus = open_corpus("corpus.parquet")
    with pytest.raises(KeyboardInterrupt):
        Index.create("halves", "model", corpus, progress=stop, **options)
    later: list[int] = []
    made = Index.create(
        "halves", "model", corpus, progress=lambda done, total: later.append(done), **options
    )
    assert later[0] == told[-1] == 150
    assert len(made) == 400
    assert [row.id for row in made.search("word1", 5)] == [
        row.id for row in Index.create("whole", "model", corpus).search("word1", 5)
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--workers", "2"), "--workers must be used with --cluster, got 2 without"),
        (
            ("--cluster", "auto", "--checkpoint", "there", "--checkpoint-every", "2epochs"),
            "--checkpoint-every must be a time such as '5min' on a cluster, got '2epochs'",
        ),
        (("--cluster", "auto", "--checkpoint-every", "9"), "must be used with --checkpoint"),
        (("--interval", "4"), "--interval must be used with --cluster"),
        (("--cluster", "auto", "--resume"), "--resume must be used with --checkpoint, got none"),
    ],
)
def test_what_does_not_go_together_is_said(options: tuple[str, ...], said: str, run: Run) -> None:
    code, _, err = run("fit", "corpus.parquet", "--out", "none", *options)
    assert code == 2
    assert said in err


@pytest.mark.parametrize("doing", ["count", "encode", "transform", "index"])
def test_a_corpus_that_workers_do_not_see(
    doing: str, near: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is gone when they come to read it."""
    texts = tmp_path / "texts.jsonl"
    pl.DataFrame({"text": some_texts(100)}).write_ndjson(texts)
    corpus, make = open_corpus(texts), NearCrew.__init__

    def make_late(self: NearCrew, *given: Any) -> None:
        texts.unlink()
        make(self, *given)

    monkeypatch.setattr(NearCrew, "__init__", make_late)
    said = "texts.jsonl must be there under the same path on all machines of the cluster, and is "
    with pytest.raises(InvalidInput, match=said):
        read_on_workers(doing, corpus, tmp_path)


def read_on_workers(doing: str, corpus: Any, folder: Path) -> None:
    two = Cluster(workers=2)
    if doing == "transform":
        list(cluster_tables.encoded(Asked(load("model"), corpus), two, folder / "out.npy"))
    elif doing == "index":
        pytest.importorskip("lancedb")
        from undertow.search import Index

        Index.create(folder / "index", "model", corpus, cluster="auto", workers=2)
    else:
        words = ["word1", "word2"] if doing == "encode" else None
        TopicModel(4, vocabulary=words).fit(corpus, cluster=two)


def test_a_cluster_takes_texts_alone(near: Any) -> None:
    from sklearn.feature_extraction.text import CountVectorizer

    with pytest.raises(InvalidInput, match="texts must be texts on a cluster, got lists of tokens"):
        TopicModel(4).fit([["a", "b"], ["b"]], cluster="auto")
    with pytest.raises(InvalidInput, match="vectorizer must be a Vectorizer of undertow on a clus"):
        TopicModel(4, vectorizer=CountVectorizer()).fit(["a text"], cluster="auto")
