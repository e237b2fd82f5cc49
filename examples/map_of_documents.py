"""A map of documents.

Documents that are about the same stand near each other. Colours are topics.
"""

from undertow import TopicModel, insight, plot
from undertow.datasets import load_python_docs

texts = [document.text for document in load_python_docs()[::8]]
model = TopicModel(64, stop_words="english", max_df=0.3, random_state=0).fit(texts)

overview = insight.overview_of_texts(model, texts)
print(f"{overview.positions.shape[0]:,} documents")
figure = plot.map(overview, model, n=8, texts=texts)
