"""Single kernels in Triton, where counters and keys are at the end of what they can be, and against
plain NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracles.engine import EPOCH, SEED, make_case
from undertow.counts import CountBatch
from undertow.engines import find_engine
from undertow.kernels import randomness
from undertow.kernels.randomness import Purpose

torch = pytest.importorskip("torch", reason="needs undertow[gpu]")
pytest.importorskip("triton", reason="needs Triton, which comes with torch for cards")
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")

from undertow.engines.torch import draws, triton_draws, triton_encode, triton_layout  # noqa: E402
from undertow.engines.torch.documents import documents_of, to_device  # noqa: E402

LARGEST = 2**32 - 1


@pytest.mark.parametrize("seed", [0, 1, 2**31 - 1, 2**63 - 1, LARGEST << 16])
def test_four_numbers(seed: int) -> None:
    documents = np.array([0, 1, 31, 2**31 - 1, 2**31, LARGEST])
    calls = np.array([0, 1, 5, 2**31, LARGEST])
    expected = randomness.philox(seed, Purpose.WORD, 9, 11, documents[:, None], calls)
    last = np.full((1, 1), (int(Purpose.WORD) << 24) + 9)
    counters = np.broadcast_arrays(calls, documents[:, None], np.full((1, 1), 11), last)
    given = (to_device(np.array(counter), DEVICE) for counter in counters)
    found = triton_draws.four_numbers(seed, *given)
    np.testing.assert_array_equal(found.permute(1, 2, 0).cpu(), expected.astype(np.int64))


@pytest.mark.parametrize("level", [0.0, 0.6, 0.97])
def test_tokens_are_kept_by_one_kernel(level: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the verbs as well, on a card: here it is the interpreter that is asked."""
    case = make_case(words=30, documents=40, most_tokens=50)
    documents = documents_of(case.batch(), DEVICE)
    to_keep = draws.kept_tokens(documents, SEED, EPOCH, level)
    monkeypatch.setattr(draws, "has_fused_kernels", lambda device: False)
    expected = draws.kept_counts(documents, to_keep, SEED, EPOCH)
    monkeypatch.setattr(draws, "has_fused_kernels", lambda device: True)
    monkeypatch.setattr(draws, "below", None)  # no position by itself
    found = draws.kept_counts(documents, to_keep, SEED, EPOCH)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("units", [1, 16, 33])
def test_encode(units: int) -> None:
    """Some documents have no words, some more than a program reads at once."""
    case = make_case(words=40, units=units, documents=12, most_tokens=60)
    case.counts[[0, 5, 11]] = 0
    batch, own = case.batch(), case.parameters
    documents = documents_of(batch, DEVICE)
    given: Any = (documents.starts, documents.words, documents.counts)
    tensors: Any = [to_device(a, DEVICE) for a in (own.weights, own.word_weights, own.hidden_bias)]
    reference = find_engine("reference")
    sums, lengths = reference.inputs(own.weights, own.word_weights, batch)
    found: Any = triton_encode.inputs_of(tensors[0], tensors[1], *given)
    np.testing.assert_allclose(found[0].cpu(), sums, atol=5e-5)
    np.testing.assert_allclose(found[1].cpu(), lengths, rtol=1e-6)
    on, scores = reference.posteriors(own, batch)
    found = triton_encode.posteriors_of(tensors[0], tensors[1], tensors[2], *given)
    np.testing.assert_allclose(found[0].cpu(), on, atol=2e-5)
    np.testing.assert_allclose(found[1].cpu(), lengths, rtol=1e-6)
    np.testing.assert_allclose(found[2].cpu(), scores, atol=2e-5 * units)


def test_encode_no_documents() -> None:
    case = make_case()
    ids, words = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    nothing = CountBatch(ids, np.zeros(1, dtype=np.int64), words, words)
    documents = documents_of(nothing, DEVICE)
    weights = to_device(case.parameters.weights, DEVICE)
    given: Any = (documents.starts, documents.words, documents.counts)
    found = triton_encode.inputs_of(weights, weights[:, 0].contiguous(), *given)
    assert found[0].shape == (0, 3)


def test_keys_of_many_steps_and_words() -> None:
    """Step times words is more than 32 bits hold: small minibatches, large vocabularies."""
    vocabulary, per_step, steps = 12_000_000, 4, 200
    n = steps * per_step
    stream = torch.arange(n, dtype=torch.int32, device=DEVICE) % 7
    covering = torch.ones(n, dtype=torch.int32, device=DEVICE)
    covering[1::4] = 0
    numbers = torch.full((vocabulary,), 2.0, device=DEVICE)
    rest, kept = torch.zeros(n, device=DEVICE), torch.zeros(n, device=DEVICE)
    keys = torch.zeros(n, dtype=torch.int64, device=DEVICE)
    rows = torch.zeros(n, dtype=torch.int32, device=DEVICE)
    triton_layout.place_streams[(-(-n // 1024),)](
        stream, covering, numbers, rest, kept, keys, rows, n, 5, per_step, vocabulary, BLOCK=1024
    )
    at = torch.arange(n, device=DEVICE)
    words = torch.where(covering > 0, stream.long(), vocabulary)
    expected = at // per_step * (vocabulary + 1) + words
    assert keys.tolist() == expected.tolist()
    assert rows.tolist() == (5 + at % 4).tolist()
    assert rest.tolist() == (2.0 * (covering > 0)).tolist()

    starts = torch.arange(steps + 1, device=DEVICE)  # a document of one word in each step
    ones = torch.ones(steps, dtype=torch.int32, device=DEVICE)
    words = torch.full_like(ones, vocabulary - 1)
    given = (starts, words, 3 * ones, ones, numbers, rest[:steps], kept[:steps], keys, rows)
    triton_layout.place_documents[(steps,)](*given, 1, vocabulary + 1, BLOCK=32, num_warps=1)
    expected = torch.arange(steps, device=DEVICE) * (vocabulary + 1) + vocabulary - 1
    assert keys[:steps].tolist() == expected.tolist()
    assert (rest[0].item(), kept[0].item()) == (4.0, 2.0)
