"""Document vectors of a model of undertow, with NumPy and Python's own library alone.

This one file is also `undertow_encoder.py` in every archive that `undertow export` writes, so it
imports nothing of undertow. In a program:

    import sys
    sys.path.insert(0, "encoder.pyz")
    from undertow_encoder import Encoder
    encoder = Encoder.load("encoder.pyz")
    vectors = encoder.encode(["a rocket flew to the moon"])

In a shell, a text for each line and a list of numbers for each text:

    python encoder.pyz < texts.txt > vectors.jsonl
"""

from __future__ import annotations

import html
import io
import json
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

FORMAT = 1
SETTINGS, WORDS = "settings.json", "words.json"
KINDS = ("balanced", "posterior", "soft", "activation", "strength")
SOFT = 0.25  # of the typical length: what "soft" takes a document to
WORDS_SIDE = 0.7  # the length of the words' side of "balanced" where that of the units is 1
ROUNDS, TOLERANCE = 500, 1e-5  # of the search for a mixture of topics
AHEAD, MINIMUM, LEAST = 1.0001, 1e-6, 0.05  # of shares of topics
SIGMA = "Σ"  # its small form depends on its place, which Python knows

Array = np.ndarray[Any, Any]


class Encoder:
    """A model as far as vectors and topics of documents need it.

    Attributes
    ----------
    words : list of str
        The vocabulary, in the order of columns; empty for a model of counts.
    topic_names : list of str
        Of the topics that `topics` gives shares of.
    kind : str
        The kind of vectors that `encode` gives unless told otherwise.

    Examples
    --------
    >>> encoder = undertow.portable.Encoder.load(path)
    >>> encoder.encode(["a rocket near the moon"]).shape
    (1, 28)
    """

    def __init__(
        self, settings: Mapping[str, Any], words: Sequence[str], arrays: Mapping[str, Array]
    ) -> None:
        self._settings, self._arrays = settings, arrays
        self.words = list(words)
        self.topic_names: list[str] = settings["topic_names"]
        self.kind: str = settings["kind"]

    @classmethod
    def load(cls, path: Any) -> Encoder:
        """What `undertow export` wrote.

        Parameters
        ----------
        path : path
            The archive. Its data is read; none of its code is run.

        Returns
        -------
        Encoder
            Ready to use.

        Raises
        ------
        ValueError
            Where the file is no such archive, or one of a later version.

        Examples
        --------
        >>> undertow.portable.Encoder.load(path).topic_names == encoder.topic_names
        True
        """
        try:
            with zipfile.ZipFile(path) as archive:
                settings = json.loads(archive.read(SETTINGS))
                words = json.loads(archive.read(WORDS))
                names = [name for name in archive.namelist() if name.endswith(".npy")]
                arrays = {name[:-4]: _array(archive.read(name)) for name in names}
        except (KeyError, zipfile.BadZipFile, json.JSONDecodeError) as error:
            raise ValueError(f"path must be an encoder of undertow, got {path}: {error}") from error
        if settings.get("format") != FORMAT:
            raise ValueError(
                f"path must be of format {FORMAT}, got {settings.get('format')!r}: take the "
                f"undertow_encoder.py that is in it"
            )
        return cls(settings, words, arrays)

    def encode(self, texts: Iterable[Any], kind: str | None = None) -> Array:
        """Vectors of texts, as `TopicModel.encode` gives them, within 1e-4.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            Texts, or lists of tokens, which are counted as they are.
        kind : {"balanced", "posterior", "soft", "activation", "strength"} or None
            What vectors say; None for the model's own kind.

        Returns
        -------
        array of float32, (documents, dimensions)
            Vectors.

        Examples
        --------
        >>> encoder.encode(["the moon", "zebras"], "strength").shape
        (2, 16)
        """
        return self._vectors(self._bags(texts), kind)

    def encode_counts(self, counts: Any, kind: str | None = None) -> Array:
        """Vectors of documents that are given as counts of words.

        Parameters
        ----------
        counts : array or sparse matrix of SciPy, (documents, words)
            Whole numbers, columns in the order of the model's words.
        kind : str or None
            As of `encode`.

        Returns
        -------
        array of float32, (documents, dimensions)
            Vectors.

        Examples
        --------
        >>> encoder.encode_counts(model.counts(["moon"] * 12)).shape
        (12, 28)
        """
        return self._vectors(self._bags_of_counts(counts), kind)

    def topics(self, texts: Iterable[Any]) -> Array:
        """How much of each text is about each topic, as `TopicModel.transform_topics` says.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            Texts, or lists of tokens.

        Returns
        -------
        array of float32, (documents, topics)
            In the order of `topic_names`. A row adds to at most 1.

        Raises
        ------
        ValueError
            Where the model has no topics.

        Examples
        --------
        >>> encoder.topics(["a rocket in orbit", "zebras"]).sum(axis=1).round(2).tolist()
        [1.0, 0.0]
        """
        if not self.topic_names:
            raise ValueError("the model must have topics, got one without")
        bags = self._bags(texts)
        strengths = _unit(self._vectors(bags, "strength").astype(np.float64))
        strengths[~np.array([self._weighs(*bag) for bag in bags], dtype=bool)] = 0.0
        return _shares(strengths, self._arrays, self._settings["limits"])

    # Words

    def _bags(self, texts: Iterable[Any]) -> list[tuple[Array, Array]]:
        """Columns and counts of the known words of each document."""
        if self._settings["reader"] is None:
            raise ValueError(
                f"texts must be counted first, got texts: the encoder {self._settings['why']}; "
                f"use encode_counts"
            )
        if isinstance(texts, (str, bytes)):
            raise ValueError("texts must be several texts, got a single one: put it into a list")
        return [self._bag(text, row) for row, text in enumerate(texts)]

    def _bag(self, text: Any, row: int) -> tuple[Array, Array]:
        if isinstance(text, str):
            tokens = self._reader.tokens(text)
        elif isinstance(text, (list, tuple)) and all(isinstance(token, str) for token in text):
            tokens = list(text)
        else:
            raise ValueError(f"texts must be strings or lists of tokens, got {text!r} in row {row}")
        columns = self._columns
        terms = self._reader.terms(tokens)
        known = sorted(Counter(columns[term] for term in terms if term in columns).items())
        pairs = np.array(known, dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], self._damped(pairs[:, 1])

    def _bags_of_counts(self, counts: Any) -> list[tuple[Array, Array]]:
        width = len(self._arrays["weights"])
        matrix = counts.tocsr() if hasattr(counts, "tocsr") else np.asarray(counts)
        if matrix.ndim != 2 or matrix.shape[1] != width:
            raise ValueError(
                f"counts must have a column for each of {width} words, got {matrix.shape}"
            )
        bags = []
        for row in range(matrix.shape[0]):
            own = matrix[[row]]
            dense = np.asarray(own.toarray() if hasattr(own, "toarray") else own)[0]
            columns = np.flatnonzero(dense)
            bags.append((columns, self._damped(dense[columns])))
        return bags

    def _damped(self, counts: Array) -> Array:
        """ceil(log(1 + v)), in a model that was learned from such counts."""
        values = counts.astype(np.float64)
        return np.ceil(np.log1p(values)) if self._settings["damped"] else values

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {word: column for column, word in enumerate(self.words)}

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self._settings["reader"])

    # Vectors

    def _vectors(self, bags: Sequence[tuple[Array, Array]], kind: str | None) -> Array:
        chosen = self.kind if kind is None else kind
        if chosen not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {chosen!r}")
        arrays, typical = self._arrays, self._settings["typical_length"]
        sums, lengths = _inputs(bags, arrays["weights"], arrays["word_weights"])
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = sums / lengths[:, None] + arrays["hidden_bias"]
        mean[lengths == 0] = 0.0
        if chosen == "balanced":
            found = self._balanced(bags, mean, lengths)
        elif chosen == "activation":
            found = mean
        elif chosen == "strength":
            found = _strengths(typical * mean)
        else:
            scale = SOFT * typical if chosen == "soft" else lengths[:, None]
            found = 0.5 * (np.tanh(0.5 * scale * mean) + 1.0)
        return found.astype(np.float32)

    def _balanced(self, bags: Sequence[tuple[Array, Array]], mean: Array, lengths: Array) -> Array:
        """What units say, beside what words say."""
        arrays = self._arrays
        units = _unit(_strengths(self._settings["scale"] * mean) - arrays["centre"])
        units[lengths == 0] = 0.0
        if not arrays["directions"].shape[1]:
            return units
        words, _ = _inputs(bags, arrays["directions"], 1.0 + arrays["word_weights"])
        words[lengths == 0] = 0.0
        return _unit(np.hstack([units, WORDS_SIDE * _unit(words)]))

    def _weighs(self, columns: Array, counts: Array) -> bool:
        """Whether a document has a word that the model goes by."""
        return bool(self._arrays["word_weights"][columns] @ counts > 0)


