"""The course of training.

Loss, split-half score, activity and dead units, epoch by epoch.
"""

from undertow import TopicModel, plot
from undertow.datasets import load_python_docs

texts = [document.text for document in load_python_docs()[::8]]
model = TopicModel(32, stop_words="english", early_stopping=True, max_epochs=20, random_state=0)
model.fit(texts)

last = model.softmax_.history_[-1]
print(f"{len(model.softmax_.history_)} epochs, loss {last.loss:.3f}, {last.dead_units} dead units")
figure = plot.history(model)
