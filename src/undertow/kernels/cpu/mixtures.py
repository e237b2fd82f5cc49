"""Documents as mixtures of directions with shares that are not negative: least squares, one
coordinate at a time.

Every document is solved by itself, from zero, so results do not depend on how documents are divided
among threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from undertow.kernels.cpu.compile import kernel


@kernel
def mix(
    first: int, last: int, gram: Any, products: Any, shares: Any, rounds: int, tolerance: float
) -> None:
    """shares[d] = the x >= 0 that minimises x.gram.x / 2 - x.products[d].

    A coordinate that stays 0 costs one comparison, and most do. A document is done when no
    coordinate moves by more than the tolerance.
    """
    n = gram.shape[0]
    left = np.empty(n)  # products - gram.x
    for document in range(first, last):
        for i in range(n):
            left[i] = products[document, i]
            shares[document, i] = 0.0
        for _ in range(rounds):
            moved = 0.0
            for i in range(n):
                old = shares[document, i]
                new = max(old + left[i] / gram[i, i], 0.0)
                step = new - old
                if step != 0.0:
                    shares[document, i] = new
                    for j in range(n):
                        left[j] -= step * gram[i, j]
                    moved = max(moved, abs(step))
            if moved <= tolerance:
                break
