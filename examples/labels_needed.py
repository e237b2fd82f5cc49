"""How many labels a classifier needs.

Vectors are learned from all texts without labels. A classifier on them is compared with one on
tf-idf words, by the number of labels of each class.
"""

import numpy as np
from plotly.graph_objects import Figure
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from undertow import TopicModel
from undertow.datasets import load_python_docs

libraries = ["asyncio", "unittest", "email", "turtle", "tkinter", "polars"]
chosen = [document for document in load_python_docs() if document.label in libraries]
texts = [document.text for document in chosen]
labels = np.array([document.label for document in chosen])

model = TopicModel(64, stop_words="english", random_state=0).fit(texts)
vectors = model.transform(texts)
kinds = {
    "undertow": vectors - vectors.mean(axis=0),
    "tf-idf words": TfidfVectorizer(stop_words="english", sublinear_tf=True).fit_transform(texts),
}

generator = np.random.default_rng(0)
numbers = [1, 2, 5, 10]
figure = Figure()
for name, features in kinds.items():
    accuracy = []
    for number in numbers:
        found = []
        for _ in range(5):  # draws of labelled documents
            known = np.concatenate(
                [
                    generator.permutation(np.flatnonzero(labels == one))[:number]
                    for one in np.unique(labels)
                ]
            )
            others = np.setdiff1d(np.arange(len(texts)), known)
            classifier = LogisticRegression(C=30, max_iter=1000)
            classifier.fit(features[known], labels[known])
            found.append(classifier.score(features[others], labels[others]))
        accuracy.append(float(np.mean(found)))
    print(f"{name:13s}", " ".join(f"{one:.2f}" for one in accuracy))
    figure.add_scatter(x=numbers, y=accuracy, name=name)
figure.update_layout(xaxis_title="labels of each library", yaxis_title="accuracy")
