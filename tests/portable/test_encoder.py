"""An exported encoder gives the vectors and topics of its model, with NumPy alone."""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from undertow import DeepReplicatedSoftmax, InvalidInput, ReplicatedSoftmax, TopicModel
from undertow.portable import Encoder, archive, encoder, write_encoder

TOLERANCE = 1e-4  # which the docstring of `encode` states; half precision: 1e-2
WORDS = (
    "rocket MOON orbit Probe comet <b>star</b> naïve ΟΔΟΣ ışık İzmir",
    "apple pear Cake honey &eacute;clair plum's x1 7up 中文 Straße running",
)


def texts_of(seed: int, documents: int = 60) -> list[str]:
    generator = np.random.default_rng(seed)
    return [
        " ".join(generator.choice(WORDS[row % 2].split(), generator.integers(3, 25)))
        for row in range(documents)
    ]


def fitted(texts: Any, **options: Any) -> TopicModel:
    usual = {"max_epochs": 3, "random_state": 0, "segmenter": None}
    return TopicModel(6, **{**usual, **options}).fit(texts)


def encoder_of(model: TopicModel | ReplicatedSoftmax, precision: str = "single") -> Encoder:
    content = archive.parts(model)
    arrays = {**content[2]}
    if precision == "half":
        arrays = {name: one.astype(np.float16) for name, one in arrays.items()}
    return Encoder(json.loads(json.dumps(content[0])), content[1], arrays)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"ngram_range": (1, 2), "stop_words": ["moon", "pear"]},
    {"token_pattern": r"\S+", "lowercase": False, "strip_html": True},
    {"token_pattern": r"(?i)[a-zß]{3,}|\d", "weighting": None, "count_transform": None},
    {"stemmer": "english", "features": "posterior"},
    {"features": "strength", "min_df": 2, "learner": "cd"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "plain")
def test_vectors_and_topics_are_those_of_the_model(options: dict[str, Any]) -> None:
    seed = OPTIONS.index(options)  # another corpus each time
    model, asked = fitted(texts_of(seed), **options), [*texts_of(seed + 10, 30), "", "zebra?", "Σ"]
    asked.append("moon " * 400)
    small = encoder_of(model)
    np.testing.assert_allclose(small.encode(asked), model.transform(asked), atol=TOLERANCE)
    for kind in encoder.KINDS:
        np.testing.assert_allclose(
            small.encode(asked, kind), model.encode(asked, kind), atol=TOLERANCE, rtol=TOLERANCE
        )
    np.testing.assert_allclose(small.topics(asked), model.transform_topics(asked), atol=1e-3)
    assert small.topic_names == list(model.topic_names().values())
    assert small.words == list(model.words())


def test_lists_of_tokens_are_counted_as_they_are() -> None:
    baskets = [text.split() for text in texts_of(0)]
    model = fitted(baskets)
    small, asked = encoder_of(model), [["MOON", "MOON", "x" * 300], [], ["pear", "Cake"]]
    np.testing.assert_allclose(small.encode(asked), model.transform(asked), atol=TOLERANCE)
    shown = [" ".join(tokens) for tokens in asked]
    np.testing.assert_allclose(small.encode(shown), model.transform(shown), atol=TOLERANCE)


def test_weights_of_words_that_are_given_and_zero() -> None:
    words = ["moon", "orbit", "apple", "pear", "cake"]
    model = fitted(texts_of(0), vocabulary=words, weighting=np.array([0.0, 1.0, 2.0, 0.5, 0.0]))
    small, asked = encoder_of(model), ["moon moon", "moon orbit", "cake", "apple pear"]
    np.testing.assert_allclose(small.encode(asked), model.transform(asked), atol=TOLERANCE)
    np.testing.assert_allclose(small.topics(asked), model.transform_topics(asked), atol=1e-3)
    assert not small.topics(["moon moon"]).any()


def test_nothing_of_a_text_is_about_a_topic_that_was_dropped() -> None:
    model, asked = fitted(texts_of(0)), texts_of(10, 30)
    model.drop_topic(model.topics(2)[0].id)
    found, expected = encoder_of(model).topics(asked), model.transform_topics(asked)
    assert (~expected.any(axis=1)).any()
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_model_of_counts_encodes_counts_dense_or_sparse() -> None:
    counts = np.random.default_rng(0).poisson(0.7, (40, 12))
    model = ReplicatedSoftmax(5, max_epochs=3, random_state=0).fit(counts)
    small = encoder_of(model)
    for given in (counts, sparse.csr_array(counts), sparse.coo_matrix(counts)):
        found = small.encode_counts(given)
        np.testing.assert_allclose(found, model.transform(counts), atol=TOLERANCE)
    with pytest.raises(ValueError, match="texts must be counted first"):
        small.encode(["moon"])
    with pytest.raises(ValueError, match=r"counts must have a column for each of 12 words"):
        small.encode_counts(counts[:, :5])
    with pytest.raises(ValueError, match="the model must have topics"):
        small.topics([])


