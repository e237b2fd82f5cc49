"""How much each word of a document did to carry it in a direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow.model.attribution import shared_out
from undertow.vectors.joining import unit

if TYPE_CHECKING:
    from scipy import sparse

    from undertow.estimators.replicated_softmax import ReplicatedSoftmax

# the kind of vectors that topics are made of, which may have no negative number
COMPARED = "strength"


def word_parts(
    softmax: ReplicatedSoftmax, counts: sparse.csr_array, direction: NDArray[np.float32]
) -> sparse.csr_array:
    """Each unit's part of the product with a direction, shared out to the words that pushed the
    unit up. `counts` are as the model takes them in.
    """
    if len(direction) > softmax.parameters_.units:  # a joined one: units say the first side of it
        direction = unit(direction[None, : softmax.parameters_.units])[0]
    parts = unit(softmax._encoded(counts, COMPARED)).astype(np.float64) * direction
    return shared_out(softmax.parameters_, counts, parts)
