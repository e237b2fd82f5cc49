"""Pairs of words that are written together, and stems as they are written."""

from __future__ import annotations

import numpy as np

from undertow import Vectorizer
from undertow.topics._phrases import Pairs, find_pairs, written_forms

SENTENCES = [
    "the space shuttle landed",
    "a Space  Shuttle was seen",
    "of space-shuttle engines",
    "no space\nshuttle today",
    "space is large",
    "mail me at cs.pitt.edu",
    "it is cs.pitt.edu again",
    "from cs.pitt.edu too",
    "and cs.pitt.edu once more",
    "prices, costs and so on",
    "prices, costs and more",
    "prices, costs and less",
    "prices, costs at last",
]


def pairs_of(texts: list[str], **options: object) -> tuple[set[str], Pairs, list[str]]:
    vectorizer = Vectorizer(**options)  # type: ignore[arg-type]
    counts = vectorizer.fit_transform(texts)
    frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
    found = find_pairs(vectorizer, texts, frequencies)
    words = [str(word) for word in vectorizer.get_feature_names_out()]
    return {f"{words[first]} {words[second]}" for first, second in found.words}, found, words


def test_words_that_are_written_together_are_a_pair() -> None:
    names, found, words = pairs_of(SENTENCES)
    assert "space shuttle" in names
    place = found.words.tolist().index([words.index("space"), words.index("shuttle")])
    np.testing.assert_array_equal(
        found.presence[:, [place]].toarray().ravel(), [1, 1, 1, 1, *[0] * 9]
    )


def test_what_has_something_else_between_is_none() -> None:
    names, _, _ = pairs_of(SENTENCES)
    assert not names & {"cs pitt", "pitt edu", "prices costs", "shuttle space"}


def test_a_pair_is_in_four_documents_and_three_tenths_of_the_rarer_word() -> None:
    texts = ["red wine"] * 3 + ["white wine"] * 4 + ["white and wine alone"] * 9
    assert "red wine" not in pairs_of(texts)[0]
    assert "white wine" in pairs_of(texts)[0]  # 4 of 13
    assert "white wine" not in pairs_of([*texts, "white and wine alone"])[0]  # 4 of 14


def test_no_pair_goes_from_one_document_into_the_next() -> None:
    texts = ["red wine"] * 4 + ["it is red", "wine is drunk"]
    _, found, words = pairs_of(texts)
    place = found.words.tolist().index([words.index("red"), words.index("wine")])
    np.testing.assert_array_equal(found.presence[:, [place]].toarray().ravel(), [1, 1, 1, 1, 0, 0])


def test_a_pair_in_one_document_counts_once() -> None:
    assert "red wine" not in pairs_of(["red wine and red wine, red wine, red wine", "x y"])[0]


def test_pairs_of_stems_are_those_of_their_forms() -> None:
    texts = [
        "elected governments fall",
        "an elected government",
        "electing governments",
        "elected governments",
    ]
    names, found, _ = pairs_of(texts, stemmer="english")
    assert "elect govern" in names
    assert found.presence.shape == (4, len(found.words))


def test_no_texts_have_no_pairs() -> None:
    vectorizer = Vectorizer().fit(["a text of words"])
    for texts in ([], [""], ["unknown"]):
        found = find_pairs(vectorizer, texts, np.zeros(len(vectorizer.vocabulary_), dtype=np.int64))
        assert found.words.shape == (0, 2)
        assert found.presence.shape == (len(texts), 0)


def test_stems_are_written_as_they_are_most_often() -> None:
    texts = [
        "government governments governing",
        "Government of governments",
        "a government",
        "nations national",
    ]
    forms = written_forms(Vectorizer(stemmer="english").fit(texts), texts)
    assert forms["govern"] == "government"
    assert forms["nation"] == "national"  # as often as "nations": alphabetically
    assert written_forms(Vectorizer().fit(texts), texts) == {}
    assert written_forms(Vectorizer(stemmer="english").fit(texts), []) == {}
