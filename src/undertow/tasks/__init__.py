"""What document vectors are for, measured: retrieval and classification by label, and split-half retrieval without.

Pure functions of vectors, whatever model they came from. `split_half` also splits the counts that vectors are made
of; nothing here trains or stores a model.
"""

from undertow.tasks.classification import ProbeResult, probe_accuracy
from undertow.tasks.coherence import diversity, npmi
from undertow.tasks.retrieval import mean_average_precision, precision_recall_curve
from undertow.tasks.split_half import split_half_mrr, split_half_score, split_halves, splittable

__all__ = [
    "ProbeResult",
    "diversity",
    "mean_average_precision",
    "npmi",
    "precision_recall_curve",
    "probe_accuracy",
    "split_half_mrr",
    "split_half_score",
    "split_halves",
    "splittable",
]
