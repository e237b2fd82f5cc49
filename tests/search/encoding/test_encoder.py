"""Questions are encoded without the estimator, as the estimator would."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import run
from typing import Any

import numpy as np
import polars as pl
import pytest

from undertow import InvalidInput, ModelFileError, TopicModel, load
from undertow.counts import CountBatch
from undertow.engines import Engine
from undertow.model import Parameters
from undertow.search import Index
from undertow.search.encoding import encoder
from undertow.search.encoding.encoded import Encoded
from undertow.search.encoding.encoder import Encoder
from undertow.vectors import encoding
from undertow.vectors.joining import unit

ODD = [
    *(
        "",
        " ",
        "xylophone",
        "the of and",
        "apple",
        "Apple, PEAR; plum!",
        "apple " * 300,
        "don't brake",
    ),
    *(
        "engines braking gears",
        "ÉCOLE naïve café",
        "ΑΣ ΣΟΦΙΑ apple",
        "\u0915\u094d\u200d\u0937 apple",
    ),
    *(
        "<b>apple</b> &amp; pear",
        "中文 apple",
        "a\u0301pple",
        "\U00016d40\U00016d41 apple",
        "apple\x00pear",
    ),
    "road_driver 7 42",
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"stop_words": "english", "stemmer": "english"},
    {"ngram_range": (1, 2), "stop_words": ["apple"]},
    {"token_pattern": r"\w+", "lowercase": False},
    {"strip_html": True},
    {"segmenter": "chinese"},
]
HEAVY = ("sklearn", "numba", "polars", "pandas", "scipy", "undertow.estimators.topic_model")


def _never() -> TopicModel:
    raise AssertionError("the estimator was asked for")


def _saved(
    folder: Path, texts: list[str], count_transform: Any = "log", **options: Any
) -> TopicModel:
    options |= {"count_transform": count_transform, "max_epochs": 2, "batch_size": 32}
    model = TopicModel(9, random_state=0, **options).fit(texts)
    model.save(folder)
    return model


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_vectors_codes_and_words_are_the_estimators(
    options: dict[str, Any], tmp_path: Path, table: pl.DataFrame
) -> None:
    texts = [*table["text"].head(40), *ODD]
    model = _saved(tmp_path / "m", texts, **options)
    encoded = Encoder.load(tmp_path / "m", _never).encode(texts)
    strengths = model.encode(texts, "strength")
    lengths = np.linalg.norm(strengths, axis=1, keepdims=True)
    np.testing.assert_allclose(encoded.vectors, strengths / lengths, atol=1e-6)
    np.testing.assert_array_equal(encoded.codes, model.encode(texts, "code"))
    counts = model.counts(texts)
    assert encoded.known.tolist() == [
        bool(total) for total in counts @ model.softmax_.word_weights_
    ]
    for row in range(len(texts)):
        np.testing.assert_array_equal(encoded.words(row)[0], counts[[row]].indices)


def test_many_texts_have_the_estimators_bits_by_inputs_that_are_computed_once(
    tmp_path: Path, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [*table["text"], *ODD]
    model = _saved(tmp_path / "m", texts)
    strengths, codes = model.encode(texts, "strength"), model.encode(texts, "code")
    calls: list[int] = []
    inputs = encoding.inputs

    def counted(parameters: Parameters, batch: CountBatch, *, engine: Engine) -> Any:
        calls.append(batch.size)
        return inputs(parameters, batch, engine=engine)

    monkeypatch.setattr(encoding, "inputs", counted)
    encoded = Encoded.of(model, model.counts(texts))
    assert calls == [len(texts)]
    np.testing.assert_array_equal(encoded.vectors, unit(strengths))
    np.testing.assert_array_equal(encoded.codes, codes)


def test_counts_may_be_left_as_they_are(tmp_path: Path, table: pl.DataFrame) -> None:
    model = _saved(tmp_path / "m", table["text"].to_list(), count_transform=None)
    encoded = Encoder.load(tmp_path / "m", _never).encode(["apple " * 9])
    assert encoded.words(0)[1].tolist() == [9]
    strengths = model.encode(["apple " * 9], "strength")
    np.testing.assert_allclose(encoded.vectors, strengths / np.linalg.norm(strengths), atol=1e-6)


def test_settings_that_are_not_known_are_left_to_the_estimator(
    tmp_path: Path, model: TopicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.save(tmp_path / "m")

    def refuse(options: Any) -> Any:
        raise KeyError("a setting of another version")

    monkeypatch.setattr(encoder, "analyzer", refuse)
    encoded = Encoder.load(tmp_path / "m", lambda: model).encode(["apple pear"])
    assert encoded.known.tolist() == [True]


def test_a_model_of_counts_or_a_damaged_one_is_refused(tmp_path: Path, model: TopicModel) -> None:
    model.softmax_.save(tmp_path / "counts")
    with pytest.raises(InvalidInput, match="must be a model of texts"):
        Encoder.load(tmp_path / "counts", _never)
    model.save(tmp_path / "m")
    header = json.loads((tmp_path / "m" / "model.json").read_text())
    header["manifest"]["training"]["typical_length"] = 1
    (tmp_path / "m" / "model.json").write_text(json.dumps(header))
    with pytest.raises(ModelFileError, match="checksum"):
        Encoder.load(tmp_path / "m", _never)


def test_the_outline_is_that_of_the_atlas(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame
) -> None:
    model.save(tmp_path / "m")
    encoder = Encoder.load(tmp_path / "m", _never)
    outline, atlas = encoder.outline, model.atlas_
    assert outline is not None
    nodes = atlas.cut()
    assert outline.cut() == nodes
    assert outline.names_of(nodes) == list(model.topic_names().values())
    texts = table["text"].head(30).to_list()
    vectors = encoder.encode(texts).vectors
    np.testing.assert_array_equal(outline.leaves_of(vectors)[0], atlas.leaves_of(vectors)[0])
    np.testing.assert_allclose(
        outline.shares_in_numpy(vectors, nodes), model.transform_topics(texts), atol=1e-4
    )


def test_unit_names_are_the_models(tmp_path: Path, model: TopicModel) -> None:
    model.save(tmp_path / "m")
    encoder = Encoder.load(tmp_path / "m", _never)
    assert [encoder.unit_name(unit) for unit in range(12)] == model.unit_names()
    named = load(tmp_path / "m")
    assert isinstance(named, TopicModel)
    named.name_units({3: "orchards"}).save(tmp_path / "named")
    assert Encoder.load(tmp_path / "named", _never).unit_name(3) == "orchards"


def test_questions_load_nothing_heavy(index: Index) -> None:
    code = (
        "import sys; from undertow.search import Index\n"
        f"index = Index.open({str(index.path)!r})\n"
        "for mode in ('semantic', 'text', 'hybrid'): assert index.search('ripe apple', 3, "
        "mode=mode)\n"
        "assert index.search(like='d1', where=\"label = 'cars'\")\n"
        "assert len(index.info()) > 3 and index.knows('apple') and index.outline is not None\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
        "assert index.model.words()[0]"
    )
    found = run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(json.loads(found.stdout.replace("'", '"')))
    assert loaded <= {"pandas"}  # which pyarrow loads where it is installed
