# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noccl

MESHES = ["2x2", "4x4", "4x2", "2x8"]


@settings(max_examples=25, deadline=None)
@given(
    mesh=st.sampled_from(MESHES),
    sizes=st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6)),
    iterations=st.integers(1, 5),
    choice=st.sampled_from(
        [("in_network", "barriers"), ("in_network", "flags"), ("software", "barriers")]
    ),
    prefetch=st.integers(2, 4),
    dtype=st.sampled_from([np.float16, np.float32, np.float64]),
    seed=st.integers(0, 2**32),
)
def test_a_product_of_small_integers_equals_numpys(  # noqa: PLR0917 - drawn by name
    mesh: str,
    sizes: tuple[int, int, int],
    iterations: int,
    choice: tuple[str, str],
    prefetch: int,
    dtype: Any,
    seed: int,
) -> None:
    width, height = (int(side) for side in mesh.split("x"))
    rows, columns, inner = sizes
    generator = np.random.default_rng(seed)
    a = generator.integers(-8, 9, (rows * height, inner * iterations)).astype(dtype)
    b = generator.integers(-8, 9, (inner * iterations, columns * width)).astype(dtype)
    collectives, sync = choice
    product = noccl.multiply(
        a, b, mesh=mesh, inner=inner, collectives=collectives, sync=sync, prefetch=prefetch
    )
    # Every partial sum is a small integer: exact in all types, whatever the order.
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(product.values, expected)


def test_a_product_of_random_doubles_is_near_numpys_and_its_type_is_that_of_the_sums() -> None:
    generator = np.random.default_rng(7)
    a, b = generator.standard_normal((72, 90)), generator.standard_normal((90, 72))
    product = noccl.multiply(a, b, inner=18)
    np.testing.assert_allclose(product.values, a @ b, rtol=1e-12, atol=1e-12)
    single = noccl.multiply(a.astype(np.float16), b.astype(np.float16), inner=18)
    assert product.values.dtype == np.dtype(np.float64)
    assert single.values.dtype == np.dtype(np.float32)


def test_rows_name_what_was_asked_and_the_equations_give_the_published_speedups() -> None:
    rows = noccl.gemm("summa", meshes=["16x16", "256x256"], backend="published")
    in_network = [row for row in rows if row.collectives == "in_network"]
    assert [row.mesh for row in in_network] == ["16x16", "256x256"]
    assert [round(row.speedup or 0.0, 2) for row in in_network] == [1.11, 2.12]


def test_our_model_of_a_product_stands_beside_its_simulation() -> None:
    rows = noccl.gemm("fused_concat_linear", meshes=["4x4"], backend="sim,model")
    # There are no equations of deliveries.
    assert [row.backend for row in rows] == ["sim", "sim", "sim", "model", "model"]
    assert {row.sim_error for row in rows[:3]} == {None}
    assert all(abs(row.sim_error) < 0.01 for row in rows[3:] if row.sim_error is not None)
    assert None not in {row.sim_error for row in rows[3:]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inner": 5}, "divisor"),
        ({"mesh": "3x4"}, "powers of two"),
        ({"mesh": "4"}, "WxH"),
        ({"prefetch": 1}, "at least 2"),
        ({"collectives": "all"}, "software, deliveries or in_network"),
    ],
)
def test_impossible_products_say_what_would_be_accepted(
    change: dict[str, Any], message: str
) -> None:
    arguments: dict[str, Any] = {"inner": 4} | change
    with pytest.raises(noccl.NocclError, match=message):
        noccl.multiply(np.eye(12), np.eye(12), **arguments)
