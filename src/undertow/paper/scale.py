"""How large a run is: the whole thing, a quick one on slices, or what a test makes up.

Experiments are written at full size; a scale shrinks their corpora, models and lists.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from undertow.paper.corpora import Corpus
from undertow.paper.recipe import Recipe
from undertow.paper.texts import MADE_UP

LEVELS = tuple(number / 10 for number in range(10))


@dataclass(frozen=True)
class Scale:
    """The defaults are the full size."""

    name: str
    seeds: int = 3
    documents: int | None = None  # a slice of each data set
    most_words: int | None = None  # a larger vocabulary is cut to this
    most_hidden: int | None = None
    most_epochs: int | None = None
    made_up: bool = False  # no data set is needed
    levels: tuple[float, ...] = LEVELS  # alpha
    lda_passes: int = 1
    timed_words: tuple[int, ...] = (100, 300, 1000, 2000, 5000, 10_000, 20_000)
    timed_words_further: tuple[int, ...] = (50_000, 200_000, 1_000_000)  # not of CD
    timed_real_words: int = 50_000  # beyond, documents are made up
    timed_gibbs_steps: tuple[int, ...] = (1, 2, 3, 4, 5)
    timed_noises: tuple[int, ...] = (1, 5, 25, 100)
    timed_family: tuple[int, ...] = (2000, 20_000, 200_000)
    timed_steps: int = 30
    timed_threads: int = 2
    temperatures: int = 300  # of perplexities
    chains: int = 50

    def corpus(self, corpus: Corpus) -> Corpus:
        """The corpus at this scale."""
        words = (
            corpus.words
            if self.most_words is None
            else min(corpus.words or self.most_words, self.most_words)
        )
        data = MADE_UP[corpus.data] if self.made_up else corpus.data
        return replace(corpus, data=data, words=words, documents=self.documents)

    def recipe(self, recipe: Recipe) -> Recipe:
        """The recipe at this scale."""
        if self.most_epochs is None:
            return recipe
        epochs = (
            self.most_epochs if recipe.epochs == "auto" else min(recipe.epochs, self.most_epochs)
        )
        return replace(recipe, epochs=epochs)

    def hidden(self, hidden: int) -> int:
        """The number of hidden units at this scale."""
        return hidden if self.most_hidden is None else min(hidden, self.most_hidden)


FULL = Scale("full")
QUICK = Scale(
    "quick",
    seeds=1,
    documents=3000,
    most_words=10_000,
    most_epochs=20,
    lda_passes=1,
    timed_words=(100, 1000, 5000),
    timed_words_further=(20_000, 200_000),
    timed_real_words=10_000,
    timed_gibbs_steps=(1, 5),
    timed_noises=(1, 25),
    timed_family=(1000, 5000, 200_000),
    timed_steps=10,
    temperatures=50,
    chains=20,
)
