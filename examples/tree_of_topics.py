"""A tree of topics.

One fit has every number of topics: they are nested. The figure shows a cut of twenty-four inside
the coarser ones that hold them.
"""

from undertow import TopicModel, plot
from undertow.datasets import load_python_docs

texts = [document.text for document in load_python_docs()[::4]]
model = TopicModel(64, stop_words="english", max_df=0.3, random_state=0).fit(texts)

for branch in model.topic_tree(n=6):
    print(f"{branch.topic.share:4.0%}  {branch.topic.name}")

figure = plot.tree(model, n=24)
