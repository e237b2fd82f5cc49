"""How many threads a minibatch is worth."""

from __future__ import annotations

import pytest

from undertow.engines.cpu.gradient import MOST_WORKERS, Slots, workers_for


@pytest.mark.parametrize(
    ("documents", "threads", "workers"),
    [(1, 16, 1), (32, 16, 1), (33, 16, 2), (128, 16, 4), (128, 3, 3), (1024, 16, MOST_WORKERS)],
)
def test_each_worker_has_a_shard_at_least(documents: int, threads: int, workers: int) -> None:
    assert workers_for(documents, threads) == workers


def test_more_threads_never_make_fewer_workers() -> None:
    for documents in (1, 70, 128, 1000):
        numbers = [workers_for(documents, threads) for threads in range(1, 40)]
        assert numbers == sorted(numbers)


def test_words_have_a_part_for_each_worker() -> None:
    slots = Slots(100)
    assert [len(slots.of(workers)) for workers in (1, 2, 3, 4, 5)] == [1, 2, 4, 4, 8]
    assert slots.of(3) is slots.of(4)
    assert (slots.of(5) == -1).all()
