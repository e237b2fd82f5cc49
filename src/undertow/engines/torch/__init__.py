"""The engine of PyTorch: one GPU, or torch's own CPU device, where the same code runs.

- `engine`: encoding, sampling, and where sessions begin.
- `session`: a training run; its verbs are in `noise_contrast`, `divergence` (by `gibbs` or
  `metropolis`), `ratios`, `gathered` and `updates`, and what survives is `held`.
- `documents`, `draws`, `philox`: minibatches on the device, and every draw of one.
- `noise`: words that replace a document's own, summed, and the way back from them.
- `sums`: sums in a fixed order, so that the same seed gives the same bits on the same device.
- `gradient`: what a step hands to the next verb.
- `troubles`: what a user can do where a card is out of memory, or no kernel can be built.
- `stretch`, `device_source` and `triton_...`: many steps at once on a card, in fused kernels.
"""

from undertow.engines.torch.engine import TorchEngine

__all__ = ["TorchEngine"]
