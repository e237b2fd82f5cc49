"""The explorer: topics, documents, search, map and training of an index or a model, in a browser
(extra `explorer`).

`source` opens what is shown; `app` answers requests, and `serve` listens. Everything is read,
nothing is written but the overview of an index, which `undertow.insight` keeps beside it, and
topics where the explorer was started to edit them. The web framework is loaded by `app` and `serve`
alone.

Examples
--------
An index of three documents. The examples of this package go on from it.

>>> import undertow
>>> texts = ["a rocket flew to the moon", "the moon and its orbit", "ripe apples and pears"]
>>> model = undertow.TopicModel(8, max_epochs=5, random_state=0).fit(texts * 20)
>>> index = undertow.Index.create("library", model, texts)
"""

from undertow.explorer.source import Source

__all__ = ["Source"]
