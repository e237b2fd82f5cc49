"""The explorer under load: many clients at once, mixed questions.

    UNDERTOW_DATA=/folder python -m benchmarks.load --make INDEX
    UNDERTOW_DATA=/folder python -m benchmarks.load INDEX [--clients 200] [--seconds 300]
        [--workers 2] [--json FILE]

The first line makes an index of 20 Newsgroups whole (18,846 posts, 128 units); the second starts
`undertow explore` on it and asks. A client has a connection of its own, asks, reads the whole
answer, and asks again at once. Each question is of one to ten words of a test post, drawn anew, so
hardly any comes twice. Of a hundred requests 60 search by words and meaning, 10 each by words or
meaning alone, 5 by codes, 5 with a filter by label, 5 for the documents most like one, and 5 open a
document.

The clients are one process without a library for HTTP; how much of a core it took is told. CPU is
that of all processes of the server from the first counted request to the last; memory is their
proportional set size (what they share counts once), looked at each second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np
import polars as pl
from rich.console import Console

import undertow
from benchmarks import machine, newsgroups_data
from benchmarks.tables import Sheet, printed

PROGRAM = "from undertow.cli import main; main()"
MIX = (
    ("hybrid", 60),
    ("text", 10),
    ("semantic", 10),
    ("code", 5),
    ("filter", 5),
    ("nearest", 5),
    ("document", 5),
)
SEARCHES = tuple(name for name, _ in MIX if name != "document")
WORDS = (1, 2, 3, 4, 6, 10)  # of a question
PATIENCE = 120.0  # seconds for an answer: later it is an error


def make(place: Path) -> None:
    """An index of all posts, by a model of the training posts."""
    posts = pl.read_parquet(newsgroups_data.data_file()).select("text", "label", "split")
    train = posts.filter(pl.col("split") == "train")
    model = undertow.TopicModel(128, random_state=0).fit(train)
    undertow.Index.create(place, model, posts, overwrite=True)


def requests(index: Path, seed: int) -> Iterator[tuple[str, str]]:
    """Kinds and addresses, without end and hardly ever the same twice."""
    posts = pl.read_parquet(newsgroups_data.data_file())
    test = posts.filter(pl.col("split") == "test")["text"].to_list()
    documents, labels = len(undertow.Index.open(index)), posts["label"].unique().sort().to_list()
    generator = random.Random(seed)
    kinds, weights = zip(*MIX, strict=True)
    while True:
        words = re.findall(r"[A-Za-z]{3,}", generator.choice(test))
        if len(words) < max(WORDS):
            continue
        kind = generator.choices(kinds, weights)[0]
        text = quote(" ".join(generator.sample(words, generator.choice(WORDS))))
        mode = kind if kind in ("text", "semantic", "code") else "hybrid"
        document = generator.randrange(documents)
        where = quote(f"label = '{generator.choice(labels)}'")
        yield (
            kind,
            {
                "nearest": f"/api/nearest/{document}",
                "document": f"/api/documents/{document}",
                "filter": f"/api/search?q={text}&where={where}",
            }.get(kind, f"/api/search?q={text}&mode={mode}"),
        )


class Clients:
    """What was asked, and how long each answer took."""

    def __init__(self, port: int, asked: Iterator[tuple[str, str]]) -> None:
        self._port, self._asked = port, asked
        self.counting = True
        self.taken: dict[str, list[float]] = defaultdict(list)
        self.errors: Counter[str] = Counter()

    async def client(self, until: float) -> None:
        """Asks until it is time."""
        reader: asyncio.StreamReader | None = None
        writer: asyncio.StreamWriter | None = None
        while time.perf_counter() < until:
            kind, path = next(self._asked)
            began = time.perf_counter()
            try:
                if writer is None or reader is None:
                    reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                status = await asyncio.wait_for(_asked(reader, writer, path), PATIENCE)
            except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
                status = type(error).__name__
                if writer is not None:
                    writer.close()
                writer = None
            if not self.counting:
                continue
            if status == "200":
                self.taken[kind].append(time.perf_counter() - began)
            else:
                self.errors[f"{kind}: {status}"] += 1
        if writer is not None:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


async def _asked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> str:
    """The status of an answer that was read to its end."""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    if length is None:
        return "no length"
    await reader.readexactly(int(length[1]))
    return head[9:12].decode()


@contextmanager
def server(index: Path, workers: int) -> Iterator[tuple[int, int]]:
    """A running `undertow explore`: its process and its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", "--port", str(port)]
    options += ["--workers", str(workers)] if workers > 1 else []
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", PROGRAM, "explore", str(index), *options],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert "undertow explorer" in process.stdout.readline()
        yield process.pid, port
    finally:
        began = time.perf_counter()
        process.send_signal(signal.SIGINT)
        process.communicate()
        Console().print(f"Ctrl-C ended it in {time.perf_counter() - began:.1f} s")


