"""What a model is made of: named arrays, listed in one place.

Storage, averaging, checks of finiteness, resuming and fingerprints go by this list, so a model with
other arrays (a second layer, say) is another dataclass that inherits from `Parameters`, and nothing
else changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.kernels import randomness

WEIGHT_SCALE = 0.01
LARGEST = 1e12  # of a number of a model: what is worked out from it stays within single precision
LEAST_WEIGHT = 1e-12  # of a word that counts: so does what is divided by the weight of a document

Kind = TypeVar("Kind", bound="Parameters")


def array_of(*axes: str, learned: bool = True, non_negative: bool = False) -> Any:
    """A field of `Parameters`: an array of single precision whose axes have these names.

    Parameters
    ----------
    *axes : str
        Their names, in order. Axes of the same name have the same length in all arrays.
    learned : bool
        Whether training changes it. What is not learned is given before training and stays.
    non_negative : bool
        Whether it must not hold a negative number.

    Returns
    -------
    dataclasses.Field
        What a class that inherits from `Parameters` gives a name to.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from undertow.model import Parameters, array_of
    >>> @dataclass
    ... class WithUpper(Parameters):
    ...     upper: np.ndarray = array_of("units", "upper units")
    >>> list(WithUpper.axes())
    ['weights', 'hidden_bias', 'visible_bias', 'word_weights', 'upper']
    """
    return field(metadata={"axes": axes, "learned": learned, "non_negative": non_negative})


@dataclass
class Parameters:
    """W, a, b and the word weights w. Arrays are changed in place by training.

    A document with counts v has weighted counts u = w * v and weighted length L = sum of u.

    Parameters
    ----------
    weights : array of float32, (words, units)
        W: a row for each word.
    hidden_bias : array of float32, (units,)
        a, which counts once for each token.
    visible_bias : array of float32, (words,)
        b: log-shares of words, up to a constant.
    word_weights : array of float32, (words,)
        w, which is not learned.

    Raises
    ------
    InvalidInput
        Where the shapes do not fit each other.

    Examples
    --------
    >>> from undertow.model import Parameters
    >>> parameters.words, parameters.units, parameters.weights.shape
    (4, 2, (4, 2))
    """

    weights: NDArray[np.float32] = array_of("words", "units")
    hidden_bias: NDArray[np.float32] = array_of("units")
    visible_bias: NDArray[np.float32] = array_of("words")
    word_weights: NDArray[np.float32] = array_of("words", learned=False, non_negative=True)

    def __post_init__(self) -> None:
        if self.weights.ndim != 2:
            raise InvalidInput(
                f"weights must be a matrix of words x units, got shape {self.weights.shape}"
            )
        sizes = dict(zip(("words", "units"), self.weights.shape, strict=True))
        for name, axes in self.axes().items():
            shape = getattr(self, name).shape
            if len(shape) == len(axes):  # an axis that comes first here says how long it is
                sizes = dict(zip(axes, shape, strict=True)) | sizes
            wanted = tuple(sizes.get(axis) for axis in axes)
            if shape != wanted:
                raise InvalidInput(
                    f"{name} must have shape {wanted} to fit weights "
                    f"{self.words} x {self.units}, got {shape}"
                )

    @classmethod
    def axes(cls) -> dict[str, tuple[str, ...]]:
        """The names of all arrays, in order, each with the names of its axes.

        Returns
        -------
        dict of str to tuple of str
            Array -> its axes.

        Examples
        --------
        >>> Parameters.axes()["weights"]
        ('words', 'units')
        """
        return {one.name: one.metadata["axes"] for one in fields(cls)}

    @classmethod
    def kinds(cls) -> list[type[Parameters]]:
        """This kind of parameters, and all that inherit from it.

        Returns
        -------
        list of type
            The classes; model files are read as the one whose arrays they hold.

        Examples
        --------
        >>> Parameters.kinds()[0].__name__
        'Parameters'
        """
        return [cls, *(kind for child in cls.__subclasses__() for kind in child.kinds())]

    @classmethod
    def non_negative(cls) -> tuple[str, ...]:
        """The arrays that must not hold a negative number.

        Returns
        -------
        tuple of str
            Their names.

        Examples
        --------
        >>> Parameters.non_negative()
        ('word_weights',)
        """
        return tuple(one.name for one in fields(cls) if one.metadata["non_negative"])

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """All arrays by name.

        Returns
        -------
        dict of str to array
            The arrays themselves, no copies.

        Examples
        --------
        >>> list(parameters.arrays())
        ['weights', 'hidden_bias', 'visible_bias', 'word_weights']
        """
        return {name: getattr(self, name) for name in self.axes()}

    def learned(self) -> dict[str, NDArray[np.float32]]:
        """The arrays that training changes.

        Returns
        -------
        dict of str to array
            The arrays themselves, no copies.

        Examples
        --------
        >>> list(parameters.learned())
        ['weights', 'hidden_bias', 'visible_bias']
        """
        return {
            one.name: getattr(self, one.name) for one in fields(self) if one.metadata["learned"]
        }

    @property
    def words(self) -> int:
        """Vocabulary size K."""
        return int(self.weights.shape[0])

    @property
    def units(self) -> int:
        """Number of hidden units H."""
        return int(self.weights.shape[1])

    def copy(self) -> Self:
        """An independent copy.

        Returns
        -------
        Parameters
            Of the same class, with arrays of its own.

        Examples
        --------
        >>> parameters.copy().weights is parameters.weights
        False
        """
        return type(self)(**{name: array.copy() for name, array in self.arrays().items()})


def initial_parameters(
    units: int,
    word_distribution: NDArray[np.float64],
    word_weights: NDArray[np.float64],
    seed: int,
) -> Parameters:
    """What training begins with: W normal with deviation 0.01, a = 0, b = log p.

    So the model starts as the noise distribution itself.

    Parameters
    ----------
    units : int
        How many hidden units it has.
    word_distribution : array of float64, (words,)
        p, the shares of words; positive.
    word_weights : array of float64, (words,)
        w, the weights of words.
    seed : int
        What W is drawn from.

    Returns
    -------
    Parameters
        Of float32.

    Examples
    --------
    >>> from undertow.model import initial_parameters
    >>> np.exp(initial_parameters(2, shares, np.ones(4), seed=0).visible_bias).round(3)
    array([0.4, 0.3, 0.2, 0.1], dtype=float32)
    """
    from undertow.kernels.cpu.normals import normals  # compiled: questions are answered without it

    words = len(word_distribution)
    weights = normals(seed, randomness.Purpose.WEIGHTS, words, units)
    weights *= np.float32(WEIGHT_SCALE)
    return Parameters(
        weights=weights,
        hidden_bias=np.zeros(units, dtype=np.float32),
        visible_bias=np.log(word_distribution).astype(np.float32),
        word_weights=word_weights.astype(np.float32),
    )


def with_more_words(
    parameters: Kind, word_distribution: NDArray[np.float64], added: int, seed: int
) -> tuple[Kind, NDArray[np.float64]]:
    """A model with words appended, and its word distribution.

    Old words keep their rows, and b its relation to log p. New words get fresh rows of W (those
    that a larger model would have begun with), the largest word weight and the smallest share.

    Parameters
    ----------
    parameters : Parameters
        The model so far; it is not changed.
    word_distribution : array of float64, (words,)
        p, the shares of its words.
    added : int
        How many words there are to be more.
    seed : int
        What their rows are drawn from: that of the model.

    Returns
    -------
    tuple of Parameters and array of float64
        The larger model, and the shares of all its words, which sum to 1.

    Examples
    --------
    >>> from undertow.model import with_more_words
    >>> larger, p = with_more_words(parameters, shares, added=2, seed=0)
    >>> larger.words, p.round(2)
    (6, array([0.33, 0.25, 0.17, 0.08, 0.08, 0.08]))
    """
    from undertow.kernels.cpu.normals import normals

    words, old = parameters.words + added, parameters.words
    fresh = normals(seed, randomness.Purpose.WEIGHTS, words, parameters.units, first=old)
    share = float(word_distribution.min())
    # b is a log-share up to a constant; the new words' has to be on the same scale as the old
    # ones'.
    shift = float(np.mean(parameters.visible_bias - np.log(word_distribution)))
    distribution = np.concatenate([word_distribution, np.full(added, share)])
    grown = replace(
        parameters,
        weights=np.concatenate([parameters.weights, fresh * np.float32(WEIGHT_SCALE)]),
        hidden_bias=parameters.hidden_bias.copy(),
        visible_bias=np.append(
            parameters.visible_bias, np.full(added, np.log(share) + shift, dtype=np.float32)
        ),
        word_weights=np.append(
            parameters.word_weights, np.full(added, parameters.word_weights.max())
        ),
    )
    return grown, distribution / distribution.sum()
