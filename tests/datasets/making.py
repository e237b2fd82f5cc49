"""Made archives, and a server on this computer that hands them out, breaks off, or sends us
elsewhere.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import polars as pl

from undertow.datasets._official import Official, content_digest
from undertow.datasets.imdb import OFFICIAL as IMDB
from undertow.datasets.newsgroups import OFFICIAL as NEWSGROUPS

POSTS = {
    "20news-bydate-train/sci.space/900": b"From: a\n\nThe moon.\n",
    "20news-bydate-train/sci.space/1000": b"From: b\n\nThe sun.\n",
    "20news-bydate-train/alt.atheism/7": b"From: c\n\nCaf\xe9.\n",
    "20news-bydate-test/sci.space/2000": b"From: d\n\nMars.\n",
}
REVIEWS = {
    "aclImdb/train/pos/0_9.txt": "Très bon.<br />".encode(),
    "aclImdb/train/neg/10_2.txt": b"Bad.",
    "aclImdb/train/neg/9_1.txt": b"Worse.",
    "aclImdb/test/pos/0_10.txt": b"Good.",
    "aclImdb/train/unsup/0_0.txt": b"Unknown.",
    "aclImdb/train/unsup/1_0.txt": b"Unknown as well.",
    "aclImdb/train/labeledBow.feat": b"9 0:1",
    "aclImdb/README": b"read me",
}
ROWS = [
    ("train/alt.atheism/7", "train", "alt.atheism", "From: c\n\nCafé.\n"),
    ("train/sci.space/900", "train", "sci.space", "From: a\n\nThe moon.\n"),
    ("train/sci.space/1000", "train", "sci.space", "From: b\n\nThe sun.\n"),
    ("test/sci.space/2000", "test", "sci.space", "From: d\n\nMars.\n"),
]
REVIEW_ROWS = [
    ("train/neg/9_1", "train", "neg", "Worse."),
    ("train/neg/10_2", "train", "neg", "Bad."),
    ("train/pos/0_9", "train", "pos", "Très bon.<br />"),
    ("test/pos/0_10", "test", "pos", "Good."),
    ("train/unsup/0_0", "unsup", None, "Unknown."),
    ("train/unsup/1_0", "unsup", None, "Unknown as well."),
]


def archive_of(files: dict[str, bytes], *more: tarfile.TarInfo, level: int = 6) -> bytes:
    """A gzipped tar archive with these files, and with these members that have no content."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=level) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for member in more:
            archive.addfile(member)
    return packed.getvalue()


def bomb(megabytes: int) -> bytes:
    """A small file that unpacks to one large member."""
    member = tarfile.TarInfo("20news-bydate-train/README")
    member.size = megabytes << 20
    return gzip.compress(member.tobuf() + bytes(member.size), compresslevel=1)


def made(
    official: Official,
    rows: list[tuple[str, str, str | None, str]],
    url: str = "http://127.0.0.1:1/a",
) -> Official:
    """The data set with these documents as its official ones."""
    frame = pl.DataFrame(
        rows, schema=dict.fromkeys(("id", "split", "label", "text"), pl.String), orient="row"
    )
    counts: dict[tuple[str, str | None], int] = {}
    for _, split, label, _ in rows:
        counts[split, label] = counts.get((split, label), 0) + 1
    return replace(official, url=url, counts=counts, digest=content_digest(frame))


def made_newsgroups(url: str = "http://127.0.0.1:1/a.tar.gz") -> Official:
    """20 Newsgroups with the four posts above."""
    return made(NEWSGROUPS, [*ROWS], url)


def made_imdb(url: str = "http://127.0.0.1:1/a.tar.gz") -> Official:
    """IMDB with the six reviews above."""
    return made(IMDB, REVIEW_ROWS, url)


@dataclass
class Behaviour:
    """What the server does, and the ranges that it was asked for."""

    content: bytes = b""
    breaks_after: int | None = None  # bytes of an answer, after which the connection is closed
    ranges: bool = True  # whether it knows about ranges
    wrong_start: bool = False  # whether it answers with another range than the one asked for
    status: int | None = None
    moved_to: str | None = None
    length: bool = True  # whether it says how much is coming
    asked: list[str | None] = field(default_factory=list)
    url: str = ""


def _handler(behaviour: Behaviour) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Nothing on standard error."""

        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            behaviour.asked.append(asked)
            if behaviour.moved_to and self.path != "/moved.tar.gz":
                self._head(302, {"Location": behaviour.moved_to})
            elif behaviour.status:
                self._head(behaviour.status, {})
            else:
                self._send(int(asked[len("bytes=") : -1]) if asked and behaviour.ranges else 0)

        def _send(self, start: int) -> None:
            total = len(behaviour.content)
            if start >= total:
                self._head(416, {"Content-Range": f"bytes */{total}"})
                return
            start += 1 if behaviour.wrong_start and start else 0
            headers = {"Content-Length": str(total - start)} if behaviour.length else {}
            if start:
                headers["Content-Range"] = f"bytes {start}-{total - 1}/{total}"
            self._head(206 if start else 200, headers)
            end = total if behaviour.breaks_after is None else start + behaviour.breaks_after
            self.wfile.write(behaviour.content[start:end])

        def _head(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

    return Handler


@contextmanager
def serving(content: bytes) -> Iterator[Behaviour]:
    """A server for one file; its behaviour can be changed while it runs."""
    behaviour = Behaviour(content)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(behaviour))
    behaviour.url = f"http://127.0.0.1:{server.server_address[1]}/posts.tar.gz"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield behaviour
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
