"""The options of a `TopicModel`: those of its two parts, under the same names and with the same
defaults.

They are written out, so that a signature and an editor show them. A test holds the defaults equal
to those of `Vectorizer` and `ReplicatedSoftmax`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from sklearn.base import clone

from undertow._errors import InvalidInput
from undertow.corpus import Vectorizer
from undertow.corpus.analyzer import WORDS
from undertow.estimators._base import Base
from undertow.estimators._borrowed import BorrowedVectorizer
from undertow.estimators.replicated_softmax import ReplicatedSoftmax

if TYPE_CHECKING:
    from undertow.learn import EpochRecord

WORD_OPTIONS: dict[str, Any] = Vectorizer().get_params(deep=False)
UNIT_OPTIONS: dict[str, Any] = ReplicatedSoftmax().get_params(deep=False)
BY_FITTING = ("n_components", "weighting", "count_transform", "random_state")
"""Options of the units that only `fit` can change."""
LATER_WORDS = ("vocabulary_size", "min_df", "max_df", "max_types", "chunk_size", "n_jobs")
"""Options of the words that `partial_fit` goes by."""


class TopicModelOptions(Base):
    """Takes the options, and makes the two parts from them."""

    def __init__(
        self,
        n_components: int = 256,
        *,
        # which words are counted
        vocabulary_size: int | None = 50_000,
        ngram_range: tuple[int, int] = (1, 1),
        stop_words: str | Iterable[str] | None = None,
        stemmer: str | None = None,
        segmenter: str | Iterable[str] | None = "auto",
        min_df: float = 1,
        max_df: float = 1.0,
        token_pattern: str = WORDS,
        lowercase: bool = True,
        strip_html: bool = False,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        chunk_size: int = 5000,
        max_types: int = 10_000_000,
        vectorizer: Any = None,
        # what counts become, and what is given
        weighting: Any = "idf",
        count_transform: Literal["log"] | None = "log",
        features: Literal["balanced", "posterior", "soft", "activation", "strength"] = "balanced",
        seeds: Mapping[str, Sequence[str]] | None = None,
        # how it is learned
        learner: Any = "alpha-nce",
        optimizer: Any = "auto",
        sparsity_target: float = 0.1,
        sparsity_cost: float | Literal["auto"] = "auto",
        averaging: float = 0.999,
        batch_size: int = 128,
        replicas: int | Literal["auto"] = "auto",
        max_epochs: int | Literal["auto"] = "auto",
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        callbacks: Sequence[Callable[[Any, EpochRecord], bool | None]] | None = None,
        # the machine
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: Any = "cpu",
        verbose: int = 0,
        memory_limit: int | str = "1GiB",
        scratch_folder: str | os.PathLike[str] | None = None,
    ) -> None:
        given = dict(locals())
        del given["self"]
        self.__dict__.update(given)

    def set_params(self, **params: Any) -> Self:
        """Changes parameters by name; `learner__n_noise` is an option of the learner.

        A fitted model follows at once where that is possible: in `features`, and in what a further
        `partial_fit` goes by. The rest is for the next `fit`.

        Returns
        -------
        self

        Examples
        --------
        >>> from undertow import AlphaNCE, TopicModel
        >>> model = TopicModel(64, learner=AlphaNCE())
        >>> model.set_params(stop_words="english", learner__n_noise=10).learner.n_noise
        10
        """
        super().set_params(**params)
        changed = {name.partition("__")[0] for name in params}
        self._hand_on(getattr(self, "softmax_", None), changed & {*UNIT_OPTIONS} - {*BY_FITTING})
        if self.vectorizer is None:
            self._hand_on(getattr(self, "vectorizer_", None), changed & {*LATER_WORDS})
        return self

    def _hand_on(self, part: Any, names: Iterable[str]) -> None:
        if part is not None:
            part.set_params(**{name: getattr(self, name) for name in names})

    def _new_vectorizer(self) -> Any:
        """One with the options of the words, or a copy of the one given."""
        own = {name: getattr(self, name) for name in WORD_OPTIONS}
        if self.vectorizer is None:
            return Vectorizer(**own)
        for name, default in WORD_OPTIONS.items():
            if name != "n_jobs" and not _is_same(own[name], default):
                raise InvalidInput(
                    f"vectorizer must be left out beside {name}, got {self.vectorizer!r:.60} and "
                    f"{name}={own[name]!r:.60}: give {name} to the vectorizer"
                )
        if isinstance(self.vectorizer, Vectorizer):
            return clone(self.vectorizer)
        return BorrowedVectorizer(self.vectorizer)

    def _new_softmax(self) -> ReplicatedSoftmax:
        return ReplicatedSoftmax(**{name: getattr(self, name) for name in UNIT_OPTIONS})


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))
