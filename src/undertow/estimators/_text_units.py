"""Hidden units of a `TopicModel`, by texts and with words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from undertow.estimators._text_vectors import TextVectors
from undertow.estimators.units import DocumentUnits, Unit, describe


class TextUnits(TextVectors):
    """The vocabulary, the units over it, and those that texts switch on."""

    def words(self) -> list[str]:
        """The vocabulary.

        Returns
        -------
        list of str
            In the order of the columns of `counts`.

        Examples
        --------
        >>> len(model.words()), "moon" in model.words()
        (12, True)
        """
        check_is_fitted(self)
        return [str(word) for word in self.vectorizer_.get_feature_names_out()]

    def units(self, n_words: int = 10) -> list[Unit]:
        """The hidden units: features that vectors and topics are made of.

        Parameters
        ----------
        n_words : int
            Words of each, either way.

        Returns
        -------
        list of Unit
            The most active first.

        Examples
        --------
        >>> unit = model.units(n_words=3)[0]
        >>> len(unit.up), 0 <= unit.activity <= 1
        (3, True)
        """
        check_is_fitted(self)
        return self.softmax_.units(n_words, words=self.words())

    def unit_names(self, ids: Sequence[int] | None = None) -> list[str]:
        """The names of units: those that were given, or the words that push most.

        Parameters
        ----------
        ids : sequence of int or None
            Numbers of units; None for all.

        Returns
        -------
        list of str
            In the order of the ids.

        Examples
        --------
        >>> len(model.unit_names([0, 3]))
        2
        """
        check_is_fitted(self)
        softmax = self.softmax_
        wanted = range(softmax.parameters_.units) if ids is None else ids
        known = softmax.activity_, softmax.unit_names_
        found = describe(
            softmax.parameters_,
            softmax.noise_distribution_,
            self.words(),
            *known,
            n_words=3,
            units=wanted,
        )
        return [topic.name for topic in found]

    def name_units(self, names: Mapping[int, str]) -> Self:
        """Gives units names of your own.

        Parameters
        ----------
        names : mapping of int to str
            Number -> name.

        Returns
        -------
        self
            The model.

        Examples
        --------
        >>> model.name_units({3: "Space"}).unit_names([3])
        ['Space']
        """
        check_is_fitted(self)
        self.softmax_.name_units(names)
        return self

    def document_units(self, texts: Any) -> list[DocumentUnits]:
        """The units that each text switches on.

        Parameters
        ----------
        texts : texts, table or Corpus
            Any texts.

        Returns
        -------
        list of DocumentUnits
            The strongest unit first.

        Examples
        --------
        >>> found = model.document_units(["a rocket in orbit"])
        >>> len(found)
        1
        """
        counts = self.counts(texts)
        return self.softmax_.document_units(counts, words=self.words())

    def attribute(self, texts: Any, component: int) -> sparse.csr_array:
        """How much each word moved a unit in each text.

        Parameters
        ----------
        texts : texts, table or Corpus
            Any texts.
        component : int
            The number of the unit.

        Returns
        -------
        sparse array (documents, words)
            What each word adds to the unit's input.

        Examples
        --------
        >>> model.attribute(["a rocket in orbit"], 3).shape
        (1, 12)
        """
        counts = self.counts(texts)
        return self.softmax_.attribute(counts, component)
