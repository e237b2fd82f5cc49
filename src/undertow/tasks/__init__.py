"""What document vectors are for, measured: retrieval and classification by label, and two kinds of
retrieval without.

Pure functions of vectors, whatever model they came from. `split_half` also splits the counts that
vectors are made of; nothing here trains or stores a model.

Examples
--------
Vectors of six documents, and the label of each. The examples of this package use them.

>>> import numpy as np
>>> from scipy import sparse
>>> vectors = np.array([[4, 1], [3, 1], [2, 1], [1, 4], [1, 3], [1, 2]])
>>> labels = ["sea", "sea", "sea", "sky", "sky", "sky"]
"""

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.tasks.classification import ProbeResult, probe_accuracy
    from undertow.tasks.coherence import diversity, npmi
    from undertow.tasks.retrieval import (
        RetrievalFigures,
        mean_average_precision,
        precision_at,
        precision_recall_curve,
        retrieval_figures,
    )
    from undertow.tasks.split_half import split_half_mrr, split_half_score, split_halves, splittable
    from undertow.tasks.unseen_half import UnseenHalves
    from undertow.tasks.windows import c_npmi, c_v

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.tasks.classification": ("ProbeResult", "probe_accuracy"),
        "undertow.tasks.coherence": ("diversity", "npmi"),
        "undertow.tasks.retrieval": (
            "RetrievalFigures",
            "mean_average_precision",
            "precision_at",
            "precision_recall_curve",
            "retrieval_figures",
        ),
        "undertow.tasks.split_half": (
            "split_half_mrr",
            "split_half_score",
            "split_halves",
            "splittable",
        ),
        "undertow.tasks.unseen_half": ("UnseenHalves",),
        "undertow.tasks.windows": ("c_npmi", "c_v"),
    },
)

__all__ = [
    "ProbeResult",
    "RetrievalFigures",
    "UnseenHalves",
    "c_npmi",
    "c_v",
    "diversity",
    "mean_average_precision",
    "npmi",
    "precision_at",
    "precision_recall_curve",
    "probe_accuracy",
    "retrieval_figures",
    "split_half_mrr",
    "split_half_score",
    "split_halves",
    "splittable",
]
