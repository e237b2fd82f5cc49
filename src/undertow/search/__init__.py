"""Search: a corpus and a model become one folder that answers questions (extra `search`, LanceDB).

`Index` is what users meet. Filters are a small language of our own (`_grammar`), turned into the database's by
`_where`; `_store` is the only module that talks to the database, which is loaded when an index is made or opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.search._reasons import Reason, WordPart
    from undertow.search._results import Added, Deleted, Document, Hit
    from undertow.search.index import Index

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.search._reasons": ("Reason", "WordPart"),
        "undertow.search._results": ("Added", "Deleted", "Document", "Hit"),
        "undertow.search.index": ("Index",),
    },
)

__all__ = ["Added", "Deleted", "Document", "Hit", "Index", "Reason", "WordPart"]
