# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import noccl

NETWORK = noccl.load("collective_noc_4x4")
ALGORITHMS = ["chain:1", "chain:4", "tree:1", "row_column", "in_network"]
INTEGERS = [np.int8, np.int16, np.int32, np.int64]
FLOATS = [np.float16, np.float32, np.float64]
UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
}


@st.composite
def rectangles(draw: st.DrawFn) -> noccl.Rectangle:
    x, y = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    width, height = draw(st.integers(1, 4 - x)), draw(st.integers(1, 4 - y))
    return noccl.Rectangle(x, y, width, height)


def random_bits(seed: int, shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
    num_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.random.default_rng(seed).integers(0, 256, num_bytes, dtype=np.uint8)
    return np.asarray(raw.view(dtype).reshape(shape))


@given(
    group=rectangles(),
    algorithm=st.sampled_from(ALGORITHMS),
    num_elements=st.integers(1, 300),
    operator=st.sampled_from(sorted(UFUNCS)),
    dtype=st.sampled_from(INTEGERS),
    root=st.sampled_from([None, noccl.Cluster(0, 0), noccl.Cluster(3, 2)]),
    seed=st.integers(0, 2**32),
)
def test_an_integer_reduction_equals_the_fold_of_the_rows(  # noqa: PLR0917 - drawn by name
    group: noccl.Rectangle,
    algorithm: str,
    num_elements: int,
    operator: str,
    dtype: Any,
    root: noccl.Cluster | None,
    seed: int,
) -> None:
    inputs = random_bits(seed, (group.width * group.height, num_elements), dtype)
    result = noccl.reduce(
        NETWORK, inputs, group=group, root=root, algorithm=algorithm, operator=operator
    )
    expected = UFUNCS[operator].reduce(inputs, axis=0, dtype=dtype)
    np.testing.assert_array_equal(result.values, expected)
    assert result.values.dtype == dtype
    assert result.report.verified is noccl.Verified.YES


@given(
    group=rectangles(),
    algorithm=st.sampled_from(ALGORITHMS),
    num_elements=st.integers(1, 300),
    dtype=st.sampled_from(FLOATS),
    seed=st.integers(0, 2**32),
)
def test_a_float_sum_stays_within_the_error_of_its_additions(
    group: noccl.Rectangle, algorithm: str, num_elements: int, dtype: Any, seed: int
) -> None:
    shape = (group.width * group.height, num_elements)
    inputs = np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)
    result = noccl.reduce(NETWORK, inputs, group=group, algorithm=algorithm)
    exact = inputs.astype(np.longdouble).sum(axis=0)
    # Each of the additions on the path rounds once; the sum of magnitudes bounds every partial sum.
    bound = len(inputs) * np.finfo(dtype).eps * np.abs(inputs.astype(np.longdouble)).sum(axis=0)
    assert np.all(np.abs(result.values - exact) <= bound)


@given(
    group=rectangles(),
    algorithm=st.sampled_from(ALGORITHMS),
    num_bytes=st.integers(1, 3000),
    root=st.sampled_from([None, "mem:3", "0,0", "2,1"]),
    seed=st.integers(0, 2**32),
)
def test_a_multicast_brings_every_byte_to_every_member(
    group: noccl.Rectangle, algorithm: str, num_bytes: int, root: str | None, seed: int
) -> None:
    payload = random_bits(seed, (num_bytes,), np.uint8)
    result = noccl.multicast(NETWORK, payload, group=group, root=root, algorithm=algorithm)
    assert result.values.shape == (group.width * group.height, num_bytes)
    assert np.all(result.values == payload)
    assert result.report.verified is noccl.Verified.YES


