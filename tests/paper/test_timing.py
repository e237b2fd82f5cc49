"""The stopwatch: which documents it runs on, and that it counts the steps asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from undertow.learn import (
    AlphaNCE,
    ContrastiveDivergence,
    MetropolisDivergence,
    RatioMatching,
)
from undertow.paper.corpora import Corpora, Corpus
from undertow.paper.kinds import TimingCell
from undertow.paper.kinds.timing import ZIPF_SHIFT, timed_recipe, zipf_counts
from undertow.paper.recipe import learner as learner_of

CORPUS = Corpus("made-up posts", 60)


@pytest.mark.parametrize("learner", ["cd", "pcd", "mh-cd", "nce", "alpha-nce", "ratio-matching"])
@pytest.mark.parametrize(("words", "made_up"), [(20, False), (60, False), (500, True)])
def test_times_of_real_and_made_up_documents(
    learner: str, words: int, made_up: bool, tmp_path: Path
) -> None:
    cell = TimingCell(CORPUS, words, learner, 2, steps=4, threads=1)  # type: ignore[arg-type]
    figures = cell.run(Corpora(tmp_path))
    assert figures["steps"] == 4
    assert figures["made_up"] == made_up
    assert figures["median_ms"] > 0
    assert figures["tokens"] > 1


def test_what_is_timed_is_the_learner_that_is_named() -> None:
    draws = {
        "cd": ContrastiveDivergence(3),
        "pcd": ContrastiveDivergence(3, persistent=True),
        "mh-cd": MetropolisDivergence(proposals=3),
        "alpha-nce": AlphaNCE(n_noise=3, noise_level=0.5, sharpness=1.0),
        "nce": AlphaNCE(n_noise=3, noise_level=0.0, sharpness=1.0, uniform=False),
        "ratio-matching": RatioMatching(n_neighbours=3),
    }
    made = {name: learner_of(timed_recipe(name, 3)) for name in draws}  # type: ignore[arg-type]
    assert made == draws


def test_made_up_documents_have_real_lengths_and_zipfs_words() -> None:
    like = sparse.csr_array(np.array([[3, 0], [4, 1]], dtype=np.int32))
    counts, shares = zipf_counts(like, 1000, 4000)
    assert counts.shape == (4000, 1000)
    assert set(np.asarray(counts.sum(axis=1)).ravel()) == {3, 5}
    assert shares.sum() == pytest.approx(1.0)
    assert shares[0] / shares[9] == pytest.approx((9 + ZIPF_SHIFT) / ZIPF_SHIFT)
    tokens = counts.sum()
    expected = shares[0] * tokens
    assert abs(counts[:, [0]].sum() - expected) < 5 * np.sqrt(expected)  # five standard deviations
