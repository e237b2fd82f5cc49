"""Hidden units of a `ReplicatedSoftmax`: their words, their names, and who switches them on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from undertow import _check
from undertow._errors import InvalidInput
from undertow.estimators._count_likelihood import CountLikelihood
from undertow.estimators.units import DocumentUnits, Unit, describe, units_of_documents
from undertow.model.attribution import attributions


class CountUnits(CountLikelihood):
    """The units, and those that documents switch on."""

    activity_: NDArray[np.float64]
    noise_distribution_: NDArray[np.float64]
    unit_names_: dict[int, str]
    feature_names_in_: NDArray[np.object_]

    def units(self, n_words: int = 10, *, words: Sequence[str] | None = None) -> list[Unit]:
        """The hidden units, with the words that push each up and down.

        Parameters
        ----------
        n_words : int
            Words of each, either way.
        words : sequence of str or None
            Names of the columns of X, where X itself had none (a matrix has none).

        Returns
        -------
        list of Unit
            The most active first.

        Examples
        --------
        >>> unit = model.units(2, words=["moon", "rocket", "cake", "pear"])[0]
        >>> len(unit.up), 0 <= unit.activity <= 1
        (2, True)
        """
        check_is_fitted(self)
        count = _check.whole_number("n_words", n_words, at_least=1)
        if words is not None and len(words) != self.parameters_.words:
            raise InvalidInput(
                f"words must name {self.parameters_.words} columns, got {len(words)}"
            )
        words = self._words() if words is None else words
        shares = self.noise_distribution_
        return describe(self.parameters_, shares, words, self.activity_, self.unit_names_, count)

    def name_units(self, names: Mapping[int, str]) -> Self:
        """Gives units names of your own; they are saved with the model.

        Parameters
        ----------
        names : mapping of int to str
            Number -> name.

        Returns
        -------
        self
            The model.

        Raises
        ------
        InvalidInput
            For a unit that there is not, or an empty name.

        Examples
        --------
        >>> [unit.name for unit in model.name_units({3: "Space"}).units() if unit.id == 3]
        ['Space']
        """
        check_is_fitted(self)
        for unit, name in names.items():
            if unit not in range(self.parameters_.units):
                raise InvalidInput(
                    f"names must be of units 0 to {self.parameters_.units - 1}, got {unit!r}"
                )
            if not name or type(name) is not str:
                raise InvalidInput(f"the name of unit {unit} must be a text, got {name!r}")
        self.unit_names_ = {**self.unit_names_, **{int(unit): name for unit, name in names.items()}}
        return self

    def document_units(self, X: Any, *, words: Sequence[str] | None = None) -> list[DocumentUnits]:
        """The units that each document switches on, with their strength.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        words : sequence of str or None
            As in `units`.

        Returns
        -------
        list of DocumentUnits
            The strongest unit first.

        Examples
        --------
        >>> len(model.document_units(counts[:3]))
        3
        """
        on = self._encoded(self._fitted_counts(X), "posterior")
        names = {topic.id: topic.name for topic in self.units(n_words=3, words=words)}
        return units_of_documents(on, [names[unit] for unit in range(len(names))])

    def attribute(self, X: Any, component: int) -> sparse.csr_array:
        """How much each word moved a unit in each document.

        Parameters
        ----------
        X : array-like, sparse matrix or table (documents, words)
            Counts.
        component : int
            The number of the unit.

        Returns
        -------
        sparse array (documents, words)
            A row sums to the unit's input, exactly.

        Examples
        --------
        >>> model.attribute(counts, 3).shape
        (200, 4)
        """
        counts = self._fitted_counts(X)
        unit = _check.whole_number("component", component, at_least=0)
        if unit >= self.parameters_.units:
            raise InvalidInput(
                f"component must be below {self.parameters_.units}, got {component!r}"
            )
        return attributions(self.parameters_, counts, unit)

    def _words(self) -> list[str]:
        if hasattr(self, "feature_names_in_"):
            return [str(word) for word in self.feature_names_in_]
        return [f"word {number}" for number in range(self.parameters_.words)]