def test_words_of_a_segmenter_are_not_found_but_their_counts_are_encoded() -> None:
    texts = ["猫在家里睡觉", "狗在外面跑步"] * 20
    model = fitted(texts, segmenter="pairs")
    small = encoder_of(model)
    with pytest.raises(ValueError, match="the encoder has no pairs words; use encode_counts"):
        small.encode(texts)
    counts = model.counts(texts)
    np.testing.assert_allclose(small.encode_counts(counts), model.transform(texts), atol=TOLERANCE)


def test_half_precision_is_near() -> None:
    model, asked = fitted(texts_of(0)), texts_of(3)
    found = encoder_of(model, "half").encode(asked)
    np.testing.assert_allclose(found, model.transform(asked), atol=1e-2)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[TopicModel, Path]:
    model = fitted(texts_of(0))
    return model, write_encoder(model, tmp_path_factory.mktemp("out") / "encoder.pyz")


def test_the_file_is_a_program_and_a_module_that_need_numpy_alone(
    exported: tuple[TopicModel, Path],
) -> None:
    """In an interpreter that finds nothing of undertow, and refuses other libraries."""
    model, path = exported
    asked = texts_of(5, 3)
    code = (
        "import json, runpy, sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name.partition('.')[0] in ('undertow', 'scipy', 'polars', 'numba'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        f"sys.argv = [{str(path)!r}]\n"
        f"runpy.run_path({str(path)!r}, run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="\n".join(asked), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    np.testing.assert_allclose(rows, model.transform(asked), atol=TOLERANCE)


def test_the_module_imports_numpy_and_the_standard_library_alone() -> None:
    tree = ast.parse(Path(encoder.__file__).read_text(encoding="utf-8"))
    names = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name) or ""
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    others = {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names)
    assert others == {"numpy", "Stemmer"}  # the second where a model stems


def test_the_same_model_gives_the_same_bytes_and_numpy_reads_them(
    exported: tuple[TopicModel, Path], tmp_path: Path
) -> None:
    model, path = exported
    assert write_encoder(model, tmp_path / "again.pyz").read_bytes() == path.read_bytes()
    with np.load(path, allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["weights"], model.softmax_.parameters_.weights)
    folder = model.save(tmp_path / "model")
    assert write_encoder(folder, tmp_path / "stored.pyz").read_bytes() == path.read_bytes()


def test_what_is_no_encoder_is_refused(exported: tuple[TopicModel, Path], tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(ValueError, match="path must be an encoder of undertow, got"):
        Encoder.load(tmp_path / "text")
    later = tmp_path / "later.pyz"
    with zipfile.ZipFile(exported[1]) as old, zipfile.ZipFile(later, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, b'{"format": 2}' if name == encoder.SETTINGS else content)
    with pytest.raises(ValueError, match=r"path must be of format 1, got 2"):
        Encoder.load(later)
    pickled = io.BytesIO()
    np.save(pickled, np.array([{}], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(later, "a") as new:
        new.writestr("evil.npy", pickled.getvalue())
    with pytest.raises(ValueError, match="allow_pickle=False"):
        Encoder.load(later)


def test_wrong_texts_and_kinds_are_refused(exported: tuple[TopicModel, Path]) -> None:
    small = Encoder.load(exported[1])
    with pytest.raises(ValueError, match="texts must be several texts, got a single one"):
        small.encode("moon")
    with pytest.raises(ValueError, match=r"got None in row 1"):
        small.encode(["moon", None])
    with pytest.raises(ValueError, match=r"kind must be one of balanced, .*, got 'code'"):
        small.encode(["moon"], "code")


def test_models_that_cannot_be_exported_say_why(tmp_path: Path) -> None:
    counts = np.random.default_rng(0).poisson(0.7, (30, 8))
    deep = DeepReplicatedSoftmax(3, max_epochs=1, random_state=0).fit(counts)
    with pytest.raises(InvalidInput, match="model must have one layer"):
        write_encoder(deep, tmp_path / "a.pyz")
    texts = texts_of(0)
    joined = TopicModel(4, max_epochs=1, random_state=0)
    joined.fit(texts, vectors=np.random.default_rng(0).normal(size=(len(texts), 3)))
    with pytest.raises(InvalidInput, match="model must have vectors of its own alone"):
        write_encoder(joined, tmp_path / "a.pyz")
    with pytest.raises(InvalidInput, match="model must be a TopicModel"):
        write_encoder(pl.DataFrame(), tmp_path / "a.pyz")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"precision must be one of 'single', 'half'"):
        write_encoder(deep, tmp_path / "a.pyz", precision="double")
    assert not list(tmp_path.iterdir())
    (tmp_path / "a.pyz").touch()
    with pytest.raises(InvalidInput, match="path must not exist yet"):
        write_encoder(deep, tmp_path / "a.pyz")
