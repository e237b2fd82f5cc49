"""Which topics are near each other.

The figure has the cosine of each two topics' directions.
"""

from undertow import TopicModel, insight, plot
from undertow.datasets import load_python_docs

texts = [document.text for document in load_python_docs()[::4]]
model = TopicModel(64, stop_words="english", max_df=0.3, random_state=0).fit(texts)

widest = model.topics(n=16)[0]
print(f"Near {widest.name}:")
for other in insight.similar_topics(model, widest.id, 3, n=16):
    print(f"  {other.similarity:.2f}  {model.topic(other.id).name}")

figure = plot.similarity(model, n=16)
