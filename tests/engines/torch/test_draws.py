"""What the engine of PyTorch draws is what is drawn everywhere, to the last number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.engine import EPOCH, NUMBER, PLACE, SEED, Case, make_case, oracle_draws
from undertow.counts import CountBatch
from undertow.engines import Noise, Place, find_engine
from undertow.kernels import randomness
from undertow.kernels.cpu import gibbs as compiled
from undertow.kernels.randomness import Purpose
from undertow.kernels.reference import draws as slowly
from undertow.kernels.reference import gibbs as slowly_in_turn
from undertow.learn import AlphaNCE

torch = pytest.importorskip("torch", reason="torch is not installed")

from undertow.engines.torch import draws, gibbs, philox  # noqa: E402 - needs torch
from undertow.engines.torch.documents import documents_of  # noqa: E402
from undertow.engines.torch.session import TorchSession  # noqa: E402

LARGEST = 2**32 - 1
pytestmark = pytest.mark.usefixtures("torch_alone")
CPU = torch.device("cpu")


@pytest.mark.parametrize("seed", [0, 7, 2**31 - 1, 2**63 - 1, LARGEST << 16])
def test_philox(seed: int) -> None:
    """With counters at both ends of what they can be, where products run over into the sign."""
    documents = np.array([0, 1, 31, 2**31 - 1, 2**31, LARGEST])
    calls = np.array([0, 1, 5, 2**31, LARGEST])
    theirs = randomness.philox(seed, Purpose.WORD, 9, 11, documents[:, None], calls)
    ours = philox.philox(
        seed, Purpose.WORD, 9, 11, torch.from_numpy(documents)[:, None], torch.from_numpy(calls)
    )
    np.testing.assert_array_equal(ours.permute(1, 2, 0).numpy(), theirs.astype(np.int64))


def test_below() -> None:
    bits = np.array([0, 1, 2**31, LARGEST])
    bounds = np.array([1, 2, 1000, 2**31 - 1])
    ours = philox.below(torch.from_numpy(bits), torch.from_numpy(bounds)[:, None])
    expected = [[(bit * bound) >> 32 for bit in bits.tolist()] for bound in bounds.tolist()]
    assert ours.tolist() == expected


def _session(case: Case) -> TorchSession:
    session = find_engine("torch").begin(case.parameters, case.start)
    assert isinstance(session, TorchSession)
    return session


def _dense(words: Any, words_in_all: int, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Counts of words that lie one noise document after the other."""
    out = np.zeros((len(sizes), words_in_all), dtype=np.int64)
    np.add.at(out, (np.repeat(np.arange(len(sizes)), sizes), words), 1)
    return out


@pytest.mark.parametrize("noise", ["windows", "independent"])
@pytest.mark.parametrize("level", [0.0, 0.6, (0.1, 0.95)], ids=str)
@pytest.mark.parametrize("most", [3, 40, 700])
def test_all_of_a_step(level: Any, noise: Any, most: int) -> None:
    """Kept tokens, streams, windows and words of one's own; the longest documents need more
    numbers than are drawn at a time, and streams of their own length.
    """
    case = make_case(words=23, documents=70, most_tokens=most)
    options = AlphaNCE(n_noise=6, noise_level=level, noise=noise, stream_length=30)
    session, expected = _session(case), oracle_draws(case, options)
    kept = session.keep_words(case.batch(), PLACE, level)
    counts = np.zeros_like(case.counts)
    batch = case.batch()
    owners = np.repeat(np.arange(batch.size), np.diff(batch.starts))
    counts[owners, batch.words] = kept.counts.numpy()
    np.testing.assert_array_equal(counts, expected.kept)
    drawn = session.draw_noise(kept, Noise(6, noise == "independent", 30)).noise
    ones = torch.ones(len(drawn.words), dtype=torch.float64)
    found = drawn.rows(torch.eye(23, dtype=torch.float64), ones)
    np.testing.assert_array_equal(found.numpy().round().astype(np.int64), expected.noise)


