"""What replicas of a run bring to a meeting, and what they take home from it.

A replica brings sums: the rows of W that it moved, with their moments, and everything else that is
learned. Sums add up, over the replicas of a machine and over machines. What they take home is the
mean: of a row over those that moved it, so that a rare word that one of sixteen replicas met keeps
its whole step; of everything else over those that took a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.engines import AVERAGE, OPTIMIZER, PARAMETERS, Session

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Moved:
    """What some replicas moved since they met last, as sums over them.

    Parameters
    ----------
    words : array of int32, (n,)
        The words whose rows any of them moved, ascending.
    brought : array of int32, (n,)
        How many of them moved each.
    rows : dict of str to array, (n, ...)
        Name of an array with a row for each word -> sums of these rows.
    others : dict of str to array
        Name of anything else that moves -> its sum.
    replicas : int
        How many took part: those that took a step.

    Examples
    --------
    >>> import numpy as np
    >>> from undertow.learn import Moved, added
    >>> once = np.ones(2, dtype=np.int32)
    >>> moved = Moved(np.array([3, 8], dtype=np.int32), once, {"W": np.ones((2, 4))}, {}, 1)
    >>> moved.mean_rows()["W"].shape
    (2, 4)
    """

    words: NDArray[np.int32]
    brought: NDArray[np.int32]
    rows: Arrays
    others: Arrays
    replicas: int

    def mean_rows(self) -> Arrays:
        """The mean of each row over the replicas that moved it.

        Returns
        -------
        dict of str to array
            As `rows`.

        Examples
        --------
        >>> both = added([moved, moved])
        >>> float(both.rows["W"][0, 0]), float(both.mean_rows()["W"][0, 0])
        (2.0, 1.0)
        """
        return {
            name: _mean(sums, self.brought.reshape(-1, *(1,) * (sums.ndim - 1)))
            for name, sums in self.rows.items()
        }

    def mean_others(self) -> Arrays:
        """The mean of everything else over the replicas that took part.

        Returns
        -------
        dict of str to array
            As `others`.

        Examples
        --------
        >>> moved.mean_others()
        {}
        """
        number = np.array(max(self.replicas, 1))
        return {name: _mean(sums, number) for name, sums in self.others.items()}


def _mean(sums: NDArray[Any], number: NDArray[Any]) -> NDArray[Any]:
    """Sums over so many, in their own precision; of whole numbers, such as counters, the whole
    part.
    """
    if np.issubdtype(sums.dtype, np.inexact):
        mean: NDArray[Any] = sums * (1.0 / number.astype(sums.dtype)).astype(sums.dtype)
    else:
        mean = (sums // number).astype(sums.dtype)
    return mean


def added(parts: Sequence[Moved]) -> Moved:
    """What all of these moved together; added up in this order, so that the bits are the same
    wherever and whenever the parts came.

    Parameters
    ----------
    parts : sequence of Moved
        One at least, of models that are alike.

    Returns
    -------
    Moved
        The sums.

    Examples
    --------
    >>> from undertow.learn import Moved, added
    >>> words, once = np.array([3, 8], dtype=np.int32), np.ones(2, dtype=np.int32)
    >>> moved = Moved(words, once, {"W": np.ones((2, 4))}, {}, 1)
    >>> added([moved, moved]).brought.tolist(), added([moved, moved]).replicas
    ([2, 2], 2)
    """
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    words = np.unique(np.concatenate([part.words for part in parts]))
    brought = np.zeros(len(words), dtype=np.int32)
    rows = {
        n: np.zeros((len(words), *sums.shape[1:]), sums.dtype) for n, sums in first.rows.items()
    }
    others = {name: np.zeros_like(sums) for name, sums in first.others.items()}
    for part in parts:
        places = np.searchsorted(words, part.words)
        brought[places] += part.brought
        for name, sums in part.rows.items():
            rows[name][places] += sums
        if part.replicas:
            for name, sums in part.others.items():
                others[name] += sums
    return Moved(words, brought, rows, others, sum(part.replicas for part in parts))


@dataclass(frozen=True)
class Names:
    """What replicas share of what a session holds."""

    rows: tuple[str, ...]  # arrays with a row for each word, which only moves where the word occurs
    others: tuple[str, ...]  # all else that moves


def shared_names(session: Session, stands_still: Sequence[str] = ()) -> Names:
    """What a session holds that replicas have to agree on.

    Averages are no part of it: a run holds one, of what the replicas agreed on.

    Parameters
    ----------
    session : Session
        Whose arrays these are, once learner and optimizer have begun.
    stands_still : sequence of str
        Arrays of the parameters that this learner never moves.

    Returns
    -------
    Names
        Of rows and of everything else.

    Raises
    ------
    InvalidInput
        Where a learner holds something of its own, which nobody can say how to share.
    """
    arrays, words = session.arrays(), session.parameters.words
    parameters = session.parameters.arrays()
    learned = [name for name in session.learned() if name not in stands_still]
    dense = [name for name in session.learned() if name != "weights"]
    rows = [PARAMETERS + "weights"]
    others = [PARAMETERS + name if name in parameters else name for name in learned]
    others.remove(PARAMETERS + "weights")
    for name, array in arrays.items():
        if name.startswith((AVERAGE, PARAMETERS)) or name in dense:
            continue
        if not name.startswith(OPTIMIZER):
            raise InvalidInput(
                f"replicas must be 1 with this learner: it holds {name!r}, which replicas cannot "
                f"share"
            )
        of_another = [one for one in dense if name.startswith(f"{OPTIMIZER}{one}_")]
        if array.ndim >= 2 and len(array) == words and not of_another:
            rows.append(name)
        elif not of_another or any(one in learned for one in of_another):
            others.append(name)
    return Names(tuple(rows), tuple(others))
