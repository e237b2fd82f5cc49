"""An index whose vectors are joined with those of another encoder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from tests.search.conftest import make_table
from undertow import InvalidInput, TopicModel
from undertow._errors import IndexFileError
from undertow.search import Index
from undertow.search.filling import building, survey
from undertow.search.filling.rows import rows_of
from undertow.vectors.given import GivenVectors

WIDTH = 6
# Off by what half precision and bytes are: 2^-11 of each number of a vector of length 1, on both
# sides.
TOLERANCE = 2e-3


def made_up(documents: int = 120) -> NDArray[np.float64]:
    """What another encoder sees: groups that words say nothing of."""
    generator = np.random.default_rng(3)
    return (
        np.eye(WIDTH)[np.arange(documents) // 2 % WIDTH] * 2.0
        + generator.normal(size=(documents, WIDTH)) / 4
    )


VECTORS = made_up()


@pytest.fixture(scope="module")
def joined_model() -> TopicModel:
    model = TopicModel(12, max_epochs=40, batch_size=32, random_state=0)
    return model.fit(make_table(), vectors=VECTORS)


@pytest.fixture(scope="module")
def folder(joined_model: TopicModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("joined") / "index"
    Index.create(place, joined_model, make_table(), vectors=VECTORS)
    return place


@pytest.fixture
def joined(folder: Path, tmp_path: Path) -> Index:
    """Opened again, and free to be changed."""
    shutil.copytree(folder, tmp_path / "joined")
    return Index.open(tmp_path / "joined")


def cosines(vectors: NDArray[Any]) -> NDArray[np.float64]:
    wide = vectors.astype(np.float64)
    wide /= np.linalg.norm(wide, axis=1, keepdims=True)
    found: NDArray[np.float64] = wide @ wide.T
    return found


def by_hand(model: TopicModel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cosines by undertow alone, and by the other encoder alone."""
    texts = make_table()["text"]
    return cosines(model.softmax_.encode(model.counts(texts), "strength")), cosines(VECTORS)


def found_by(index: Index, n: int = 10, **options: Any) -> list[int]:
    hits = index.search(n=n, mode="semantic", duplicates=True, **options)
    return [int(hit.id.removeprefix("d")) for hit in hits]


def check_best(found: list[int], similar: NDArray[np.float64], besides: int | None = None) -> None:
    """The documents found are the most similar ones, up to rounding."""
    others = np.delete(similar, [] if besides is None else [besides])
    assert besides not in found
    np.testing.assert_allclose(similar[found], np.sort(others)[::-1][: len(found)], atol=TOLERANCE)


# Asking


@pytest.mark.parametrize("document", [0, 7, 50])
def test_neighbours_are_those_of_the_mean_of_two_cosines(joined: Index, document: int) -> None:
    own, other = by_hand(joined.model)
    found = found_by(joined, like=f"d{document}")
    check_best(found, (own[document] + other[document]) / 2, document)


def test_neighbours_are_others_than_those_of_either_side(joined: Index, index: Index) -> None:
    own, other = by_hand(joined.model)
    found, alone = set(found_by(joined, like="d7")), set(found_by(index, like="d7"))
    assert found != alone
    nearest = set(np.argsort(-other[7], kind="stable")[1:11].tolist())
    assert found != nearest
    assert other[7][list(found)].mean() > other[7][list(alone)].mean() + 0.5
    assert own[7][list(found)].mean() > own[7][list(nearest)].mean() + 0.1


def test_a_question_may_bring_its_vector(joined: Index) -> None:
    own, other = by_hand(joined.model)
    text = make_table()["text"][7]
    check_best(found_by(joined, query=text, vector=VECTORS[7]), (own[7] + other[7]) / 2)
    check_best(
        found_by(joined, query=text, vector=VECTORS[7][None].tolist()), (own[7] + other[7]) / 2
    )


def test_without_one_it_is_compared_by_words_alone(joined: Index) -> None:
    own, other = by_hand(joined.model)
    text = make_table()["text"][7]
    check_best(found_by(joined, query=text), own[7])
    check_best(found_by(joined, query=text, vector=np.zeros(WIDTH)), own[7])
    check_best(found_by(joined, query="qqqq", vector=VECTORS[7]), other[7])


