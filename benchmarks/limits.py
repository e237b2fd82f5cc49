"""What this machine can do at best, measured: exponentials, random numbers and bytes a second, by
threads.

Bytes are those of rows of 512 bytes read in random order (as W, prefix sums and gradients are
read), from a table that fits the cache of a core, the cache that cores share, or neither.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from undertow.kernels.cpu import pool
from undertow.kernels.cpu.compile import kernel
from undertow.kernels.cpu.gather import add_rows
from undertow.kernels.cpu.philox import philox
from undertow.kernels.cpu.vector_math import squash

UNITS = 128
TABLES = {"core": 2**19, "shared": 2**22, "memory": 2**29}  # bytes
ROUNDS = 9


@kernel
def _squash(rows: Any, rounds: int) -> float:
    total = 0.0
    for _ in range(rounds):
        for i in range(rows.shape[0]):
            total += squash(rows[i])
            for j in range(rows.shape[1]):
                rows[i, j] += np.float32(0.1)  # or they would soon all be alike
    return total


@kernel
def _draw(calls: int) -> Any:
    total = np.uint64(0)
    for i in range(calls):
        b0, b1, b2, b3 = philox(1, 2, 3, 4, 5, i)
        total += b0 ^ b1 ^ b2 ^ b3
    return total


@kernel
def _read(total: Any, table: Any, order: Any, ones: Any) -> None:
    add_rows(total, table, order, ones, 0, order.size, order.size)


@kernel
def _write(table: Any, order: Any) -> None:
    for i in range(order.size):
        row = table[order[i]]
        for j in range(row.size):
            row[j] += np.float32(1.0)


def measure() -> dict[str, dict[str, float]]:
    """Rates of one thread and of two together, by what is counted."""
    found: dict[str, dict[str, float]] = {}
    for n_threads in (1, 2):
        rates = {
            "exponentials": _exponentials(n_threads),
            "random_numbers": _random_numbers(n_threads),
        }
        for place, size in TABLES.items():
            rates |= {
                f"bytes_{place}": _bytes(size, n_threads, changed=False),
                f"bytes_changed_{place}": _bytes(size, n_threads, changed=True),
            }
        found[str(n_threads)] = rates
    return found


def products(n_threads: int) -> float:
    """Operations a second of a matrix product as CD needs it, documents x hidden units times hidden
    units x words.
    """
    hidden, words = (
        np.ones((128, UNITS), dtype=np.float32),
        np.ones((20_000, UNITS), dtype=np.float32),
    )
    out, best = np.empty((128, 20_000), dtype=np.float32), 0.0
    with threadpool_limits(n_threads, user_api="blas"):
        for _ in range(ROUNDS):
            began = time.perf_counter()
            np.matmul(hidden, words.T, out=out)
            best = max(best, 2 * 128 * UNITS * 20_000 / (time.perf_counter() - began))
    return best


def _exponentials(n_threads: int) -> float:
    rounds, rows = 400, 16
    tables = [
        np.random.default_rng(i).normal(size=(rows, UNITS)).astype(np.float32)
        for i in range(n_threads)
    ]
    return _rate(lambda i: _squash(tables[i], rounds), rounds * rows * UNITS, n_threads)


def _random_numbers(n_threads: int) -> float:
    calls = 50_000
    return _rate(lambda i: _draw(calls), 4 * calls, n_threads)


def _bytes(size: int, n_threads: int, *, changed: bool) -> float:
    rows = size // (4 * UNITS)
    reads = max(20_000, min(rows, 100_000))
    table = np.ones((rows, UNITS), dtype=np.float32)
    tables = [table if size > TABLES["shared"] else table.copy() for _ in range(n_threads)]
    orders = [
        np.random.default_rng(i).integers(0, rows, reads).astype(np.int32) for i in range(n_threads)
    ]
    ones, totals = np.ones(reads, dtype=np.float32), np.zeros((n_threads, UNITS), dtype=np.float32)

    def work(i: int) -> None:
        if changed:
            _write(tables[i], orders[i])
        else:
            _read(totals[i], tables[i], orders[i], ones)

    return _rate(work, reads * 4 * UNITS, n_threads)


def _rate(work: Callable[[int], Any], amount: int, n_threads: int) -> float:
    """What all threads do in a second; the best of several rounds, since others on the machine only
    slow it down.
    """
    tasks = [(work, (i,)) for i in range(n_threads)]
    best = 0.0
    for _ in range(ROUNDS):
        began = time.perf_counter()
        pool.run(tasks, n_threads)
        best = max(best, n_threads * amount / (time.perf_counter() - began))
    return best
