"""How many topics the documents agree on.

Two trees are grown from two halves of the documents. Where both sort all documents alike, a number
of topics is more than chance.
"""

from undertow import TopicModel, plot
from undertow.datasets import load_python_docs

texts = [document.text for document in load_python_docs()[::4]]
model = TopicModel(64, stop_words="english", max_df=0.3, random_state=0).fit(texts)

choice = model.choose_topics()
print(f"{choice.n} topics are suggested")
figure = plot.stability(choice)
