"""The explorer: topics, documents, search, map and training of an index or a model, in a browser
(extra `explorer`).

`source` opens what is shown; `app` answers requests, and `serve` listens. Everything is read,
nothing is written but the overview of an index, which `undertow.insight` keeps beside it, and
topics where the explorer was started to edit them. The web framework is loaded by `app` and `serve`
alone.
"""

from undertow.explorer.source import Source

__all__ = ["Source"]
