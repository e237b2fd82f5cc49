"""What a person knows of topics, kept for later fits: seed, merge, drop, export, apply.

The file is small and can be read and edited: python examples/curate.py
"""

from undertow import TopicModel
from undertow.datasets import load_python_docs

documents = [document.text for document in load_python_docs()[::4]]


def new(seed: int) -> TopicModel:
    """A model that is not fitted yet."""
    words = r"[^\W\d_]{2,}"  # of letters, two at least
    return TopicModel(
        64, stop_words="english", min_df=3, max_df=0.3, token_pattern=words, random_state=seed
    )


# A seed asks for a topic around words; one whose words stand out nowhere is left out, with a
# warning.
seeds = {"Dates and times": ["date", "time", "timezone"]}
model = new(seed=0).set_params(seeds=seeds).fit(documents)
first, second, *others = [topic for topic in model.topics(n=10) if topic.name not in seeds]

made = model.merge_topics([first.id, second.id], "The two largest")
junk = min(others, key=lambda topic: topic.coherence)
model.drop_topic(junk.id)  # it is listed no more, and its documents belong to none
print(
    f"Merged {first.name!r} and {second.name!r}, dropped {junk.name!r}. Eight of the ten topics "
    f"are left:\n"
)
for topic in model.topics(n=8):
    print(f"{topic.id:4d} {topic.share:6.1%}  {topic.name}")
model.save_curation("curation.json")

# A later fit has other topics with other ids. They are found again by the documents in them, or
# else by their words.
later = new(seed=1).fit(documents)
print("\nThe same in a later fit:\n")
for matched in later.apply_curation("curation.json"):
    came_to = (
        f"topics {list(matched.topics)}"
        if matched.problem is None
        else f"left out, since {matched.problem}"
    )
    print(f"{matched.action.kind}: {came_to}")
