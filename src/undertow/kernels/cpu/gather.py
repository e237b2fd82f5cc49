"""Sums of scattered rows, total += sum over i of coefficients[i] * rows[indices[i]], kept in
registers.

Left to the compiler, the running total goes through memory at every row. Here a block of up to 128
columns is one vector value from the first row to the last, which takes half the time.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from undertow.kernels.cpu.compile import shared
from undertow.kernels.cpu.prefetch import AHEAD, LINE, prefetch_address

WORD = ir.IntType(64)


def _block_sum(width: int) -> Any:
    """An intrinsic that adds rows to `width` columns of the total, from `column` on."""

    @intrinsic  # type: ignore[untyped-decorator]  # numba has no stubs
    def add_block(
        _context: Any,
        total: Any,
        rows: Any,
        indices: Any,
        coefficients: Any,
        _first: Any,
        _last: Any,
        _limit: Any,
        _column: Any,
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            arrays = [
                context.make_array(kind)(context, builder, value)
                for kind, value in zip(signature.args[:4], arguments[:4], strict=True)
            ]
            first, last, limit, column = arguments[4:]
            columns = cgutils.unpack_tuple(builder, arrays[1].shape, 2)[1]

            def row_address(entry: Any) -> Any:
                index = builder.sext(builder.load(builder.gep(arrays[2].data, [entry])), WORD)
                return builder.gep(
                    arrays[1].data, [builder.add(builder.mul(index, columns), column)]
                )

            vector = ir.VectorType(ir.FloatType(), width)
            target = builder.bitcast(builder.gep(arrays[0].data, [column]), vector.as_pointer())
            running = cgutils.alloca_once_value(builder, builder.load(target, align=4))
            with cgutils.for_range_slice(builder, first, last, ir.Constant(WORD, 1)) as (entry, _):
                soon = builder.add(entry, ir.Constant(WORD, AHEAD))
                with builder.if_then(builder.icmp_signed("<", soon, limit), likely=True):
                    coming = row_address(soon)
                    for line in range(0, width, LINE):
                        prefetch_address(builder, builder.gep(coming, [ir.Constant(WORD, line)]))
                row = builder.load(
                    builder.bitcast(row_address(entry), vector.as_pointer()), align=4
                )
                factor = _repeated(
                    builder, builder.load(builder.gep(arrays[3].data, [entry])), vector
                )
                product = builder.fmul(row, factor, flags=("contract",))
                builder.store(
                    builder.fadd(builder.load(running), product, flags=("contract",)), running
                )
            builder.store(builder.load(running), target, align=4)
            return context.get_dummy_value()

        whole = (types.intp,) * 4
        return types.none(total, rows, indices, coefficients, *whole), generate

    return add_block


def _repeated(builder: Any, number: Any, vector: Any) -> Any:
    """A vector whose every element is `number`."""
    undefined = ir.Constant(vector, ir.Undefined)
    single = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    places = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(single, undefined, places)


_add_128, _add_64, _add_16, _add_1 = (_block_sum(width) for width in (128, 64, 16, 1))


@shared
def add_rows(
    total: Any, rows: Any, indices: Any, coefficients: Any, first: int, last: int, limit: int
) -> None:
    """Adds entries `first` to `last`, in this order. Rows of entries up to `limit` are asked for
    ahead of time, for whoever adds those next. `rows` (N, H) and `total` (H,) are contiguous.
    """
    column, units = 0, rows.shape[1]
    while column + 128 <= units:
        _add_128(total, rows, indices, coefficients, first, last, limit, column)
        column += 128
    while column + 64 <= units:
        _add_64(total, rows, indices, coefficients, first, last, limit, column)
        column += 64
    while column + 16 <= units:
        _add_16(total, rows, indices, coefficients, first, last, limit, column)
        column += 16
    while column < units:
        _add_1(total, rows, indices, coefficients, first, last, limit, column)
        column += 1
