"""A step of alpha-NCE in Triton, up to the gradients with respect to inputs.

`sum_streams` writes prefix sums of the rows of W along every noise stream, so that the input of a
noise window is a difference of two rows. `contrast` takes a document and its k noises from the
words to the gradient of every input, in one pass. `sum_documents` and `press` add the pressure on
the units and move the hidden bias. `sweep` leads the gradients of windows back to the positions of
the stream: a product of the matrix that says which window covers which position with the windows'
gradients, in which windows are sorted by their beginnings so that only near ones are looked at.

Every sum has a fixed order: the same seed gives the same bits on the same card. The formulas are
those of `kernels.cpu.contrast`; what is drawn was drawn before (`triton_draws`).
"""

from __future__ import annotations

import triton
import triton.language as tl

from undertow.engines.torch.triton_kernel import kernel


@kernel("rows", "shards")
def sum_streams(
    at, weights, word_weights, words, first_rows, lengths, table, rows, shards,
    H: tl.constexpr, PART: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """table[r]: the sum of the weighted rows of W of the words before position r of a shard."""
    step = tl.load(at)
    group = step * shards + tl.program_id(0)
    first, length = tl.load(first_rows + group), tl.load(lengths + group)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = columns < H
    into = table + (first - step.to(tl.int64) * rows) * H + columns
    total = tl.zeros([COLUMNS], dtype=tl.float32)
    if length > 0:
        tl.store(into, total, mask=inside)
    for begin in range(0, length, PART):
        position = begin + tl.arange(0, PART)
        valid = position < length
        word = tl.load(words + first + position, mask=valid, other=0).to(tl.int64)
        coefficient = tl.load(word_weights + word, mask=valid, other=0.0)
        both = valid[:, None] & inside[None, :]
        row = tl.load(weights + word[:, None] * H + columns[None, :], mask=both, other=0.0)
        row = row * coefficient[:, None]
        sums = total[None, :] + tl.cumsum(row, axis=0)
        place = (position.to(tl.int64) + 1)[:, None] * H
        tl.store(into[None, :] + place, sums, mask=both)
        total += tl.sum(row, axis=0)


@triton.jit
def _softplus(x):
    return tl.maximum(x, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(x)))


@triton.jit
def _sigmoid(x):
    fall = tl.exp(-tl.abs(x))
    return tl.where(x >= 0.0, 1.0, fall) / (1.0 + fall)


@triton.jit
def _per_length(sharpness, length, UNIFORM: tl.constexpr):
    """The factor before the bracket of s X; a document of length 0 has X = 0."""
    if UNIFORM:
        return tl.where(length > 0.0, sharpness / tl.maximum(length, 1e-30), 0.0)
    else:
        return length * 0.0 + sharpness


