"""Figures of a model and its documents, as plotly figures: for notebooks, reports and the explorer.

They need the extra: pip install 'undertow[explorer]'. Backgrounds are transparent, and the colours can be told apart
on light and dark pages with every kind of colour vision.
"""

from __future__ import annotations

from undertow.plot._documents import documents
from undertow.plot._history import history
from undertow.plot._over_time import over_time
from undertow.plot._similarity import similarity
from undertow.plot._topics import topic, topics

__all__ = ["documents", "history", "over_time", "similarity", "topic", "topics"]
