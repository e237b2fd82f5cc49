"""Names of topics by a function of your own, such as one that asks a language model.

The function gets a topic's words and some typical texts, and returns a name: python
examples/name_topics.py
"""

from undertow import TopicModel
from undertow.datasets import load_python_docs


def by_first_words(words: list[str], texts: list[str]) -> str:
    """A plain function: two words, and how many of the typical texts hold the first."""
    found = sum(words[0] in text.lower() for text in texts)
    return f"{words[0].capitalize()} and {words[1]} (in {found} of {len(texts)} typical texts)"


# A local language model, through any client; here that of a server that speaks OpenAI's protocol
# (llama.cpp, vLLM, Ollama). Two topics must not get the same name: the words in the question see to
# that most of the time.
#
# from openai import OpenAI
#
# client = OpenAI(base_url="http://localhost:8080/v1", api_key="none")
#
# def by_language_model(words: list[str], texts: list[str]) -> str:
#     question = (
#         f"Documents with the words {', '.join(words)} form a topic. Typical texts:\n\n" +
# "\n\n".join(texts)         + "\n\nName the topic in two to four words. Answer with the name
# alone."     )
#     answer = client.chat.completions.create(model="local", messages=[{"role": "user", "content":
# question}])     return answer.choices[0].message.content.strip()

texts = [document.text for document in load_python_docs()[::4]]
words = r"[^\W\d_]{2,}"  # of letters, two at least
model = TopicModel(
    64, stop_words="english", min_df=3, max_df=0.3, token_pattern=words, random_state=0
).fit(texts)

before = model.topic_names(n=8)
model.name_topics(by_first_words, n=8)
for topic, name in model.topic_names(n=8).items():
    print(f"{before[topic]}  ->  {name}")
model.save("named_model", overwrite=True)  # the names are saved with it
