"""The kinds of cells: a trained model judged by its vectors or by its perplexity, one that labels
fine-tuned, a baseline, and a stopwatch.
"""

from undertow.paper.kinds.baseline import BaselineCell
from undertow.paper.kinds.density import DensityCell
from undertow.paper.kinds.fine_tuned import FineTunedCell
from undertow.paper.kinds.model import ModelCell
from undertow.paper.kinds.timing import Timed, TimingCell, milliseconds

__all__ = [
    "BaselineCell",
    "DensityCell",
    "FineTunedCell",
    "ModelCell",
    "Timed",
    "TimingCell",
    "milliseconds",
]
