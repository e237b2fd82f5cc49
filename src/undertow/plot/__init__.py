"""Figures of a model and its documents, as plotly figures: for notebooks and the explorer.

They need the extra: pip install 'undertow[explorer]'. Backgrounds are transparent, and the colours
can be told apart on light and dark pages with every kind of colour vision. A topic has one colour
in all figures of a cut.

Examples
--------
>>> import undertow
>>> space = ["a rocket flew to the moon", "the moon and its orbit", "a probe left the orbit"]
>>> food = ["ripe apples and pears", "a cake of sweet pears", "apples in a honey cake"]
>>> texts = (space + food) * 20
>>> model = undertow.TopicModel(16, max_epochs=5, random_state=0).fit(texts)
>>> figure = undertow.plot.topics(model, 2)
>>> figure.write_html("topics.html")  # or `figure` at the end of a cell of a notebook
"""

from __future__ import annotations

from undertow.plot._history import history
from undertow.plot._map import map
from undertow.plot._over_time import over_time
from undertow.plot._similarity import similarity
from undertow.plot._stability import stability
from undertow.plot._topics import topic, topics
from undertow.plot._tree import tree
from undertow.plot._units import unit, units

__all__ = [
    "history",
    "map",
    "over_time",
    "similarity",
    "stability",
    "topic",
    "topics",
    "tree",
    "unit",
    "units",
]