@given(
    group=rectangles(),
    algorithm=st.sampled_from(ALGORITHMS),
    num_elements=st.integers(1, 100),
    seed=st.integers(0, 2**32),
)
def test_an_all_reduce_leaves_the_same_sum_at_every_member(
    group: noccl.Rectangle, algorithm: str, num_elements: int, seed: int
) -> None:
    inputs = random_bits(seed, (group.width * group.height, num_elements), np.int64)
    result = noccl.all_reduce(NETWORK, inputs, group=group, algorithm=algorithm)
    assert result.values.shape == inputs.shape
    assert np.all(result.values == inputs.sum(axis=0, dtype=np.int64))


@given(
    group=rectangles(),
    num_elements=st.integers(1, 20),
    seed=st.integers(0, 2**32),
    gather=st.sampled_from(["auto", "ring", "pairwise", "in_network"]),
    scatter=st.sampled_from(["auto", "ring", "in_network"]),
    exchange=st.sampled_from(["auto", "pairwise", "slotted", "row_column"]),
)
def test_collectives_of_blocks_are_what_numpy_makes_of_them(  # noqa: PLR0917 - drawn by name
    group: noccl.Rectangle,
    num_elements: int,
    seed: int,
    gather: str,
    scatter: str,
    exchange: str,
) -> None:
    ranks = group.width * group.height
    blocks = random_bits(seed, (ranks, ranks * num_elements), np.int64)
    own = np.ascontiguousarray(blocks[:, :num_elements])
    gathered = noccl.all_gather(NETWORK, own, group=group, algorithm=gather)
    assert np.all(gathered.values == own.ravel())
    assert gathered.values.shape == blocks.shape
    scattered = noccl.reduce_scatter(NETWORK, blocks, group=group, algorithm=scatter)
    total = blocks.sum(axis=0, dtype=np.int64).reshape(ranks, num_elements)
    np.testing.assert_array_equal(scattered.values, total)
    exchanged = noccl.all_to_all(NETWORK, blocks, group=group, algorithm=exchange)
    expected = blocks.reshape(ranks, ranks, num_elements).swapaxes(0, 1).reshape(blocks.shape)
    np.testing.assert_array_equal(exchanged.values, expected)


def test_rows_that_are_no_whole_number_of_blocks_are_refused() -> None:
    inputs = np.ones((16, 17))
    for function in [noccl.reduce_scatter, noccl.all_to_all]:
        with pytest.raises(noccl.ArgumentError, match="multiple of 16"):
            function(NETWORK, inputs)


def test_bits_of_types_that_numpy_lacks_pass_through() -> None:
    # 1.0 in bfloat16; sixteen of them are 16.0.
    inputs = np.full((16, 32), 0x3F80, dtype=np.uint16)
    result = noccl.reduce(NETWORK, inputs, element="bf16")
    assert set(result.values.tolist()) == {0x4180}


def test_a_transposed_array_is_read_by_its_rows() -> None:
    inputs = np.arange(16 * 8, dtype=np.int64).reshape(8, 16).T
    result = noccl.reduce(NETWORK, inputs)
    np.testing.assert_array_equal(result.values, inputs.sum(axis=0))


def test_in_network_reduction_beats_every_software_algorithm_at_large_sizes() -> None:
    inputs = np.ones((16, 4096))
    names = ["chain", "tree", "row_column", "in_network"]
    cycles = {name: noccl.reduce(NETWORK, inputs, algorithm=name).cycles for name in names}
    assert min(cycles, key=lambda name: cycles[name]) == "in_network"


@pytest.mark.parametrize("algorithm", ["counter", "in_network"])
def test_a_barrier_moves_no_payload(algorithm: str) -> None:
    report = noccl.barrier(NETWORK, algorithm=algorithm)
    assert report.cycles > 0
    assert report.counters.dma_load_bytes == 0


def test_the_same_call_gives_the_same_report() -> None:
    inputs = random_bits(7, (16, 64), np.int32)
    first, second = (noccl.reduce(NETWORK, inputs) for _ in range(2))
    assert first.report.checksum == second.report.checksum
    np.testing.assert_array_equal(first.report.action_cycles, second.report.action_cycles)
