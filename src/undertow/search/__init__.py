"""Search: a corpus and a model become one folder that answers questions (extra `search`, LanceDB).

`Index` is what users meet. Filters are a small language of our own (`_grammar`), turned into the database's by
`_where`; `_store` is the only module that talks to the database, which is loaded when an index is made or opened.
"""

from undertow.search._reasons import Reason, WordPart
from undertow.search._results import Added, Deleted, Document, Hit
from undertow.search.index import Index

__all__ = ["Added", "Deleted", "Document", "Hit", "Index", "Reason", "WordPart"]
