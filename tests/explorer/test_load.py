"""Many clients for a while: no error, and memory that does not grow."""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from pathlib import Path

import pytest

from benchmarks import load

WORDS = ("rocket", "orbit", "moon", "apple", "pear", "wheel", "gear", "violin", "melody", "rokcet")
ROUNDS = 12  # of five seconds


@pytest.mark.torture
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("workers", [1, 2])
def test_two_hundred_clients(small_index: Path, workers: int) -> None:
    questions = itertools.permutations(WORDS, 3)
    modes = itertools.cycle(("hybrid", "text", "semantic", "code"))
    searches = (
        ("hybrid", f"/api/search?q={'+'.join(words)}&mode={mode}")
        for words, mode in zip(itertools.cycle(questions), modes, strict=False)
    )
    documents = (("document", f"/api/documents/d{number % 300}") for number in itertools.count())
    nearest = (("nearest", f"/api/nearest/d{number % 300}") for number in itertools.count(100))
    asked = (one for three in zip(searches, documents, nearest, strict=False) for one in three)
    with load.server(small_index, workers) as (process, port):
        load.until_ready(port)
        clients, memory = load.Clients(port, asked), []

        async def ask() -> None:
            until = time.perf_counter() + 5
            await asyncio.gather(*[clients.client(until) for _ in range(200)])

        for _ in range(ROUNDS):
            asyncio.run(ask())
            memory.append(load.megabytes(load.family(process)))
    assert not clients.errors
    assert min(map(len, clients.taken.values())) > 0
    assert max(memory[ROUNDS // 2 :]) < 1.2 * max(memory[: ROUNDS // 2])
