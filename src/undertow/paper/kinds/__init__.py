"""The kinds of cells: a trained model, one that labels fine-tuned, a baseline, and a stopwatch."""

from undertow.paper.kinds.baseline import BaselineCell
from undertow.paper.kinds.fine_tuned import FineTunedCell
from undertow.paper.kinds.model import ModelCell
from undertow.paper.kinds.timing import TimingCell

__all__ = ["BaselineCell", "FineTunedCell", "ModelCell", "TimingCell"]
