# SPDX-License-Identifier: Apache-2.0
"""How the items of random programs lie in buffers: drawn layouts, their datatypes and places."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

Layout = dict[str, Any]


def message(draw: random.Random, pair: tuple[int, int], tag: int) -> Layout:
    """A message between two ranks."""
    count = draw.choice([0, 1, draw.randrange(30), draw.randrange(600)])
    return {
        "pair": pair,
        "tag": tag if draw.random() < 0.7 else 0,
        "send": draw.choice(["Isend", "Issend", "Ibsend", "isend", "Send_init"]),
        "wild": draw.choice(["none", "none", "tag"]),
        "more": draw.randrange(3),
        "layouts": [layout(draw, count) for _ in range(2)],
    }


def layout(draw: random.Random, count: int) -> Layout:
    """How so many items lie in a buffer."""
    form = draw.choice(["plain", "vector", "indexed", "resized", "subarray"]) if count else "plain"
    block = draw.choice([size for size in range(1, count + 1) if count % size == 0] or [1])
    lengths: list[int] = []
    while form == "indexed" and sum(lengths) < count:
        lengths.append(draw.randint(1, count - sum(lengths)))
    return {
        "form": form,
        "count": count,
        "block": block,
        "gap": draw.randrange(4),
        "lengths": lengths,
        "gaps": [draw.randrange(3) for _ in lengths],
        "is_reversed": draw.random() < 0.3,
    }


def mpi_module() -> Any:
    from mpi4py import MPI  # noqa: PLC0415 - the real one, or that of the simulation that runs

    return MPI


def spread(layout: Layout, kind: str) -> tuple[np.ndarray[Any, Any], Any]:
    """A buffer for a layout, and what MPI is given of it."""
    plain = mpi_module()._typedict[np.dtype(kind).char]
    count, block, gap = layout["count"], layout["block"], layout["gap"]
    rows = count // block
    if layout["form"] == "plain":
        array = np.zeros(count, kind)
        return array, [array, count, plain]
    if layout["form"] == "vector":
        array = np.zeros(rows * (block + gap), kind)
        return array, [array, 1, plain.Create_vector(rows, block, block + gap).Commit()]
    if layout["form"] == "resized":
        one = plain.Create_contiguous(block)
        spread = one.Create_resized(0, (block + gap) * np.dtype(kind).itemsize).Commit()
        array = np.zeros(rows * (block + gap), kind)
        return array, [array, rows, spread]
    if layout["form"] == "subarray":
        array = np.zeros((rows + 1, block + gap), kind)
        part = plain.Create_subarray(array.shape, (rows, block), (1, gap)).Commit()
        return array, [array, 1, part]
    pairs = list(zip(layout["gaps"], layout["lengths"], strict=True))
    starts, end = [], 0
    for before, length in pairs:
        starts.append(end + before)
        end += before + length
    order = range(len(starts))[:: -1 if layout["is_reversed"] else 1]
    lengths = [layout["lengths"][index] for index in order]
    spread = plain.Create_indexed(lengths, [starts[index] for index in order]).Commit()
    array = np.zeros(end, kind)
    return array, [array, 1, spread]


def places(layout: Layout, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Index of each item of a layout, in the order of the datatype."""
    count, block, gap = layout["count"], layout["block"], layout["gap"]
    rows: Any = np.arange(count // block)[:, None]
    columns: Any = np.arange(block)[None, :]
    if layout["form"] in {"vector", "resized"}:
        rows = rows * (block + gap)
        return np.asarray(rows + columns).ravel()
    if layout["form"] == "subarray":
        rows = (rows + 1) * shape[1]
        return np.asarray(rows + gap + columns).ravel()
    if layout["form"] == "plain":
        return np.arange(count)
    starts, end = [], 0
    for before, length in zip(layout["gaps"], layout["lengths"], strict=True):
        starts.append(np.arange(end + before, end + before + length))
        end += before + length
    return np.concatenate(starts[:: -1 if layout["is_reversed"] else 1])


def drawn(seed: int, count: int, kind: str, most: int = 100) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(0, most, count).astype(kind)
