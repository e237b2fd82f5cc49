"""Models for places where undertow is not installed: one file that needs NumPy alone.

Examples
--------
>>> import undertow
>>> space = ["a rocket flew to the moon", "the moon and its orbit", "a probe left the orbit"]
>>> food = ["ripe apples and pears", "a cake of sweet pears", "apples in a honey cake"]
>>> texts = (space + food) * 20
>>> model = undertow.TopicModel(16, stop_words="english", max_epochs=5, random_state=0).fit(texts)
>>> path = undertow.portable.write_encoder(model, "encoder.pyz")
>>> encoder = undertow.portable.Encoder.load(path)
"""

from __future__ import annotations

from undertow.portable.archive import write_encoder
from undertow.portable.encoder import Encoder

__all__ = ["Encoder", "write_encoder"]
