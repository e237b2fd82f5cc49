"""Engines: what computes with models. `protocol` is the line between the algorithm and the machine.

"cpu" is this machine's cores; "torch" one GPU, or torch's own CPU device; "reference" the same in
plain NumPy and float64, slow and obvious. An engine of your own is made known by `register_engine`.
"""

from undertow.engines.devices import check_device
from undertow.engines.names import AVERAGE, AVERAGED_UNTIL, OPTIMIZER, PARAMETERS, STARTED
from undertow.engines.protocol import (
    AdamRule,
    Counted,
    Engine,
    Gradient,
    MomentumRule,
    Neighbours,
    Noise,
    Objective,
    Place,
    Pressure,
    Session,
    Start,
    Steps,
    WordLists,
)
from undertow.engines.registry import engine_names, find_engine, register_engine

__all__ = [
    "AVERAGE",
    "AVERAGED_UNTIL",
    "OPTIMIZER",
    "PARAMETERS",
    "STARTED",
    "AdamRule",
    "Counted",
    "Engine",
    "Gradient",
    "MomentumRule",
    "Neighbours",
    "Noise",
    "Objective",
    "Place",
    "Pressure",
    "Session",
    "Start",
    "Steps",
    "WordLists",
    "check_device",
    "engine_names",
    "find_engine",
    "register_engine",
]