class Reader:
    """From a text to its terms: words or n-grams, as the model counted them."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._pattern = re.compile(settings["pattern"])
        self._tags = [re.compile(pattern) for pattern in settings["tags"] or ()]
        lower = settings["lower"]
        self._lower = None if lower is None else str.maketrans(dict(zip(*lower, strict=True)))
        self._longest = settings["longest"]
        self._stop_words = frozenset(settings["stop_words"])
        self._shortest_ngram, self._longest_ngram = settings["ngram_range"]
        self._stemmer = _stemmer(settings["stemmer"])

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text."""
        if self._tags:
            tag, entity = self._tags
            text = tag.sub(" ", text)
            text = html.unescape(text) if entity.search(text) else text
        if self._lower is not None:
            text = text.lower() if text.isascii() else text.translate(self._lower)
            text = text.lower() if SIGMA in text else text
        found = (match[0] for match in self._pattern.finditer(text))
        return [token for token in found if self._longest is None or len(token) <= self._longest]

    def terms(self, tokens: Sequence[str]) -> list[str]:
        """Tokens of one document without stop words, stemmed, and their n-grams."""
        kept = [token for token in tokens if token not in self._stop_words]
        if self._stemmer is not None:
            kept = self._stemmer.stemWords(kept)
        return [
            " ".join(kept[first : first + n])
            for n in range(self._shortest_ngram, self._longest_ngram + 1)
            for first in range(len(kept) - n + 1)
        ]


