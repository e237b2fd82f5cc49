"""The hot loops, compiled by numba.

Every kernel takes a range `first` to `last` of the items that it works on (documents, stream
positions, blocks of hidden units, touched rows) and writes to arrays that it is given. Each output
element is computed by one call, in an order that does not depend on where the range begins or ends,
so any split over threads gives the same bits.
"""
