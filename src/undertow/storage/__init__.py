"""Model folders: JSON and safetensors, versioned, checked when read and replaced whole when written. No pickle.

`write_folder` and `read_folder` carry any arrays and manifest under a `kind`; `save_model` and `load_model` are what a
trained model looks like in them.
"""

from undertow.storage.checkpoint import resume_run, save_run
from undertow.storage.files import write_text
from undertow.storage.folder import read_folder, write_folder
from undertow.storage.model import StoredModel, load_model, save_model

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
