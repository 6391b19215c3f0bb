# SPDX-License-Identifier: Apache-2.0
"""Statements of a user's own collectives: which chunk of whose output is made of what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from noccl.errors import ArgumentError
from noccl.values import items, kind_of, text, whole

Chunk: TypeAlias = tuple[int, int]
"""A chunk of an input: rank and number."""

Want: TypeAlias = Chunk | Sequence[Chunk] | Mapping[str, int] | None
"""What a chunk of an output holds in the end.

`(rank, chunk)`: a copy; a list of such pairs: their reduction; `{"all": chunk}`: the reduction of
this chunk of every rank; None: anything.
"""

_PAIR = 2
_MOST = 2**32 - 1
_WANTS = "accepted: None, (rank, chunk), a list of such pairs, or {'all': chunk}"


@dataclass(frozen=True)
class Definition:
    """What a custom collective asks for, in chunks of equal length.

    Every rank has an input and an output, each a row of chunks. The checker proves of any schedule
    that its outputs hold what is asked for.

    >>> import noccl
    >>> swap = noccl.Definition("swap", inputs=1, outputs=[[(1, 0)], [(0, 0)]])
    >>> network = noccl.load("collective_noc_4x4")
    >>> table = noccl.compare(
    ...     network, "custom", definition=swap, group="0,0,2,1", sizes_bytes=["1KiB"]
    ... )
    >>> table["verified"].tolist()
    ['yes']

    Attributes:
        name: Name in reports.
        inputs: Chunks of the inputs: one number for all ranks, or one for each.
        outputs: Per rank: what each chunk of its output has to hold in the end.
    """

    name: str
    inputs: int | Sequence[int]
    outputs: Sequence[Sequence[Want]]

    def to_json(self) -> object:
        """The form of schedule files and of `--definition`.

        Raises:
            ArgumentError: Something is of a kind that no definition has.
        """
        counts = self.inputs
        is_one = hasattr(counts, "__index__") and getattr(counts, "ndim", 0) == 0
        rows = items("definition: outputs", self.outputs)
        return {
            "name": text("definition: name", self.name),
            "inputs": _number("definition: inputs", counts)
            if is_one
            else [
                _number("definition: inputs", count)
                for count in items("definition: inputs", counts)
            ],
            "outputs": [
                [
                    _want(f"definition: outputs[{rank}][{index}]", want)
                    for index, want in enumerate(items(f"definition: outputs[{rank}]", row))
                ]
                for rank, row in enumerate(rows)
            ],
        }


def _number(name: str, value: object) -> int:
    return whole(name, value, most=_MOST)


def _want(name: str, want: object) -> object:
    if want is None:
        return None
    if isinstance(want, Mapping):
        if set(want) != {"all"}:
            raise ArgumentError(f"{name}: {kind_of(want)}; {_WANTS}")
        return {"all": _number(name, want["all"])}
    if isinstance(want, (str, bytes, int, float)):
        raise ArgumentError(f"{name}: {kind_of(want)}; {_WANTS}")
    parts = items(name, want)
    if len(parts) == _PAIR and all(hasattr(part, "__index__") for part in parts):
        return [_number(name, part) for part in parts]
    return [_pair(name, part) for part in parts]


def _pair(name: str, chunk: object) -> object:
    if isinstance(chunk, (str, bytes, int, float, Mapping)) or chunk is None:
        raise ArgumentError(f"{name}: {kind_of(chunk)}; {_WANTS}")
    parts = items(name, chunk)
    if len(parts) != _PAIR:
        raise ArgumentError(f"{name}: a list of {len(parts)}; {_WANTS}")
    return [_number(name, part) for part in parts]
