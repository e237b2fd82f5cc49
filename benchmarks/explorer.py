"""The explorer: seconds until it answers, milliseconds and bytes of each route, at a made-up
collection.

    UNDERTOW_DATA=/folder python -m benchmarks.explorer MODEL [--documents 100000] [--json FILE]

Documents are made up as in benchmarks.search, with a label and a time each. The server is the
command itself, in a process of its own; requests go one after the other through one connection, as
from a browser. The first start computes the overview, the second finds it.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import polars as pl
from rich.console import Console

from benchmarks import machine, newsgroups_data
from benchmarks.search import make_up, questions
from benchmarks.tables import Sheet, figure, printed
from undertow import load
from undertow.search import Index

ASKED = 50  # times each route
HOURS = 24 * 1000
WARM = 5  # seconds in which it makes itself ready in the background


def documents(train: pl.DataFrame, number: int, folder: Path) -> pl.DataFrame:
    """Made-up posts with a label and a time each."""
    make_up(train, number, folder / "posts.parquet")
    posts = pl.read_parquet(folder / "posts.parquet")
    generator = np.random.default_rng(0)
    labels = [f"group {place}" for place in generator.integers(0, 20, number)]
    times = [
        datetime(2020, 1, 1) + timedelta(hours=int(hour))
        for hour in generator.integers(0, HOURS, number)
    ]
    return posts.with_columns(pl.Series("label", labels), pl.Series("time", times))


@contextmanager
def explorer(folder: Path) -> Iterator[tuple[http.client.HTTPConnection, float]]:
    """A running command, a connection to it, and the seconds until its first answer."""
    program = "from undertow.cli import main; main()"
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", program, "explore", str(folder), "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r":(\d+)/", process.stdout.readline())
        assert found is not None
        with closing(
            http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=600)
        ) as connection:
            get(connection, "/api/about")
            yield connection, time.perf_counter() - began
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def get(connection: http.client.HTTPConnection, path: str, **headers: str) -> tuple[int, bytes]:
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def until_ready(connection: http.client.HTTPConnection) -> float:
    """Seconds until the overview is there."""
    began = time.perf_counter()
    while json.loads(get(connection, "/api/about")[1])["overview"] == "computing":
        time.sleep(0.2)
    return time.perf_counter() - began


def timed(
    connection: http.client.HTTPConnection, paths: Sequence[str], **headers: str
) -> dict[str, float]:
    """The first answer, then p50 and p99 of the others, in milliseconds, and the mean bytes."""
    taken, sizes = [], []
    for path in paths:
        began = time.perf_counter()
        status, body = get(connection, path, **headers)
        taken.append(1000 * (time.perf_counter() - began))
        sizes.append(len(body))
        assert status == 200, (path, body[:200])
    return {
        "first": taken[0],
        "p50": float(np.percentile(taken[1:], 50)),
        "p99": float(np.percentile(taken[1:], 99)),
        "bytes": float(np.mean(sizes)),
    }


def measure(index: Path, texts: Sequence[str]) -> dict[str, Any]:
    with explorer(index) as (connection, cold):
        computed = until_ready(connection)
    with explorer(index) as (connection, seconds):
        found = until_ready(connection)
        time.sleep(WARM)
        about = json.loads(get(connection, "/api/about")[1])
        leaves = json.loads(get(connection, "/api/tree")[1])["leaves"]
        numbers = [leaves[place * 37 % len(leaves)] for place in range(ASKED)]
        routes: dict[str, list[str]] = {
            "/api/about": ["/api/about"] * ASKED,
            "/api/tree": ["/api/tree"] * ASKED,
            "/api/topics": ["/api/topics"] * ASKED,
            "/api/topics?n=, another each time": [
                f"/api/topics?n={10 + place}" for place in range(ASKED)
            ],
            "/api/topics/{number}": [f"/api/topics/{number}" for number in numbers],
            "/api/documents/{name}": [f"/api/documents/{place * 997}" for place in range(ASKED)],
            "/api/map/documents, 200 rows": [
                "/api/map/documents?rows=" + ",".join(map(str, range(200)))
            ]
            * ASKED,
            "/api/time": ["/api/time"] * ASKED,
            "/api/time/leaves": ["/api/time/leaves"] * ASKED,
            "/api/map": ["/api/map"] * ASKED,
        }
        for mode in ("semantic", "code", "text", "hybrid"):
            routes[f"/api/search, {mode}"] = [
                f"/api/search?q={quote(text)}&mode={mode}" for text in texts
            ]
        measured = {name: timed(connection, paths) for name, paths in routes.items()}
        for name in ("/api/tree", "/api/topics", "/api/map"):
            measured[f"{name}, gzip"] = timed(
                connection, routes[name], **{"Accept-Encoding": "gzip"}
            )
    return {
        "documents": about["documents"],
        "start_seconds": {"overview absent": cold, "overview stored": seconds},
        "overview_seconds": {"computed": computed, "stored": found},
        "routes": measured,
    }


def sheet(found: dict[str, Any]) -> Sheet:
    rows = [
        [name, figure(one["first"]), figure(one["p50"]), figure(one["p99"]), f"{one['bytes']:,.0f}"]
        for name, one in found["routes"].items()
    ]
    starts, overview = found["start_seconds"], found["overview_seconds"]
    note = (
        f"first answer {starts['overview absent']:.1f} s after the command, "
        f"{starts['overview stored']:.1f} s with the "
        f"overview stored; overview computed in {overview['computed']:.0f} s, read in "
        f"{overview['stored']:.1f} s"
    )
    columns = ["route", "first, ms", "p50, ms", "p99, ms", "bytes"]
    return Sheet(f"{found['documents']:,} documents", columns, rows, [note])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    posts = pl.read_parquet(newsgroups_data.data_file())
    train, test = (posts.filter(pl.col("split") == part) for part in ("train", "test"))
    console = Console(width=120)
    console.print(machine.describe())
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        Index.create(
            place / "index", load(options.model), documents(train, options.documents, place)
        )
        found = measure(place / "index", questions(test, 10)[: 2 * ASKED])
    console.print(printed(sheet(found)))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