def test_scores_are_shares_of_the_best_possible(joined: Index) -> None:
    text = make_table()["text"][7]
    for vector in (None, VECTORS[7]):
        for mode in ("semantic", "hybrid"):
            hits = joined.search(text, 5, vector=vector, mode=mode)
            assert hits[0].score > 0.95
            assert all(0.0 <= hit.score <= 1.0 for hit in hits)
    assert [hit.id for hit in joined.search(text, 1, vector=VECTORS[7])] == ["d7"]


def test_what_is_against_a_question_is_not_found(joined: Index) -> None:
    _, other = by_hand(joined.model)
    found = found_by(joined, query="qqqq", vector=VECTORS[7], n=120)
    assert 0 < len(found) < 120
    assert (other[7][found] > -TOLERANCE).all()
    assert (np.delete(other[7], found) < TOLERANCE).all()


def test_words_codes_and_reasons_are_as_before(joined: Index, index: Index) -> None:
    for mode in ("text", "code"):
        ours, theirs = (one.search("ripe fruit juice", 5, mode=mode) for one in (joined, index))
        assert [(hit.id, hit.score) for hit in ours] == [(hit.id, hit.score) for hit in theirs]
    hit = joined.search("ripe fruit juice", 1)[0]
    assert {part.word for part in hit.why.words} <= {"ripe", "fruit", "juice"}
    assert hit.why.topics
    names = joined.model.topic_names()
    assert all(names[part.topic] == part.name for part in hit.why.topics)


def test_questions_that_do_not_fit_are_said(joined: Index, index: Index) -> None:
    for vector, message in (
        ([1.0, 2.0], "vector must hold 6 numbers"),
        (VECTORS, "vector must hold 6 numbers"),
        (np.full(WIDTH, np.nan), "vector must be finite"),
    ):
        with pytest.raises(InvalidInput, match=message):
            joined.search("fruit", vector=vector)
    with pytest.raises(InvalidInput, match="vector must be used with a query, got one with like"):
        joined.search(like="d7", vector=VECTORS[7])
    with pytest.raises(
        InvalidInput, match="vector must be left out, as the index was made without vectors"
    ):
        index.search("fruit", vector=VECTORS[7])


# Making and changing it


def test_vectors_are_stored_side_by_side(joined: Index) -> None:
    assert joined.vectors_width == joined.info()["joined"] == WIDTH
    batch = next(iter(joined.scan(["id", "vector"])))
    own, other = by_hand(joined.model)
    vectors = batch["vector"].astype(np.float64)
    assert vectors.shape == (120, 12 + WIDTH)
    np.testing.assert_allclose(vectors @ vectors.T, (own + other) / 2, atol=TOLERANCE)
    others = joined.others(["d3", "nope"])
    assert others is not None
    np.testing.assert_allclose(
        cosines(np.vstack([others[0], VECTORS[3]]))[0, 1], 1.0, atol=TOLERANCE
    )
    assert not others[1].any()


def test_an_index_may_join_what_the_model_does_not_know(model: TopicModel, tmp_path: Path) -> None:
    made = Index.create(tmp_path / "made", model, make_table(), vectors=VECTORS)
    own, other = by_hand(model)
    check_best(found_by(made, like="d7"), (own[7] + other[7]) / 2, 7)
    assert made.others(["d7"]) is None  # topics go by undertow's side
    hit = made.search("ripe fruit juice", 1, mode="semantic")[0]
    shares = {one.id: one.share for one in model.document_topics([hit.text])[0].topics}
    assert hit.why.topics
    assert all(part.part <= shares[part.topic] + TOLERANCE for part in hit.why.topics)


def test_a_model_with_vectors_needs_them(
    joined_model: TopicModel, model: TopicModel, tmp_path: Path
) -> None:
    table = make_table()
    with pytest.raises(
        InvalidInput, match="vectors must be given, 6 numbers for each document, as to the model"
    ):
        Index.create(tmp_path / "made", joined_model, table)
    with pytest.raises(
        InvalidInput, match="vectors must have 6 numbers a row, as the model has, got 2"
    ):
        Index.create(tmp_path / "made", joined_model, table, vectors=VECTORS[:, :2])
    with pytest.raises(
        InvalidInput, match="vectors must have a row for each document, 120, got 119 rows"
    ):
        Index.create(tmp_path / "made", model, table, vectors=VECTORS[1:])
    assert not (tmp_path / "made").exists()


