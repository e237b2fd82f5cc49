"""Counts on disk: a folder that documents are appended to, and minibatches read from it ahead of
those who use them.
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
