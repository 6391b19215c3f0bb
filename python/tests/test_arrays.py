# SPDX-License-Identifier: Apache-2.0
"""Arrays are taken for what they mean, or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import noccl

NETWORK = noccl.load("collective_noc_4x4")
ROW = noccl.Row(0)
Array = npt.NDArray[Any]


def place_values(data: Array) -> Any:
    here = noccl.Cluster(0, 0)
    builder = noccl.ScheduleBuilder("copies")
    there = noccl.Place(noccl.Cluster(1, 0), 0)
    builder.transfer(here, noccl.Place(here, 0), there, data.nbytes)
    inputs = [(noccl.Place(here, 0), data)]
    _, memory = noccl.run_values(NETWORK, builder.build(), inputs, [(there, data.nbytes)])
    return memory[0].view(data.dtype).reshape(data.shape)


ROWS_OF_BLOCKS: dict[str, Callable[[Array], Any]] = {
    "reduce": lambda a: noccl.reduce(NETWORK, a, group=ROW),
    "all_reduce": lambda a: noccl.all_reduce(NETWORK, a, group=ROW),
    "all_gather": lambda a: noccl.all_gather(NETWORK, a, group=ROW),
    "reduce_scatter": lambda a: noccl.reduce_scatter(NETWORK, a, group=ROW),
    "all_to_all": lambda a: noccl.all_to_all(NETWORK, a, group=ROW),
    "multicast": lambda a: noccl.multicast(NETWORK, a[0], group=ROW),
    "run_values": place_values,
    "multiply by": lambda a: noccl.multiply(np.ones((4, 4)), a[:, :4], inner=4),
    "multiply": lambda a: noccl.multiply(a[:, :4], np.ones((4, 4)), inner=4),
}


class Metres(np.ndarray[Any, Any]):
    """Values that mean more than their bits say."""


@pytest.mark.parametrize("call", ROWS_OF_BLOCKS.values(), ids=ROWS_OF_BLOCKS)
def test_arrays_that_mean_more_than_their_bytes_are_refused(call: Callable[[Array], Any]) -> None:
    plain = np.ones((4, 8))
    call(plain)
    masked = np.ma.masked_greater(np.arange(32.0).reshape(4, 8), 3)
    unmasked: Array = np.ma.array(plain)
    for array, reason in (
        (masked, "masked array"),
        (unmasked, "masked array"),
        (plain.view(Metres), "Metres"),
        (plain.astype(object), "Python objects"),
        (plain.astype(">f8"), "little-endian"),
    ):
        with pytest.raises(noccl.ArgumentError, match=reason):
            call(array)


def test_the_order_of_bytes_in_fields_of_a_structure_counts_too() -> None:
    pairs = np.zeros(8, dtype=[("a", "<i4"), ("b", ">i4")])
    with pytest.raises(noccl.ArgumentError, match="little-endian"):
        noccl.multicast(NETWORK, pairs, group=ROW)


def layouts(values: Array) -> dict[str, Array]:
    """The same numbers, each time laid out differently in memory."""
    wide = np.zeros((values.shape[0], 2 * values.shape[1]), dtype=values.dtype)
    wide[:, ::2] = values
    return {
        "contiguous": np.ascontiguousarray(values),
        "by columns": np.asfortranarray(values),
        "every second": wide[:, ::2],
        "backwards": np.ascontiguousarray(values[::-1, ::-1])[::-1, ::-1],
    }


def test_values_do_not_depend_on_how_an_array_lies_in_memory() -> None:
    values = np.arange(64.0).reshape(4, 16)
    for name, array in layouts(values).items():
        assert (noccl.reduce(NETWORK, array, group=ROW).values == values.sum(0)).all(), name
        gathered = noccl.all_gather(NETWORK, array, group=ROW).values
        assert (gathered == values.ravel()).all(), name
        copies = noccl.multicast(NETWORK, array[1], group=ROW).values
        assert (copies == values[1]).all(), name
        assert (place_values(array) == values).all(), name
    square = values[:, :4]
    for name, array in layouts(square).items():
        product = noccl.multiply(array, array, inner=4).values
        assert (product == square @ square).all(), name


def test_infinities_and_nans_arrive_as_the_numbers_they_are() -> None:
    values = np.array([[np.inf, 1.0, -np.inf, 0.0]] * 3 + [[1.0, np.nan, -1.0, -0.0]])
    sums = noccl.reduce(NETWORK, values, group=ROW).values
    np.testing.assert_array_equal(sums, values.sum(axis=0))
