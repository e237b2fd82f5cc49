"""The names that a session holds things under, on which engines and `learn` agree."""

from __future__ import annotations

PARAMETERS = "parameters."
OPTIMIZER = "optimizer."  # moments and velocities
AVERAGE = "average."  # the average of each parameter that is learned
AVERAGED_UNTIL = AVERAGE + "until"  # (K,) the step that the average of each row of W has come to
STARTED = ".started"  # behind the name of persistent chains: which documents have one
