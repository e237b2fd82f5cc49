"""Reading an index from one end to the other, and documents by their ids."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from tests.search.test_index import one
from undertow import InvalidInput, TopicModel
from undertow.search import Document, Index
from undertow.search.encoding.encoded import Encoded


def test_every_document_once_in_a_fixed_order(index: Index, table: pl.DataFrame) -> None:
    batches = list(index.scan(["id", "text", "label"], batch=50))
    assert [len(batch["id"]) for batch in batches] == [50, 50, 20]
    for name in ("id", "text", "label"):
        assert pl.concat([batch[name] for batch in batches]).to_list() == table[name].to_list()
    index.delete(["d5", "d7"])
    index.add(pl.concat([one("d0", "a wheel"), one("new", "zanzibar")]), replace=True)
    found = [name for batch in index.scan(["id"], batch=7) for name in batch["id"]]
    assert sorted(found) == sorted({*table["id"], "new"} - {"d5", "d7"})
    assert found == [name for batch in index.scan(["id"], batch=100) for name in batch["id"]]


def test_vectors_and_codes_are_those_that_were_stored(index: Index, model: TopicModel) -> None:
    index.add(pl.concat([one("empty", "zanzibar"), one("last", "a plum")]))
    (batch,) = index.scan(["vector", "text", "code"])
    texts = batch["text"]
    encoded, known = Encoded.of(model, model.counts(texts)), texts.to_numpy() != "zanzibar"
    assert known.tolist() == [*[True] * 120, False, True]
    assert batch["vector"].dtype == np.float32
    np.testing.assert_array_equal(batch["vector"][known], encoded.vectors[known].astype(np.float16))
    np.testing.assert_array_equal(batch["code"][known], encoded.codes[known])
    assert np.isnan(batch["vector"][~known]).all()
    assert not batch["code"][~known].any()


def test_some_places_alone(index: Index, table: pl.DataFrame) -> None:
    places = np.array([3, 4, 100])
    (batch,) = index.scan(["id"], places=places)
    assert batch["id"].to_list() == table["id"].gather(places).to_list()
    assert list(index.scan(["id"], places=places[:0])) == []
    for wrong in ([4, 3], [3, 3], [-1, 2], [0, 120]):
        with pytest.raises(InvalidInput, match="places must rise"):
            list(index.scan(["id"], places=np.array(wrong)))


def test_arguments_are_checked(index: Index) -> None:
    with pytest.raises(InvalidInput, match="columns must be one of"):
        list(index.scan(["colour"]))
    with pytest.raises(InvalidInput, match="batch must be"):
        list(index.scan(["id"], batch=0))


def test_documents_by_their_ids(index: Index, table: pl.DataFrame) -> None:
    index.add(one("it's", "a wheel", time=date(2026, 1, 31)))
    found = index.documents(["d9", "nobody", "it's", "d9"])
    expected = Document(
        "d9", table["text"][9], {"label": table["label"][9], "split": "train", "time": None}
    )
    assert found == [
        expected,
        None,
        Document("it's", "a wheel", {"label": None, "split": None, "time": date(2026, 1, 31)}),
        expected,
    ]
    assert index.document("d9") == expected
    assert index.document("nobody") is None
    assert index.documents([]) == []
    many = [f"d{number}" for number in range(119, -1, -1)] * 10
    assert [document.id for document in index.documents(many) if document] == many


@pytest.mark.parametrize("name", [3, None, "half \ud800"])
def test_ids_that_are_none_are_refused(index: Index, name: object) -> None:
    with pytest.raises(InvalidInput, match="ids must be"):
        index.documents([name])  # type: ignore[list-item]


def test_the_state_names_the_index_and_its_version(index: Index) -> None:
    before = index.state
    assert Index.open(index.path).state == before
    index.delete("d1")
    assert index.state != before
