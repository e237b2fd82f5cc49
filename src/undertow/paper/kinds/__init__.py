"""The kinds of cells: a trained model, a baseline, and a stopwatch."""

from undertow.paper.kinds.baseline import BaselineCell
from undertow.paper.kinds.model import ModelCell
from undertow.paper.kinds.timing import TimingCell

__all__ = ["BaselineCell", "ModelCell", "TimingCell"]