def _stemmer(language: str | None) -> Any:
    if language is None:
        return None
    try:
        import Stemmer
    except ImportError:
        raise ValueError("texts must be stemmed: pip install PyStemmer, or count first") from None
    return Stemmer.Stemmer(language, 0)


def _array(content: bytes) -> Array:
    """Of half precision, or single; reckoned with in single."""
    found = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    return found.astype(np.float32) if found.dtype == np.float16 else found


def _inputs(
    bags: Sequence[tuple[Array, Array]], rows: Array, weights: Array
) -> tuple[Array, Array]:
    """Sums of the rows of each document's words, by counts and weights; and the weighted length."""
    sums, lengths = np.zeros((len(bags), rows.shape[1])), np.zeros(len(bags))
    for document, (columns, counts) in enumerate(bags):
        weighted = (weights[columns] * counts).astype(np.float32)
        sums[document] = weighted @ rows[columns]
        lengths[document] = weighted.sum(dtype=np.float64)
    return sums, lengths


def _strengths(x: Array) -> Array:
    """log(1 + softplus(x))."""
    return np.asarray(np.log1p(np.logaddexp(0.0, x)))


def _unit(vectors: Array) -> Array:
    """Rows of length 1; a row of zeros stays."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scaled = vectors / np.where(largest > 0, largest, 1.0)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.asarray(scaled / np.where(length > 0, length, 1.0))


def _shares(vectors: Array, arrays: Mapping[str, Array], limits: Sequence[float]) -> Array:
    """Amounts of topics as shares; documents far from all topics have less to share out."""
    amounts = _mixtures(vectors, arrays["topic_directions"])
    products = vectors @ arrays["routes"].T
    leaves = products.argmax(axis=1)
    own = np.where(vectors.any(axis=1), arrays["topic_of_leaf"][leaves], -1)
    inside = np.flatnonzero(own >= 0)
    first = amounts[inside].max(axis=1, initial=0.0) * AHEAD
    amounts[inside, own[inside]] = np.maximum(first, MINIMUM)
    part = amounts / np.maximum(amounts.sum(axis=1, keepdims=True), 1e-12)
    small = part < LEAST
    small[inside, own[inside]] = False
    part[small] = 0.0
    part /= np.maximum(part.sum(axis=1, keepdims=True), 1e-12)
    far, near = limits
    sure = np.clip((products.max(axis=1) - far) / max(near - far, 1e-6), 0.0, 1.0)
    part *= np.where(own >= 0, sure, 0.0)[:, None]
    return np.asarray(part, dtype=np.float32)


def _mixtures(vectors: Array, directions: Array) -> Array:
    """Amounts of the directions, none negative, whose sum comes closest to each vector."""
    directions = _unit(directions.astype(np.float64))
    gram = directions @ directions.T
    gram[np.diag_indices_from(gram)] = np.maximum(np.diag(gram), 1e-12)
    amounts, left = np.zeros((len(vectors), len(directions))), vectors @ directions.T
    going = np.arange(len(vectors))
    for _ in range(ROUNDS):
        moved = np.zeros(len(going))
        for place in range(len(directions)):
            before = amounts[going, place]
            after = np.maximum(before + left[going, place] / gram[place, place], 0.0)
            amounts[going, place] = after
            left[going] -= (after - before)[:, None] * gram[place]
            np.maximum(moved, np.abs(after - before), out=moved)
        going = going[moved > TOLERANCE]
        if not len(going):
            break
    return amounts


def main() -> None:
    """A text for each line of standard input; a list of numbers for each, as JSON."""
    encoder = Encoder.load(sys.argv[0])
    for line in sys.stdin:
        numbers = encoder.encode([line.rstrip("\n")])[0].tolist()
        sys.stdout.write(json.dumps([float(f"{number:.7g}") for number in numbers]) + "\n")
