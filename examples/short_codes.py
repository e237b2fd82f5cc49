"""Documents in a few bytes.

Codes of 32 to 128 bits find nearly the same neighbours as vectors of floats. The figure has the
share of a text's ten nearest neighbours that are of its own library.
"""

import numpy as np
from plotly.graph_objects import Figure

from undertow import TopicModel
from undertow.datasets import load_python_docs

libraries = ["asyncio", "unittest", "email", "turtle", "tkinter", "polars"]
chosen = [document for document in load_python_docs() if document.label in libraries]
texts = [document.text for document in chosen]
labels = np.array([document.label for document in chosen])
model = TopicModel(128, stop_words="english", random_state=0).fit(texts)


def right_of_ten(nearness: np.ndarray) -> float:
    """How many of the ten nearest, but for itself, have the label."""
    np.fill_diagonal(nearness, -np.inf)
    nearest = np.argsort(-nearness, axis=1)[:, :10]
    return float((labels[nearest] == labels[:, None]).mean())


found = {}
for bits in (32, 64, 128):
    signs = np.unpackbits(model.encode(texts, "code", n_bits=bits), axis=1) * 2.0 - 1
    found[f"{bits // 8} bytes"] = right_of_ten(signs @ signs.T)
vectors = model.transform(texts)
found[f"{4 * vectors.shape[1]} bytes (vector)"] = right_of_ten(vectors @ vectors.T)

for name, share in found.items():
    print(f"{name:22s} {share:.2f}")
figure = Figure().add_bar(x=list(found), y=list(found.values()))
figure.update_layout(yaxis_title="of ten neighbours, of the same library")
