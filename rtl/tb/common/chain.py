# SPDX-License-Identifier: Apache-2.0
"""Chains as frames in an initiator's memory, a model written from their page."""

from __future__ import annotations

from dataclasses import dataclass

from common.pattern import Pattern

POINTER_BITS = 48
TILE_BITS = 22
WORD_BITS = 64
FRAME_WORDS = 8


@dataclass(frozen=True)
class Destination:
    """A tile of a chain: where it writes, by its pattern, from a byte of its memory on."""

    tile: int
    offset: int
    pattern: Pattern


@dataclass(frozen=True)
class Chain:
    """A stream of beats from the initiator's memory to all destinations in their order.

    `own` is where the initiator keeps a copy itself.
    """

    initiator: int
    source: Destination
    destinations: tuple[Destination, ...]
    own: Destination | None = None

    def __post_init__(self) -> None:
        assert len({destination.tile for destination in self.destinations}) == len(
            self.destinations
        )
        assert self.initiator not in {destination.tile for destination in self.destinations}

    @property
    def num_beats(self) -> int:
        return self.source.pattern.num_beats()


@dataclass
class Fields:
    """Bits of a frame, from the lowest up."""

    value: int = 0
    width: int = 0

    def put(self, value: int, width: int) -> None:
        assert 0 <= value < 1 << width
        self.value |= value << self.width
        self.width += width


def frame(chain: Chain, at: int, first_tile: int) -> int:
    """What the destination at an index has to do; grants run from the highest tile down."""
    destination = chain.destinations[at]
    granted = sorted((s.tile for s in chain.destinations), reverse=True)
    after = granted[granted.index(destination.tile) + 1 :]
    before, behind = chain.destinations[:at], chain.destinations[at + 1 :]
    return bits_of(
        destination,
        chain.num_beats,
        first_tile,
        previous=before[-1].tile if before else chain.initiator,
        following=behind[0].tile if behind else None,
        initiator=chain.initiator,
        grant_to=after[0] if after else chain.initiator,
        starts=destination.tile == granted[0],
    )


def bits_of(
    destination: Destination,
    num_beats: int,
    first_tile: int,
    *,
    previous: int,
    following: int | None = None,
    initiator: int = 0,
    grant_to: int = 0,
    starts: bool = False,
) -> int:
    """A frame of 512 bits."""

    def pointer(tile: int | None, offset: int = 0) -> int:
        return 0 if tile is None else (tile + first_tile) << TILE_BITS | offset

    fields = Fields()
    fields.put(1, 1)
    fields.put(1, 4)
    fields.put(0, 4)
    fields.put(pointer(previous), POINTER_BITS)
    fields.put(pointer(destination.tile, destination.offset), POINTER_BITS)
    fields.put(pointer(following), POINTER_BITS)
    fields.put(num_beats, 19)
    fields.put(destination.pattern.bits(), 19 * 11 + 16)
    fields.put(pointer(initiator), POINTER_BITS)
    fields.put(pointer(grant_to), POINTER_BITS)
    fields.put(int(starts), 1)
    return fields.value


def frames(chain: Chain, first_tile: int) -> list[int]:
    """All frames of a chain in the order in which the initiator reads them, as words."""
    found = [frame(chain, i, first_tile) for i in range(len(chain.destinations))]
    ends = [destination for destination in (chain.own, chain.source) if destination is not None]
    found += [bits_of(s, chain.num_beats, first_tile, previous=chain.initiator) for s in ends]
    mask = (1 << WORD_BITS) - 1
    return [value >> (WORD_BITS * i) & mask for value in found for i in range(FRAME_WORDS)]
