"""Every exception that undertow raises on purpose.

::

    UndertowError
    ├── InvalidInput (also ValueError)      an argument or a document that cannot be used
    ├── TrainingDiverged (also ArithmeticError)  a loss or a parameter became infinite or NaN
    ├── ModelFileError (also ValueError)    a model folder that cannot be trusted
    │   └── NewerFormat                     written by a later version of undertow
    ├── IndexFileError (also ValueError)    a search index that cannot be used
    │   └── NewerIndex                      written by a later version of undertow
    ├── ClusterError (also RuntimeError)    a cluster that does not answer, or keeps losing workers
    ├── DeviceError (also RuntimeError)     a card without room, or that kernels cannot be built for
    └── ForkedProcess (also RuntimeError)   texts in a forked child, where polars would hang

Messages name the argument, what it must be and what came.
"""


class UndertowError(Exception):
    """Base class of all of them."""


class InvalidInput(UndertowError, ValueError):
    """An argument or a document that cannot be used."""


class TrainingDiverged(UndertowError, ArithmeticError):
    """A loss or a parameter became infinite or NaN."""


class ModelFileError(UndertowError, ValueError):
    """A model folder that is truncated, edited, mismatched or not a model folder."""


class NewerFormat(ModelFileError):
    """A model folder written by a later version of undertow."""


class IndexFileError(UndertowError, ValueError):
    """A search index that is unfinished, edited, mismatched or none at all."""


class NewerIndex(IndexFileError):
    """A search index written by a later version of undertow."""


class ClusterError(UndertowError, RuntimeError):
    """A cluster that does not answer, or that loses workers again and again."""


class DeviceError(UndertowError, RuntimeError):
    """A card that is out of memory, or that kernels cannot be built for on this machine."""


class ForkedProcess(UndertowError, RuntimeError):
    """Texts in a forked child of a process that had read some, where polars would hang."""
