"""An index for assistants: its documents and topics as tools of the Model Context Protocol (extra
`mcp`).

`records` says what tools answer with, `reading` finds it in an index, and `server` speaks the
protocol. Everything is read, nothing is written. The protocol's SDK is loaded by `server` alone.

Examples
--------
An index of three documents. The examples of this package go on from it.

>>> import undertow
>>> texts = ["a rocket flew to the moon", "the moon and its orbit", "ripe apples and pears"]
>>> model = undertow.TopicModel(8, max_epochs=5, random_state=0).fit(texts * 20)
>>> index = undertow.Index.create("library", model, texts)
"""

from undertow.assistant.reading import Reader, check_extra

__all__ = ["Reader", "check_extra"]
