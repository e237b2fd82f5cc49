"""Corpora to try things on.

`load_20newsgroups` and `load_imdb` give polars DataFrames with the columns id, split, label and
text, as the readers of corpora do; they are read from `UNDERTOW_DATA`, from a cache, or downloaded.
`load_python_docs` needs no file at all.
"""

from undertow.datasets.imdb import load_imdb
from undertow.datasets.newsgroups import load_20newsgroups
from undertow.datasets.python_docs import DocumentedObject, load_python_docs

__all__ = ["DocumentedObject", "load_20newsgroups", "load_imdb", "load_python_docs"]
