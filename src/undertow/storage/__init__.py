"""Model folders: JSON and safetensors, versioned, checked when read and replaced whole when
written. No pickle.

`write_folder` and `read_folder` carry any arrays and manifest under a `kind`; `save_model` and
`load_model` are what a trained model looks like in them.

Examples
--------
Parameters of three words and two hidden units, and how a run of them begins. The examples of this
package go on from here.

>>> import numpy as np
>>> from undertow.counts import CsrSource, checked_counts
>>> from undertow.learn import Run, Settings, train
>>> from undertow.model import initial_parameters
>>> p = np.array([0.4, 0.3, 0.3])
>>> parameters = initial_parameters(2, p, np.ones(3), seed=0)
>>> source = CsrSource(checked_counts([[3, 0, 1], [0, 2, 2], [1, 1, 0]]))
>>> def begin():
...     return Run(parameters, p, Settings(), documents=source.documents, longest=source.longest)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.storage.checkpoint import resume_run, save_run
    from undertow.storage.files import write_text
    from undertow.storage.folder import read_folder, write_folder
    from undertow.storage.model import StoredModel, load_model, save_model

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.storage.checkpoint": ("resume_run", "save_run"),
        "undertow.storage.files": ("write_text",),
        "undertow.storage.folder": ("read_folder", "write_folder"),
        "undertow.storage.model": ("StoredModel", "load_model", "save_model"),
    },
)

__all__ = [
    "StoredModel",
    "load_model",
    "read_folder",
    "resume_run",
    "save_model",
    "save_run",
    "write_folder",
    "write_text",
]