def until_ready(port: int) -> None:
    """Waits for the overview, which takes cores while it is made."""
    while True:
        with urlopen(f"http://127.0.0.1:{port}/api/about") as answer:
            if json.load(answer)["overview"] != "computing":
                return
        time.sleep(0.5)


def family(root: int) -> list[int]:
    """A process and those that it started, directly or not."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rpartition(")")[2].split()[1]
            )
        except OSError:
            continue  # it has just ended
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def cpu_seconds(processes: Sequence[int]) -> float:
    """Of these processes, user and system together."""
    ticks = 0
    for process in processes:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / 100


def megabytes(processes: Sequence[int]) -> float:
    """Proportional set size of these processes together."""
    total = 0
    for process in processes:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        found = re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)
        total += int(found[1]) if found else 0
    return total / 1024


async def load(port: int, processes: Sequence[int], options: argparse.Namespace) -> dict[str, Any]:
    """Warms up, then counts; a dictionary of what came of it."""
    clients = Clients(port, requests(options.index, options.seed))
    until = time.perf_counter() + options.warm
    await asyncio.gather(*[clients.client(until) for _ in range(options.clients)])
    clients.taken.clear()
    before = dict(clients.errors)
    server_cpu, own = cpu_seconds(processes), _own_cpu()
    began = time.perf_counter()
    memory: list[float] = []

    async def watch() -> None:
        while True:
            memory.append(megabytes(processes))
            await asyncio.sleep(1)

    watching = asyncio.create_task(watch())
    until = began + options.seconds
    await asyncio.gather(*[clients.client(until) for _ in range(options.clients)])
    watching.cancel()
    seconds = time.perf_counter() - began
    answered = sum(map(len, clients.taken.values()))
    searched = sum(len(clients.taken[kind]) for kind in SEARCHES)
    return {
        "clients": options.clients,
        "workers": options.workers,
        "seconds": seconds,
        "requests": answered,
        "errors": dict(clients.errors),
        "errors_while_warming_up": before,
        "requests_per_second": answered / seconds,
        "searches_per_second": searched / seconds,
        "milliseconds": {kind: _percentiles(clients.taken[kind]) for kind, _ in MIX},
        "all_searches": _percentiles([t for kind in SEARCHES for t in clients.taken[kind]]),
        "server_cpu_ms_per_request": 1000 * (cpu_seconds(processes) - server_cpu) / answered,
        "client_cores": (_own_cpu() - own) / seconds,
        "memory_mb": {"first": memory[0], "most": max(memory), "last": memory[-1]},
        "processes": len(processes),
    }


def _own_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _percentiles(taken: Sequence[float]) -> dict[str, float]:
    if not taken:
        return {}
    p50, p99 = 1000 * np.percentile(taken, [50, 99])
    return {"number": len(taken), "p50": p50, "p99": p99, "max": 1000 * max(taken)}


def sheet(found: dict[str, Any]) -> Sheet:
    """A row for each kind of request."""
    kinds = {**found["milliseconds"], "all searches": found["all_searches"]}
    rows = [
        [
            kind,
            f"{one['number']:,}",
            f"{one['p50']:,.0f}",
            f"{one['p99']:,.0f}",
            f"{one['max']:,.0f}",
        ]
        for kind, one in kinds.items()
        if one
    ]
    memory = found["memory_mb"]
    notes = [
        f"{found['requests']:,} requests in {found['seconds']:.0f} s: "
        f"{found['searches_per_second']:.0f} searches a second, "
        f"errors: {found['errors'] or 'none'}",
        f"server: {found['processes']} processes, "
        f"{found['server_cpu_ms_per_request']:.2f} ms of CPU a request, memory "
        f"{memory['first']:.0f} MB at first, {memory['most']:.0f} at most, {memory['last']:.0f} "
        f"at last; clients: {found['client_cores']:.2f} of a core",
    ]
    title = f"{found['clients']} clients, {found['workers']} workers"
    return Sheet(title, ["request", "number", "p50, ms", "p99, ms", "max, ms"], rows, notes)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("--make", action="store_true", help="make the index")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--warm", type=float, default=20.0, help="seconds that do not count")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.make:
        make(options.index)
        return
    console = Console(width=120)
    console.print(machine.describe())
    with server(options.index, options.workers) as (process, port):
        until_ready(port)
        time.sleep(5)  # it makes itself ready in the background
        found = asyncio.run(load(port, family(process), options))
    console.print(printed(sheet(found)))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
