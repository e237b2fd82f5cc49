"""Arrays in, arrays out: everything whose time matters, and the slow float64 versions that it is
tested against.

- `randomness`: the counter-based random numbers, as NumPy functions; every device draws the same.
- `reference`: the mathematics in plain NumPy and float64, on small dense arrays: the oracle.
- `cpu`: the same in loops compiled by numba, for two cores as for many.

Another device is another package beside `cpu` with the same names.
"""
