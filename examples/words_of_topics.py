"""Words of topics, as bars.

Bars are the salience of a word in a topic: how much it says that a document is in it.
"""

from undertow import TopicModel, plot
from undertow.datasets import load_python_docs

texts = [document.text for document in load_python_docs()[::4]]
model = TopicModel(64, stop_words="english", max_df=0.3, random_state=0).fit(texts)

print([topic.name for topic in model.topics(n=6)])
figure = plot.topics(model, n=6)
