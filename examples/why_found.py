"""Why a document was found.

Each hit of a search says which words of the question it holds, which it lacks, and which topics it
shares with the question.
"""

from plotly.graph_objects import Figure

from undertow import Index, TopicModel
from undertow.datasets import load_python_docs

texts = [document.text for document in load_python_docs()[::4]]
model = TopicModel(64, stop_words="english", random_state=0).fit(texts)
index = Index.create("library", model, texts)

hits = index.search("wait until a thread has ended", 5)
words = sorted({part.word for hit in hits for part in hit.why.words})
figure = Figure()
for word in words:
    parts = [sum(p.part for p in hit.why.words if p.word == word) for hit in hits]
    titles = [hit.text.splitlines()[0][:40] for hit in hits]
    figure.add_bar(y=titles, x=parts, name=word, orientation="h")
figure.update_layout(
    barmode="stack", xaxis_title="part in how well its words fit", yaxis_autorange="reversed"
)

for hit in hits:
    print(f"{hit.score:.0%}  {hit.text.splitlines()[0][:40]:40s} lacks {list(hit.why.missing)}")
