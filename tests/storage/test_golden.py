"""Model folders of earlier versions load for ever.

`golden/v1` was written once, by undertow 0.1.0, and is NEVER regenerated: a change that makes this
test fail makes the models of users unreadable. A new format gets a folder of its own beside it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from undertow.storage import load_model

GOLDEN = Path(__file__).parent / "golden"


def test_version_1() -> None:
    model = load_model(GOLDEN / "v1")
    parameters = model.parameters
    assert parameters.weights.dtype == np.float32
    assert parameters.weights.tolist() == [
        [0.5, -1.25, 2.0],
        [0.0, 0.125, -0.0625],
        [-3.5, 4.75, 1.0],
        [0.10000000149011612, -0.20000000298023224, 0.30000001192092896],
        [1.0000000031710769e-30, -65504.0, 16777216.0],
    ]
    assert parameters.hidden_bias.dtype == np.float32
    assert parameters.hidden_bias.tolist() == [-0.75, 0.0, 1.5]
    assert parameters.visible_bias.dtype == np.float32
    assert parameters.visible_bias.tolist() == [-1.0, -2.0, -0.5, -2.5, -3.25]
    assert parameters.word_weights.dtype == np.float32
    assert parameters.word_weights.tolist() == [1.0, 0.0, 2.5, 0.25, 3.0]
    assert model.noise_distribution is not None
    assert model.noise_distribution.dtype == np.float64
    assert model.noise_distribution.tolist() == [0.1, 0.2, 0.3, 0.15, 0.25]
    assert model.vocabulary == ("sea", "tide", "Strömung", "波", "undertow")
    assert model.training == {
        "learner": "alpha-nce",
        "alpha": 0.5,
        "noise_per_document": 25,
        "epochs": 12,
        "idf": True,
        "log_z": None,
        "losses": [2.5, 1.75, 1.0625],
        "note": "écrit à la main",
    }
