"""What a model says of documents: vectors of every kind, scores and free energies.

Weighted counts are u = w * v and the weighted length is L = sum of u; both may be real numbers. The
mathematics is written out, slowly, in `undertow.kernels.reference.energies`. `engine` is what
computes: all cores where none is given.

Models learned by alpha-NCE with the uniform contrastive estimate are feature extractors: their free
energies and word probabilities are not calibrated. Models learned by plain NCE, CD or PCD approach
the distribution of the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch
from undertow.engines import Engine, find_engine
from undertow.model.parameters import Parameters
from undertow.model.token_factor import logistic
from undertow.model.two_layers import TwoLayers
from undertow.vectors.codes import Codes, seen_as_code
from undertow.vectors.directions import direction_weights
from undertow.vectors.features import Balance, beside, mean_inputs, strengths_of, units_side
from undertow.vectors.latent import latent_inputs, latent_posteriors, log_bounds

CPU = "cpu"
FEATURES = ("balanced", "posterior", "soft", "activation", "strength")
VECTOR_KINDS = (*FEATURES, "code")
SOFT = 0.25  # of the typical length: what "soft" takes a document to


@dataclass(frozen=True)
class Measures:
    """What vectors are measured by, found when a model is trained.

    Parameters
    ----------
    typical_length : float
        The weighted length that "soft" and "strength" go by.
    balance : Balance
        What "balanced" goes by.
    codes : Codes or None
        What "code" goes by; none in models of earlier versions.

    Examples
    --------
    >>> from undertow.vectors import Balance, Measures
    >>> units_alone = Balance(3.0, np.zeros(3, np.float32), np.zeros((4, 0), np.float32))
    >>> Measures(20.0, units_alone).balance.width
    3
    """

    typical_length: float
    balance: Balance
    codes: Codes | None = None


def encode(
    kind: str,
    parameters: Parameters,
    batch: CountBatch,
    measures: Measures,
    *,
    engine: Engine | None = None,
    n_bits: int | None = None,
) -> NDArray[Any]:
    """Vectors of a kind.

    Parameters
    ----------
    kind : str
        One of `VECTOR_KINDS`: "balanced", "posterior", "soft", "activation", "strength" or "code".
    parameters : undertow.Parameters
        The model.
    batch : CountBatch
        The documents.
    measures : Measures
        What vectors are measured by.
    engine : Engine, optional
        What computes; all cores where none is given.
    n_bits : int or None
        Of a "code": 32, 64, 128 or 256, where they are fewer than the units; None for one for each
        unit.

    Returns
    -------
    array, (documents, ...)
        float32; a "code" is bits, packed into bytes.

    Raises
    ------
    InvalidInput
        Where there is no such kind, or no code of so many bits.

    Examples
    --------
    >>> from undertow.vectors import Balance, Measures, encode
    >>> directions = np.eye(4, 2, dtype=np.float32)
    >>> measures = Measures(20.0, Balance(3.0, np.zeros(3, np.float32), directions))
    >>> encode("balanced", parameters, batch, measures).shape
    (2, 5)
    >>> encode("code", parameters, batch, measures).shape
    (2, 1)
    """
    _check.one_of("kind", kind, VECTOR_KINDS)
    if n_bits is not None and kind != "code":
        raise InvalidInput(f"n_bits must be left out unless the kind is 'code', got {n_bits!r}")
    if kind == "balanced":
        return balanced(parameters, batch, measures.balance, engine=engine)
    if kind == "activation":
        return activations(parameters, batch, engine=engine)
    if kind == "soft":
        length = SOFT * measures.typical_length
        return soft_posteriors(parameters, batch, length, engine=engine)
    if kind == "strength":
        return strengths(parameters, batch, measures.typical_length, engine=engine)
    if kind == "code":
        sums, lengths = inputs(parameters, batch, engine=engine)
        bias, length = parameters.hidden_bias, measures.typical_length
        _, bits = seen_as_code(sums, lengths, bias, length, measures.codes, n_bits)
        return np.packbits(bits, axis=1)
    return posteriors(parameters, batch, engine=engine)


def inputs(
    parameters: Parameters, batch: CountBatch, *, engine: Engine | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """W.u of each document, without the hidden bias, and the weighted lengths L; of two layers, of
    each document with the latent words that it makes likely.
    """
    chosen = engine or find_engine(CPU)
    if isinstance(parameters, TwoLayers):
        return latent_inputs(parameters, batch, engine=chosen)
    return chosen.inputs(parameters.weights, parameters.word_weights, batch)


def posteriors(
    parameters: Parameters, batch: CountBatch, *, engine: Engine | None = None
) -> NDArray[np.float32]:
    """P(h_j = 1 | V) = sigmoid(W_j.u + L a_j): the features of the paper. Of two layers, by mean
    field.

    Parameters
    ----------
    parameters : undertow.Parameters
        The model.
    batch : CountBatch
        The documents.
    engine : Engine, optional
        What computes; all cores where none is given.

    Returns
    -------
    array of float32, (documents, units)
        Probabilities. An empty document gets 1/2 throughout.

    Examples
    --------
    >>> from undertow.vectors import posteriors
    >>> posteriors(parameters, batch)[1]
    array([0.5, 0.5, 0.5], dtype=float32)
    """
    if isinstance(parameters, TwoLayers):
        return latent_posteriors(parameters, batch, engine=engine)
    return (engine or find_engine(CPU)).posteriors(parameters, batch)[0]


def activations(
    parameters: Parameters, batch: CountBatch, *, engine: Engine | None = None
) -> NDArray[np.float32]:
    """The posterior's argument divided by L: the mean input per token.

    Parameters
    ----------
    parameters : undertow.Parameters
        The model.
    batch : CountBatch
        The documents.
    engine : Engine, optional
        What computes; all cores where none is given.

    Returns
    -------
    array of float32, (documents, units)
        Means. An empty document gets 0.

    Examples
    --------
    >>> from undertow.vectors import activations
    >>> by_hand = (2 * parameters.weights[0] + parameters.weights[2]) / 3
    >>> bool(np.allclose(activations(parameters, batch)[0], by_hand))
    True
    """
    return mean_inputs(*inputs(parameters, batch, engine=engine), parameters.hidden_bias)


def strengths(
    parameters: Parameters, batch: CountBatch, length: float, *, engine: Engine | None = None
) -> NDArray[np.float32]:
    """log(1 + softplus(x)), x the posterior's argument if the document, with its shares of words,
    were `length` long.

    Where posteriors of two documents are both 1, it still says which is more about the topic; and a
    query of three words can be compared with a page.

    Parameters
    ----------
    parameters : undertow.Parameters
        The model.
    batch : CountBatch
        The documents.
    length : float
        How long all documents are made: in weighted counts, as the typical length is.
    engine : Engine, optional
        What computes; all cores where none is given.

    Returns
    -------
    array of float32, (documents, units)
        Strengths, above 0. An empty document gets log(1 + log 2).

    Examples
    --------
    >>> from undertow.vectors import strengths
    >>> strengths(parameters, batch, 20.0)[1].round(3)
    array([0.527, 0.527, 0.527], dtype=float32)
    """
    return strengths_of(activations(parameters, batch, engine=engine), length)


def balanced(
    parameters: Parameters, batch: CountBatch, balance: Balance, *, engine: Engine | None = None
) -> NDArray[np.float32]:
    """What units say beside what words say, as vectors of length 1.

    One vector for classifiers, retrieval and clusters alike. Units: strengths by their spread over
    the corpus, less half their mean, which do not saturate as posteriors do and keep what a unit
    says below its threshold. Words: where the document lies in the directions in which documents
    differ most.

    Parameters
    ----------
    parameters : undertow.Parameters
        The model.
    batch : CountBatch
        The documents.
    balance : Balance
        What the two sides are measured by.
    engine : Engine, optional
        What computes; all cores where none is given.

    Returns
    -------
    array of float32, (documents, units + directions)
        Units first. An empty document gets zeros.

    Examples
    --------
    >>> from undertow.vectors import Balance, balanced
    >>> balance = Balance(3.0, np.zeros(3, np.float32), np.eye(4, 2, dtype=np.float32))
    >>> np.linalg.norm(balanced(parameters, batch, balance), axis=1).round(3)
    array([1., 0.], dtype=float32)
    """
    sums, lengths = inputs(parameters, batch, engine=engine)
    units = units_side(mean_inputs(sums, lengths, parameters.hidden_bias), lengths, balance)
    if balance.width == parameters.units:
        return units
    weights = direction_weights(parameters.word_weights)
    words, _ = (engine or find_engine(CPU)).inputs(balance.directions, weights, batch)
    words[lengths == 0] = 0.0  # its words have no weight: it is empty
    return beside(units, words)


def soft_posteriors(
    parameters: Parameters, batch: CountBatch, length: float, *, engine: Engine | None = None
) -> NDArray[np.float32]:
    """Posteriors of documents with the same shares of words, at another length.

    At a short one they do not saturate.

    Parameters
    ----------
    parameters : undertow.Parameters
        The model.
    batch : CountBatch
        The documents.
    length : float
        How long all documents are made, in weighted counts.
    engine : Engine, optional
        What computes; all cores where none is given.

    Returns
    -------
    array of float32, (documents, units)
        Probabilities. An empty document gets 1/2 throughout.

    Examples
    --------
    >>> from undertow.vectors import posteriors, soft_posteriors
    >>> same = soft_posteriors(parameters, batch, 3.0)[0]  # its own length
    >>> bool(np.allclose(same, posteriors(parameters, batch)[0]))
    True
    """
    x = np.float32(length) * activations(parameters, batch, engine=engine)
    return logistic(x).astype(np.float32, copy=False)


def scores(
    parameters: Parameters, batch: CountBatch, *, engine: Engine | None = None
) -> NDArray[np.float64]:
    """S(u) = sum_j softplus(W_j.u + L a_j) - H log 2: what hidden units add to a document's fit, by
    its own words alone.

    Parameters
    ----------
    parameters : undertow.Parameters
        The model.
    batch : CountBatch
        The documents.
    engine : Engine, optional
        What computes; all cores where none is given.

    Returns
    -------
    array of float64, (documents,)
        Scores. An empty document gets 0.

    Examples
    --------
    >>> from undertow.vectors import scores
    >>> scores(parameters, batch).shape
    (2,)
    """
    return (engine or find_engine(CPU)).posteriors(parameters, batch)[1]


def free_energies(
    parameters: Parameters, batch: CountBatch, *, engine: Engine | None = None
) -> NDArray[np.float64]:
    """F(V) = -(b.u + S(u) + H log 2).

    It is low for documents that the model finds likely among those of their length. Of two layers
    it is that of mean field, which is at least as high.

    Parameters
    ----------
    parameters : undertow.Parameters
        The model.
    batch : CountBatch
        The documents.
    engine : Engine, optional
        What computes; all cores where none is given.

    Returns
    -------
    array of float64, (documents,)
        Free energies. An empty document gets -H log 2.

    Examples
    --------
    >>> from undertow.vectors import free_energies
    >>> bool(np.isclose(free_energies(parameters, batch)[1], -3 * np.log(2)))
    True
    """
    if isinstance(parameters, TwoLayers):
        return -log_bounds(parameters, batch, engine=engine)
    pull = parameters.word_weights.astype(np.float64) * parameters.visible_bias
    owners = np.repeat(np.arange(batch.size), np.diff(batch.starts))
    of_words = np.bincount(owners, weights=pull[batch.words] * batch.counts, minlength=batch.size)
    result: NDArray[np.float64] = -(
        of_words + scores(parameters, batch, engine=engine) + parameters.units * np.log(2.0)
    )
    return result
