"""From a list of texts to topics: a list, a tree, shares of documents, merging and renaming.

Reads the documentation of Python's own libraries, so it needs no network: python examples/topics.py
"""

from collections.abc import Sequence

from undertow import TopicModel
from undertow.datasets import load_python_docs
from undertow.topics import Branch

texts = [
    document.text for document in load_python_docs()[::4]
]  # any list of strings, or a polars table with ids
words = r"[^\W\d_]{2,}"  # of letters, two at least
model = TopicModel(
    64, stop_words="english", min_df=3, max_df=0.3, token_pattern=words, random_state=0
).fit(texts)

# One fit has every number of topics: fewer are unions of more. Left out, n is the model's own
# number.
print(f"The model's own number of topics is {model.choose_topics().n}. Here are ten:\n")
topics = model.topics(n=10)
for topic in topics:
    print(
        f"{topic.id:4d} {topic.share:6.1%}  {topic.name}: "
        f"{', '.join(word.word for word in topic.words)}"
    )
    print(f"             e.g. {topic.typical[0].sentence[:90]}")


def show(branches: Sequence[Branch], depth: int = 0) -> None:
    """Prints finer topics below coarser ones."""
    for branch in branches:
        print(f"{'  ' * depth}{branch.topic.name} ({branch.topic.documents:,} documents)")
        show(branch.branches, depth + 1)


print("\nThe same as a tree:\n")
show(model.topic_tree(n=16))

print("\nHow much of a text is about what:\n")
question = "Read a file line by line, and draw random numbers from a normal distribution."
print(model.document_topics([question], n=10)[0])
shares = model.transform_topics(texts[:5], n=10)  # the same as a matrix, documents x topics
print(
    f"{shares.shape[0]} documents x {shares.shape[1]} topics; the rest of each row, up to 1, is "
    f"none of them"
)

# Two of the topics become one, and get a name. Ids stay the same, in files too.
made = model.merge_topics([topics[0].id, topics[1].id])
model.rename_topic(made, "The two largest")
print(f"\nMerged: {model.topic(made).name}, {model.topic(made).documents:,} documents")
