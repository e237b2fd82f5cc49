"""Peaks of memory while a spool is written and read, in a process of their own: what other threads
allocate (of a server, of a cluster) would be counted, and so would kernels that are loaded.

    python -m tests.spool.peaks FOLDER
"""

from __future__ import annotations

import json
import sys
import tracemalloc
from pathlib import Path

from tests.spool.test_count_spool import make_counts
from undertow.spool import SpooledSource, SpoolWriter

WORDS, BLOCK, GROUP = 50, 50, 20  # documents of a block, blocks of a group


def measure(folder: Path, groups: int, epochs: int) -> tuple[int, int]:
    """While so many groups are written, and while they pass so many times."""
    chunk = make_counts(BLOCK * GROUP // 2, words=WORDS)
    tracemalloc.start()
    writer = SpoolWriter(folder, WORDS, block_documents=BLOCK)
    for _ in range(groups * 2):
        writer.add(chunk)
    writing = tracemalloc.get_traced_memory()[1]
    spool = writer.close()
    tracemalloc.reset_peak()
    source = SpooledSource(spool, group=GROUP)
    for epoch in range(epochs):
        batches = source.batches(seed=0, epoch=epoch, batch_size=64)
        assert sum(batch.size for batch in batches) == source.documents > groups * 800
    reading = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return writing, reading


def main(folder: Path) -> None:
    """Of 4 groups and of 32. Whether one is read just when another is taken apart is up to two
    threads: so each has 64 groups to pass in all, and as many chances.
    """
    measure(folder / "loads kernels", 2, 1)
    found = {str(groups): measure(folder / str(groups), groups, 64 // groups) for groups in (4, 32)}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