def test_words_of_groups_of_any_size() -> None:
    """An odd number leaves half of a call over; a group may be empty."""
    p = np.random.default_rng(0).dirichlet(np.ones(11))
    sizes = np.array([0, 1, 2, 7, 0, 64, 3])
    words = draws.words_of_groups(
        SEED, Purpose.STREAM, (torch.arange(7), EPOCH, NUMBER), sizes, draws.alias_table(p, CPU)
    )
    table = slowly.alias_table(p)
    expected = [
        word
        for shard, size in enumerate(sizes.tolist())
        for word in slowly.stream(SEED, EPOCH, NUMBER, shard, table, size)
    ]
    assert words.tolist() == expected


@pytest.mark.parametrize("units", [1, 4, 13])
def test_hidden_units(units: int) -> None:
    generator = np.random.default_rng(1)
    chances = generator.uniform(size=(9, units)).astype(np.float32)
    ids = generator.permutation(50)[:9]
    ours = draws.hidden_units(SEED, EPOCH, 2, torch.from_numpy(ids), torch.from_numpy(chances))
    theirs = slowly_in_turn.hidden_units(SEED, EPOCH, 2, ids, chances.astype(np.float64))
    np.testing.assert_array_equal(ours.numpy(), theirs)


@pytest.mark.parametrize("at_a_time", [1, 2, 3])
@pytest.mark.parametrize("words", [5, 2048, 5000, 9000])
def test_words_of_gibbs_steps(words: int, at_a_time: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vocabulary goes by in chunks. Sums are rounded in another order, so that one word in
    some 10^5 falls to the other side of a threshold: of 6,000, more than two do one time in 10^4.
    """
    monkeypatch.setattr(gibbs, "ON_CPU", at_a_time * 30 * randomness.CHUNK)
    case = make_case(words=words, units=8, documents=30, most_tokens=400)
    batch, generator = case.batch(), np.random.default_rng(4)
    tokens = case.counts.sum(axis=1)
    hidden = (generator.uniform(size=(30, 8)) < 0.5).astype(np.float32)
    starts = np.concatenate([[0], np.cumsum(tokens)])
    chain = compiled.Chain(batch.document_ids, starts, np.empty(int(starts[-1]), np.int32))
    compiled.draw_words(compiled.Place(SEED, EPOCH, 3), case.parameters, hidden, chain, 1)
    model = gibbs.model_of(
        {name: torch.from_numpy(array) for name, array in case.parameters.arrays().items()}
    )
    ids = torch.from_numpy(batch.document_ids)
    asked = gibbs.tokens_of(ids, torch.from_numpy(tokens), int(tokens.sum()))
    ours = gibbs.draw_words(gibbs.Key(SEED, EPOCH, 3), model, torch.from_numpy(hidden), asked)
    assert (ours.numpy() != chain.words).sum() <= 2
    assert len(np.unique(ours.numpy())) > min(words, 100) / 2


def test_levels_are_those_of_documents_whatever_their_batch() -> None:
    case = make_case(documents=40)
    whole = documents_of(case.batch(), CPU)
    part = documents_of(case.batch().part(10, 20), CPU)
    levels = draws.kept_tokens(whole, SEED, EPOCH, (0.1, 0.9))
    assert levels[10:20].tolist() == draws.kept_tokens(part, SEED, EPOCH, (0.1, 0.9)).tolist()


def test_a_sample_is_drawn_for_the_tokens_of_every_document() -> None:
    case = make_case(documents=4)
    batch = CountBatch(
        np.arange(2),
        np.array([0, 2, 3]),
        np.array([0, 3, 1], np.int32),
        np.array([2, 1, 4], np.int32),
    )
    chances = np.full((2, 3), 0.5, np.float32)
    ours = find_engine("torch").sample(case.parameters, chances, batch, Place(1, 0), 5)
    theirs = find_engine("reference").sample(case.parameters, chances, batch, Place(1, 0), 5)
    assert np.diff(ours.starts).tolist() == np.diff(theirs.starts).tolist() == [3, 4]
    np.testing.assert_array_equal(ours.words, theirs.words)
