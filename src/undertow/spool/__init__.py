"""Counts on disk: a folder that documents are appended to, and minibatches read from it ahead of
those who use them.

Examples
--------
A spool of three documents of four words, the last of which is empty. The examples of this package
go on from it.

>>> from undertow.counts import checked_counts
>>> from undertow.spool import SpoolWriter
>>> writer = SpoolWriter("spool", words=4)
>>> writer.add(checked_counts([[2, 0, 1, 0], [0, 8, 1, 0], [0, 0, 0, 0]]))
>>> spool = writer.close()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.spool.count_spool import CountSpool, SpoolWriter
    from undertow.spool.spooled_source import SpooledSource

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.spool.count_spool": ("CountSpool", "SpoolWriter"),
        "undertow.spool.spooled_source": ("SpooledSource",),
    },
)

__all__ = ["CountSpool", "SpoolWriter", "SpooledSource"]
