# SPDX-License-Identifier: Apache-2.0
"""Schedules written as moves and reductions of chunks between ranks.

A program names ranks, buffers and chunks; places in memory, messages and dependencies follow. Its
meaning is that of its lines one after the other: a chunk holds what was written there last. Every
write gets bytes of its own, so nobody has to wait until nobody needs the old ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from noccl.chunk_places import ChunkPlaces, Line
from noccl.definitions import Definition
from noccl.errors import ArgumentError
from noccl.networks import members
from noccl.schedules import Collective
from noccl.sizes import size
from noccl.tiles import Column, Members, Rectangle, Row
from noccl.values import kind_of, text, whole

if TYPE_CHECKING:
    from noccl.networks import AnyNetwork
    from noccl.schedules import Schedule
    from noccl.tiles import AnyGroup, Cluster, Group

_BUFFERS = ("in", "out", "scratch")
_MOST_CHUNKS = 2**20
_LINE_BYTES = 64
"""Buffers begin at multiples of this."""


class ChunkProgram:
    """A schedule of a custom collective, chunk by chunk.

    >>> import noccl
    >>> network = noccl.load("collective_noc_4x4")
    >>> total = noccl.Definition("total", inputs=1, outputs=[[{"all": 0}]] * 2)
    >>> program = noccl.ChunkProgram(network, total, group="0,0,2,1", chunk_bytes="1KiB")
    >>> program.copy((0, "in", 0), (1, "out", 0))
    >>> program.reduce((1, "in", 0), (1, "out", 0))
    >>> program.copy((1, "out", 0), (0, "out", 0))
    >>> noccl.check(network, program.schedule()).fold_orders
    ('[0, 1]',)
    """

    def __init__(
        self,
        network: AnyNetwork,
        definition: Definition,
        *,
        chunk_bytes: int | str,
        group: AnyGroup = "all",
        operator: str = "sum",
        element: str = "fp64",
        name: str = "chunk_program",
    ) -> None:
        """Begins a program.

        Args:
            network: Network, or what `load` takes.
            definition: What its schedule claims, and how many chunks inputs and outputs have.
            chunk_bytes: Bytes of a chunk, e.g. 4096 or `"4KiB"`.
            group: Members; rank r is the r-th of `members`.
            operator: `sum`, `min`, `max`, `and` or `or`.
            element: Element type.
            name: Algorithm in reports.

        Raises:
            ArgumentError: An argument is of a wrong kind, the group does not exist, or lists of the
                definition are not as many as its members.
        """
        self._ranks: list[Cluster] = members(network, group)
        self._group = group
        self._definition = definition
        self._bytes = whole("chunk_bytes", size("chunk_bytes", chunk_bytes), least=1)
        self._operator = text("operator", operator)
        self._element = text("element", element)
        self._name = text("name", name)
        self._lines: list[Line] = []
        self._held: set[tuple[int, str, int]] = set()
        self._counts = self._chunk_counts()

    def _chunk_counts(self) -> dict[str, list[int]]:
        """Chunks of the inputs and outputs by rank."""
        definition: object = self._definition
        if not isinstance(definition, Definition):
            raise ArgumentError(f"definition: {kind_of(definition)}; accepted: a Definition")
        stated = definition.to_json()
        if not isinstance(stated, dict):
            raise ArgumentError("definition: no definition; accepted: a Definition")
        inputs, num = stated["inputs"], len(self._ranks)
        outputs = [len(row) for row in stated["outputs"]]
        counts = {"in": inputs if isinstance(inputs, list) else [inputs] * num, "out": outputs}
        for buffer, by_rank in counts.items():
            if len(by_rank) != num:
                accepted = f"accepted: {num}, one for each member of the group"
                raise ArgumentError(f"definition: {len(by_rank)} ranks in '{buffer}'; {accepted}")
        return counts

    def copy(
        self,
        source: tuple[int, str, int],
        destination: tuple[int, str, int],
        *,
        count: int = 1,
    ) -> None:
        """The destination's chunks become copies of the source's.

        Args:
            source: Rank, buffer (`"in"`, `"out"` or `"scratch"`) and first chunk.
            destination: The same; not `"in"`, which stays as it is.
            count: Chunks that follow each other.

        Raises:
            ArgumentError: A place that does not exist, or a chunk that holds nothing yet.
        """
        self._add(source, destination, count, is_reduction=False)

    def reduce(
        self,
        source: tuple[int, str, int],
        destination: tuple[int, str, int],
        *,
        count: int = 1,
    ) -> None:
        """The source's chunks are added to the destination's, which stand left, in place.

        Args:
            source: Rank, buffer and first chunk, as in `copy`.
            destination: Where operand and result stand; not `"in"`.
            count: Chunks that follow each other.

        Raises:
            ArgumentError: A place that does not exist, or a chunk that holds nothing yet.
        """
        self._add(source, destination, count, is_reduction=True)

    def _add(
        self, source: object, destination: object, count: object, *, is_reduction: bool
    ) -> None:
        num = whole("count", count, least=1, most=_MOST_CHUNKS)
        line = Line(
            is_reduction,
            self._place("source", source, num),
            self._place("destination", destination, num),
            num,
        )
        if line.destination[1] == "in":
            raise ArgumentError("destination: 'in'; accepted: 'out' or 'scratch': inputs stay")
        self._require_held("source", line.source, num)
        if is_reduction:
            self._require_held("destination", line.destination, num)
        rank, buffer, chunk = line.destination
        self._held.update((rank, buffer, chunk + index) for index in range(num))
        self._lines.append(line)

    def _require_held(self, name: str, place: tuple[int, str, int], count: int) -> None:
        rank, buffer, chunk = place
        for number in range(chunk, chunk + count):
            if buffer != "in" and (rank, buffer, number) not in self._held:
                raise ArgumentError(
                    f"{name}: chunk {number} of '{buffer}' of rank {rank} holds nothing yet; "
                    "accepted: a chunk that a line before this one has written"
                )

    def _place(self, name: str, place: object, count: int) -> tuple[int, str, int]:
        accepted = f"accepted: (rank, buffer, chunk), buffer one of {', '.join(_BUFFERS)}"
        if not isinstance(place, tuple) or len(place) != 3:  # noqa: PLR2004 - rank, buffer, chunk
            raise ArgumentError(f"{name}: {kind_of(place)}; {accepted}")
        rank = whole(f"{name}: rank", place[0], most=len(self._ranks) - 1)
        buffer = place[1]
        if not isinstance(buffer, str) or buffer not in _BUFFERS:
            raise ArgumentError(f"{name}: buffer {kind_of(buffer)}; {accepted}")
        most = _MOST_CHUNKS if buffer == "scratch" else self._counts[buffer][rank]
        chunk = whole(f"{name}: chunk", place[2])
        if chunk + count > most:
            raise ArgumentError(
                f"{name}: chunks {chunk} to {chunk + count - 1} of '{buffer}' of rank {rank}; "
                f"accepted: below {most}"
            )
        return rank, str(buffer), chunk

    def schedule(self) -> Schedule:
        """The schedule, with the collective that it claims; `check` proves it.

        Raises:
            ArgumentError: The operator or element has no form that a file takes.
        """
        ranks, num_bytes = self._ranks, self._bytes
        output = _aligned(max(self._counts["in"]) * num_bytes)
        scratch = _aligned(output + max(self._counts["out"]) * num_bytes)
        making = ChunkPlaces(ranks, num_bytes, output, scratch, (self._operator, self._element))
        making.follow(self._lines)
        claim = Collective(
            kind="custom",
            group=_group(self._group, ranks),
            root=ranks[0],
            bytes=num_bytes,
            input_offset=0,
            output_offset=output,
            operator=self._operator,
            element=self._element,
            definition=self._definition,
        )
        parameters = {"name": text("definition: name", self._definition.name)}
        builder = making.finish()
        builder.algorithm, builder.parameters = self._name, parameters
        return builder.build(claim)


def _aligned(offset: int) -> int:
    """The next place at which a buffer may begin."""
    return -(-offset // _LINE_BYTES) * _LINE_BYTES


def _group(group: AnyGroup, ranks: list[Cluster]) -> Group:
    """The group as schedule files have it."""
    if isinstance(group, (Row, Column, Rectangle, Members)):
        return group
    columns, rows = {at.x for at in ranks}, {at.y for at in ranks}
    first = ranks[0]
    width, height = max(columns) - first.x + 1, max(rows) - min(rows) + 1
    if width * height == len(ranks):
        return Rectangle(first.x, min(rows), width, height)
    return Members(tuple(ranks))
