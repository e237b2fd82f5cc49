"""Corpora to try things on."""

from undertow.datasets.python_docs import Document, load_python_docs

__all__ = ["Document", "load_python_docs"]
