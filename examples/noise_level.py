"""The noise level, judged without labels.

A noise document keeps a share alpha of a document's words. Split-half retrieval, how often one half
of a document finds the other, says which alpha is good.
"""

from plotly.graph_objects import Figure

from undertow import AlphaNCE, TopicModel
from undertow.datasets import load_python_docs

texts = [document.text for document in load_python_docs()[::8]]
levels = [0.1, 0.3, 0.5, 0.7, 0.9]
scores = []
for level in levels:
    learner = AlphaNCE(noise_level=level)
    model = TopicModel(32, stop_words="english", learner=learner, max_epochs=15, random_state=0)
    scores.append(model.fit(texts).score(texts))
    print(f"alpha {level}: {scores[-1]:.3f}")

figure = Figure().add_scatter(x=levels, y=scores)
figure.update_layout(xaxis_title="alpha", yaxis_title="split-half score")
