"""The same mathematics in plain NumPy and float64, on small dense arrays: slow, obvious, and what
the kernels are tested against.

- `energies`: the model.
- `draws`: every random draw, token by token; `gibbs`, `metropolis`: chains.
- `steps`: optimizers and running averages, row by row.
- `hamming`: the nearest codes.
- `objectives`: alpha-NCE and the sparsity penalty with their gradients; `ratio_matching`: likewise.
"""
