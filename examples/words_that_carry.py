"""Which words carried a document into a topic.

A document's place is a sum over its words, so the part of each word is exact.
"""

import numpy as np
from plotly.graph_objects import Figure

from undertow import TopicModel
from undertow.datasets import load_python_docs

texts = [document.text for document in load_python_docs()[::4]]
model = TopicModel(64, stop_words="english", max_df=0.3, random_state=0).fit(texts)

topic = model.topics(n=8)[0]
text = max(texts[:200], key=lambda one: float(model.transform_topics([one], n=8)[0, 0]))
row = model.explain_topic([text], topic.id).tocoo()
parts = dict(zip(np.array(model.words())[row.coords[1]], row.data, strict=True))
largest = sorted(parts.items(), key=lambda pair: -abs(pair[1]))[:15]

print(topic.name, "|", text.splitlines()[0])
figure = Figure().add_bar(x=[word for word, _ in largest], y=[part for _, part in largest])
figure.update_layout(yaxis_title=f"part in “{topic.name}”")
