# SPDX-License-Identifier: Apache-2.0
"""Windows of a recording as its files have them: Base64 of LEB128 numbers."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


def decoded(windows: str, num_windows: int) -> npt.NDArray[np.int64]:
    """Window, row and number of each entry of LEB128 numbers."""
    data = np.frombuffer(base64.b64decode(windows), dtype=np.uint8)
    if not len(data):
        return np.empty((0, 3), dtype=np.int64)
    is_end = data < 0x80  # noqa: PLR2004 - the highest bit says that more bytes follow
    first = np.concatenate([np.zeros(1, dtype=np.int64), np.flatnonzero(is_end)[:-1] + 1])
    number_idx: npt.NDArray[np.int64] = np.cumsum(is_end) - is_end
    shifts = 7 * (np.arange(len(data)) - first[number_idx])
    numbers = np.add.reduceat((data & 0x7F).astype(np.int64) << shifts, first)
    rows, at = [], 0
    for window in range(num_windows):
        count = int(numbers[at])
        pairs = numbers[at + 1 : at + 1 + 2 * count].reshape(-1, 2)
        index = np.cumsum(pairs[:, 0])
        rows.append(np.stack([np.full(count, window), index, pairs[:, 1]], axis=1))
        at += 1 + 2 * count
    return np.concatenate(rows)


def encoded(
    window: npt.NDArray[np.int64],
    index: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int64],
    num_windows: int,
) -> str:
    """Entries by window and row, ascending, as text that `decoded` reads."""
    count = np.bincount(window, minlength=num_windows)
    before = np.concatenate([[0], index[:-1]]) if len(index) else index
    is_first = np.concatenate([[True], window[1:] != window[:-1]]) if len(index) else index
    all_numbers = np.zeros(len(count) + 2 * len(index), dtype=np.int64)
    all_numbers[np.arange(len(count)) + 2 * (np.cumsum(count) - count)] = count
    at = window + 1 + 2 * np.arange(len(index))
    all_numbers[at] = index - np.where(is_first, 0, before)
    all_numbers[at + 1] = numbers
    return base64.b64encode(_leb128(all_numbers)).decode()


def _leb128(numbers: npt.NDArray[np.int64]) -> bytes:
    """Numbers below 2^32, seven bits to a byte, the lowest first; the highest bit: more follow."""
    shifts = np.array([7, 14, 21, 28])
    lengths = 1 + np.count_nonzero(numbers[:, None] >> shifts, axis=1)
    starts = np.cumsum(lengths) - lengths
    packed = np.zeros(int(lengths.sum()), dtype=np.uint8)
    for byte in range(int(lengths.max(initial=0))):
        has = lengths > byte
        more = (lengths[has] > byte + 1).astype(np.int64) << 7
        packed[starts[has] + byte] = (numbers[has] >> 7 * byte) & 0x7F | more
    return packed.tobytes()