def test_an_index_without_documents_waits_for_vectors(
    joined_model: TopicModel, tmp_path: Path
) -> None:
    made = Index.create(tmp_path / "made", joined_model)
    assert made.vectors_width == WIDTH
    made.add(make_table(), vectors=VECTORS)
    own, other = by_hand(joined_model)
    check_best(found_by(made, like="d7"), (own[7] + other[7]) / 2, 7)


def test_documents_that_come_bring_theirs(joined: Index, index: Index) -> None:
    new = pl.DataFrame({"id": ["n1", "n2"], "text": ["ripe apple", "qqqq"]})
    with pytest.raises(
        InvalidInput,
        match="vectors must be given, 6 numbers for each document, as before, got none",
    ):
        joined.add(new)
    with pytest.raises(
        InvalidInput, match="vectors must have 6 numbers a row, as the index has, got 3"
    ):
        joined.add(new, vectors=VECTORS[:2, :3])
    with pytest.raises(InvalidInput, match="a row for each document, 2, got 1"):
        joined.add(new, vectors=VECTORS[:1])
    with pytest.raises(
        InvalidInput, match="vectors must be left out, as the index was made without any"
    ):
        index.add(new, vectors=VECTORS[:2])
    joined.add(new, vectors=VECTORS[:2])
    found = joined.search("qqqqq", 1, mode="semantic", vector=VECTORS[1], duplicates=True)
    assert found[0].id in ("d1", "n2")
    joined.add(new.tail(1), replace=True, vectors=-VECTORS[1:2])
    found = joined.search("qqqqq", 1, mode="semantic", vector=-VECTORS[1], duplicates=True)
    assert found[0].id == "n2"
    assert len(joined) == 122


def test_a_run_that_was_cut_off_goes_on_with_the_right_rows(
    joined_model: TopicModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "ROWS", 50)
    whole, calls = rows_of, iter([True, False])

    def stopping(*arguments: Any) -> Any:
        if not next(calls):
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(building, "rows_of", stopping)
    with pytest.raises(KeyboardInterrupt):
        Index.create(tmp_path / "made", joined_model, make_table(), vectors=VECTORS)
    monkeypatch.setattr(building, "rows_of", whole)
    with pytest.raises(InvalidInput, match="an unfinished index of other documents"):
        Index.create(tmp_path / "made", joined_model, make_table(), vectors=VECTORS[::-1])
    read: list[tuple[int, int]] = []
    part = GivenVectors.part

    def noted(self: GivenVectors, first: int, last: int) -> Any:
        read.append((first, last))
        return part(self, first, last)

    monkeypatch.setattr(GivenVectors, "part", noted)
    made = Index.create(tmp_path / "made", joined_model, make_table(), vectors=VECTORS)
    assert read[-2:] == [(50, 100), (100, 120)]
    own, other = by_hand(joined_model)
    check_best(found_by(made, like="d77"), (own[77] + other[77]) / 2, 77)


def test_small_vectors_are_made_again(joined: Index) -> None:
    before = found_by(joined, like="d7")
    for file in (joined.path / "words").glob("*.vectors"):
        file.unlink()
    assert found_by(Index.open(joined.path), like="d7") == before
    joined.optimize()
    assert list((joined.path / "words").glob("*.vectors"))
    assert found_by(Index.open(joined.path), like="d7") == before


def test_a_model_of_another_width_is_not_taken(
    folder: Path, model: TopicModel, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    opened = Index.open(tmp_path / "copy")
    opened.model.grow_topics(make_table()["text"], vectors=VECTORS[:, :3])
    with pytest.raises(
        InvalidInput,
        match="model must have topics of the 6 numbers that the index joins, or of none",
    ):
        opened.save_model()
    opened.model.grow_topics(make_table()["text"])
    opened.save_model()
    assert Index.open(tmp_path / "copy").search("ripe fruit juice", 1)[0].why.topics


def test_vectors_that_are_not_the_models_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from undertow.search.database.store import Store

    for widths in ((11, 18), (18, 18), (12, 13), (12, 9)):
        monkeypatch.setattr(Store, "widths", widths)
        with pytest.raises(IndexFileError, match="must hold vectors of its model"):
            Index.open(folder)
