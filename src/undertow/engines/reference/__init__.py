"""The engine that others are held against: the mathematics of `kernels.reference`, verb by verb.

- `engine`: encoding, sampling, and where sessions begin.
- `session`: a training run; keeping, drawing and contrasting are in `noise_contrast`.
- `documents`, `gradient`: minibatches and gradients, written out.
"""

from undertow.engines.reference.engine import ReferenceEngine

__all__ = ["ReferenceEngine"]
