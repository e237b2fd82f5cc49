"""The engine of this machine's cores.

- `engine`: encoding, sampling, and where sessions begin.
- `session`: a training run; its verbs are in `contrast`, `divergence`, `gathered` and `updates`.
- `minibatch`, `workspace`: arrays that are kept from step to step.
- `gradient`: what a step hands to the next verb.
"""

from undertow.engines.cpu.engine import CpuEngine

__all__ = ["CpuEngine"]
