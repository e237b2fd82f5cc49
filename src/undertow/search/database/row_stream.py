"""Rows that are made while the database writes them: it asks for more when it can take them, from
a thread of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


class RowStream:
    """Tables, one below the other, as a reader for the database; an error in making one ends the
    whole.
    """

    def __init__(self, schema: pa.Schema, pieces: Iterable[pa.Table]) -> None:
        import pyarrow as pa

        self.trouble: BaseException | None = None  # what ended it early
        self._stopped = False
        self.reader = pa.RecordBatchReader.from_batches(schema, self._batches(pieces))

    def stop(self) -> None:
        """No more rows: the next that is asked for is an error, so that nothing of it is
        committed.
        """
        self._stopped = True

    def _batches(self, pieces: Iterable[pa.Table]) -> Iterator[pa.RecordBatch]:
        try:
            for piece in pieces:
                if self._stopped:
                    raise InterruptedError("stopped")
                yield from piece.to_batches()
            if self._stopped:
                raise InterruptedError("stopped")
        except GeneratorExit:  # the database asks for no more, having trouble of its own
            raise
        except BaseException as error:
            self.trouble = error
            raise