@kernel("rows", "batch", "shards")
def contrast(
    at, sizes, weights, hidden_bias, starts, words, rest_counts, kept_counts,
    begins, replaced, noise_lengths, first_rows, table,
    noise_vectors, vectors, kept_vectors, posteriors, biases, document_lengths, losses,
    rows, batch, shards, sharpness, log_noise,
    H: tl.constexpr, K: tl.constexpr, UNIFORM: tl.constexpr,
    UNITS: tl.constexpr, ENTRIES: tl.constexpr, NOISES: tl.constexpr,
):  # fmt: skip
    """A document, its noise documents, and the gradient with respect to all their inputs."""
    step = tl.load(at)
    size, b = tl.load(sizes + step), tl.program_id(0)
    if b < size:
        d = step * batch + b
        columns = tl.arange(0, UNITS)
        inside = columns < H
        bias = tl.load(hidden_bias + columns, mask=inside, other=0.0)
        kept_input = tl.zeros([UNITS], dtype=tl.float32)
        rest_input = tl.zeros([UNITS], dtype=tl.float32)
        kept_length, rest_length = 0.0, 0.0
        last = tl.load(starts + d + 1)
        for begin in range(tl.load(starts + d), last, ENTRIES):
            entry = begin + tl.arange(0, ENTRIES)
            valid = entry < last
            word = tl.load(words + entry, mask=valid, other=0).to(tl.int64)
            rest = tl.load(rest_counts + entry, mask=valid, other=0.0)
            kept = tl.load(kept_counts + entry, mask=valid, other=0.0)
            both = valid[:, None] & inside[None, :]
            row = tl.load(weights + word[:, None] * H + columns[None, :], mask=both, other=0.0)
            rest_input += tl.sum(row * rest[:, None], axis=0)
            kept_input += tl.sum(row * kept[:, None], axis=0)
            rest_length += tl.sum(rest, axis=0)
            kept_length += tl.sum(kept, axis=0)

        length = kept_length + rest_length
        own = kept_input + kept_length * bias
        whole = kept_input + rest_input + length * bias
        kept_posterior, posterior = _sigmoid(own), _sigmoid(whole)
        base = tl.sum(tl.where(inside, _softplus(own), 0.0), axis=0)
        score = tl.sum(tl.where(inside, _softplus(whole), 0.0), axis=0)
        share = 1.0 / size.to(tl.float32)
        scale = _per_length(sharpness, length, UNIFORM)
        argument = log_noise - scale * (score - base)
        loss = _softplus(argument)
        data_factor = -scale * share * _sigmoid(argument)
        all_factors = data_factor
        kept_vector = tl.zeros([UNITS], dtype=tl.float32)
        pull = tl.zeros([UNITS], dtype=tl.float32)

        first = tl.load(first_rows + step * shards + b // 32) - step.to(tl.int64) * rows
        window = tl.load(replaced + d).to(tl.int64)
        for begin in range(0, K, NOISES):
            noise = begin + tl.arange(0, NOISES)
            valid = noise < K
            place = first + tl.load(begins + d.to(tl.int64) * K + noise, mask=valid, other=0)
            fresh = tl.load(noise_lengths + d.to(tl.int64) * K + noise, mask=valid, other=0.0)
            both = valid[:, None] & inside[None, :]
            row = table + place[:, None] * H + columns[None, :]
            before = tl.load(row, mask=both, other=0.0)
            after = tl.load(row + window * H, mask=both, other=0.0)
            lengths = kept_length + fresh
            inputs = kept_input[None, :] + (after - before) + lengths[:, None] * bias[None, :]
            scores = tl.sum(tl.where(inside[None, :], _softplus(inputs), 0.0), axis=1)
            scales = _per_length(sharpness, lengths, UNIFORM)
            arguments = scales * (scores - base) - log_noise
            loss += tl.sum(tl.where(valid, _softplus(arguments), 0.0), axis=0)
            factors = tl.where(valid, scales * share * _sigmoid(arguments), 0.0)
            all_factors += tl.sum(factors, axis=0)
            slopes = factors[:, None] * _sigmoid(inputs)
            out = noise_vectors + (b * K + noise[:, None]).to(tl.int64) * H + columns[None, :]
            tl.store(out, slopes, mask=both)
            kept_vector += tl.sum(slopes, axis=0)
            pull += tl.sum(slopes * lengths[:, None], axis=0)

        # S(V_r) is subtracted in the log-ratio of the document and of every noise document.
        rest_vector = data_factor * posterior
        from_kept = all_factors * kept_posterior
        here = b * H + columns
        tl.store(vectors + here, rest_vector, mask=inside)
        tl.store(kept_vectors + here, kept_vector + rest_vector - from_kept, mask=inside)
        tl.store(posteriors + here, posterior, mask=inside)
        bias_slope = pull + length * rest_vector - kept_length * from_kept
        tl.store(biases + here, bias_slope, mask=inside)
        tl.store(document_lengths + b, length)
        tl.store(losses + b, loss * share)


@kernel("shards")
def sum_documents(
    at, sizes, posteriors, biases, document_lengths, losses, partials, shards,
    H: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Of every shard the sums over its documents: of activity, of the gradient of the hidden bias,
    of what the pressure on the units will add to it, and of losses.
    """
    shard = tl.program_id(0)
    size = tl.load(sizes + tl.load(at))
    b = shard * 32 + tl.arange(0, 32)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = columns < H
    both = (b < size)[:, None] & inside[None, :]
    here = b[:, None] * H + columns[None, :]
    on = tl.load(posteriors + here, mask=both, other=0.0)
    slope = tl.load(biases + here, mask=both, other=0.0)
    length = tl.load(document_lengths + b, mask=b < size, other=0.0)
    own = partials + shard * H + columns
    tl.store(own, tl.sum(on, axis=0), mask=inside)
    tl.store(own + shards * H, tl.sum(slope, axis=0), mask=inside)
    moved = tl.sum(length[:, None] * on * (1.0 - on), axis=0)
    tl.store(own + 2 * shards * H, moved, mask=inside)
    loss = tl.sum(tl.load(losses + b, mask=b < size, other=0.0), axis=0)
    if tl.program_id(1) == 0:
        tl.store(partials + 3 * shards * H + shard, loss)


@kernel("shards")
def press(
    at, sizes, partials, posteriors, vectors, kept_vectors,
    hidden_bias, moments, average, rates, shares, masses, decays, seen_loss, seen_activity,
    not_finite, shards, target, cost, bias_rate,
    H: tl.constexpr, COLUMNS: tl.constexpr, AVERAGING: tl.constexpr,
):  # fmt: skip
    """Adds the pressure on the units to the gradients of a shard's documents. The first shard's
    program moves the hidden bias, too, and counts what was seen.
    """
    step = tl.load(at)
    size, shard = tl.load(sizes + step), tl.program_id(0)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = columns < H
    documents = size.to(tl.float32)
    activity = _summed(partials, shards, columns, H, COLUMNS) / documents
    slope = 2.0 * cost / documents * (activity - target)

    b = shard * 32 + tl.arange(0, 32)
    both = (b < size)[:, None] & inside[None, :]
    here = b[:, None] * H + columns[None, :]
    on = tl.load(posteriors + here, mask=both, other=0.0)
    change = slope[None, :] * on * (1.0 - on)
    rest = tl.load(vectors + here, mask=both, other=0.0)
    kept = tl.load(kept_vectors + here, mask=both, other=0.0)
    tl.store(vectors + here, rest + change, mask=both)
    tl.store(kept_vectors + here, kept + change, mask=both)

    if shard == 0:
        gradient = _summed(partials + shards * H, shards, columns, H, COLUMNS)
        gradient += slope * _summed(partials + 2 * shards * H, shards, columns, H, COLUMNS)
        wide = gradient.to(tl.float64)
        moment = tl.load(moments + columns, mask=inside, other=0.0).to(tl.float64)
        decay = tl.load(decays)  # double, as masses are: a number would come in single precision
        moment = decay * moment + (1.0 - decay) * wide * wide
        tl.store(moments + columns, moment, mask=inside)
        deviation = tl.sqrt(moment / tl.load(masses + step)) + 1e-12
        value = tl.load(hidden_bias + columns, mask=inside, other=0.0).to(tl.float64)
        value -= tl.load(rates + step) * bias_rate * wide / deviation
        tl.store(hidden_bias + columns, value, mask=inside)
        if AVERAGING:
            mean = tl.load(average + columns, mask=inside, other=0.0)
            mean += tl.load(shares + step) * (value.to(tl.float32) - mean)
            tl.store(average + columns, mean, mask=inside)
        excess = tl.where(inside, activity - target, 0.0)
        loss = tl.sum(cost * excess * excess, axis=0)
        if tl.program_id(1) == 0:
            for other in range(0, shards):
                loss += tl.load(partials + 3 * shards * H + other)
        count = seen_loss + tl.program_id(1)
        tl.store(count, tl.load(count) + loss.to(tl.float64) * documents)
        before = tl.load(seen_activity + columns, mask=inside, other=0.0)
        tl.store(seen_activity + columns, before + activity.to(tl.float64) * documents, mask=inside)
        wrong = tl.sum(tl.where(inside & (gradient != gradient), 1, 0), axis=0)
        wrong += tl.sum(tl.where(inside & (tl.abs(gradient) == float("inf")), 1, 0), axis=0)
        wrong += tl.where((loss != loss) | (tl.abs(loss) == float("inf")), 1, 0)
        tl.store(not_finite + tl.program_id(1), tl.load(not_finite + tl.program_id(1)) + wrong)


@triton.jit
def _summed(partials, shards, columns, H: tl.constexpr, COLUMNS: tl.constexpr):
    """The sum over shards, 16 at a time."""
    total = tl.zeros([COLUMNS], dtype=tl.float32)
    for begin in range(0, shards, 16):
        shard = begin + tl.arange(0, 16)
        both = (shard < shards)[:, None] & (columns < H)[None, :]
        part = tl.load(partials + shard[:, None] * H + columns[None, :], mask=both, other=0.0)
        total += tl.sum(part, axis=0)
    return total


@kernel("rows", "batch", "shards", "parts")
def sweep(
    at, first_rows, lengths, nearest, order, begins, replaced, noise_vectors, vectors,
    rows, batch, shards, parts,
    H: tl.constexpr, K: tl.constexpr, PART: tl.constexpr, WINDOWS: tl.constexpr,
    COLUMNS: tl.constexpr, PASSES: tl.constexpr,
):  # fmt: skip
    """vectors[batch + r]: the sum of the gradients of all windows that cover position r.

    nearest[group, part]: the windows, by their place in `order`, that may cover a part. Products
    are of halves of single precision: the matrix is of zeros and ones, so `PASSES` halves of the
    gradients, each the rounding of what the one before left, are all that is rounded.
    """
    step = tl.load(at)
    shard, part = tl.program_id(0) % shards, tl.program_id(0) // shards
    group = step * shards + shard
    length = tl.load(lengths + group)
    if part * PART < length:
        position = part * PART + tl.arange(0, PART)
        columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
        inside = columns < H
        total = tl.zeros([PART, COLUMNS], dtype=tl.float32)
        near = nearest + (group.to(tl.int64) * parts + part) * 2
        last = tl.load(near + 1)
        for begin in range(tl.load(near), last, WINDOWS):
            place = begin + tl.arange(0, WINDOWS)
            valid = place < last
            window = tl.load(order + place, mask=valid, other=0)
            left = tl.load(begins + window, mask=valid, other=0)
            right = left + tl.load(replaced + window // K, mask=valid, other=0)
            covers = (left[None, :] <= position[:, None]) & (position[:, None] < right[None, :])
            covers = covers & valid[None, :]
            own = (window - step.to(tl.int64) * batch * K)[:, None] * H + columns[None, :]
            slopes = tl.load(noise_vectors + own, mask=valid[:, None] & inside[None, :], other=0.0)
            if PASSES == 0:
                total = tl.dot(covers.to(tl.float32), slopes, total, input_precision="ieee")
            for _ in tl.static_range(PASSES):
                half = slopes.to(tl.bfloat16)
                total = tl.dot(covers.to(tl.bfloat16), half, total)
                slopes -= half.to(tl.float32)
        row = tl.load(first_rows + group) - step.to(tl.int64) * rows + position
        both = (position < length)[:, None] & inside[None, :]
        tl.store(vectors + (batch + row)[:, None] * H + columns[None, :], total, mask=both)
