"""Asking for memory before it is needed.

Rows of a large W are scattered over main memory. A loop that knows which row comes next asks for it
early, so that the processor waits once for many rows instead of once for each.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from undertow.kernels.cpu.compile import piece

AHEAD = 12  # rows between asking and using
FAR_AHEAD = 32  # the same for single numbers
LINE = 16  # float32 numbers in a cache line


def prefetch_address(builder: Any, address: Any, *, to_write: bool = False) -> None:
    """Emits the instruction that asks for the cache line of an address, to be kept close."""
    byte_pointer, integer = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte_pointer, integer, integer, integer])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    purpose, close, data = (ir.Constant(integer, value) for value in (int(to_write), 3, 1))
    builder.call(function, [builder.bitcast(address, byte_pointer), purpose, close, data])


def _prefetcher(to_write: bool) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]  # numba has no stubs
    def prefetch(_context: Any, array: Any, _index: Any) -> Any:
        """Asks for the cache line of element `index` of a contiguous one-dimensional array."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            view = context.make_array(signature.args[0])(context, builder, arguments[0])
            prefetch_address(builder, builder.gep(view.data, [arguments[1]]), to_write=to_write)
            return context.get_dummy_value()

        return types.none(array, types.intp), generate

    return prefetch


_prefetch, _prefetch_to_write = _prefetcher(False), _prefetcher(True)


@piece
def prefetch_number(array: Any, index: Any) -> None:
    """Asks for one number of a vector."""
    _prefetch(array, index)


@piece
def prefetch_row(row: Any) -> None:
    """Asks for a row of single-precision numbers."""
    for j in range(0, row.size, LINE):
        _prefetch(row, j)


@piece
def prefetch_row_to_write(row: Any) -> None:
    """The same for a row that is going to change: other cores then give up their copies in time."""
    for j in range(0, row.size, LINE):
        _prefetch_to_write(row, j)
