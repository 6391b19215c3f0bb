# SPDX-License-Identifier: Apache-2.0
"""Random reductions at one router, as a table has to count and combine them.

Written from `docs/rtl/noccl_smart_table.md`: contributions come in any cycle over any input, the
last one is latched or passes, and its id is free for the next reduction in the cycle behind it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

from noccl_compute_slice import formats
from noccl_compute_slice.formats import Element

NUM_LINES = 4
NUM_PORTS = 5


@dataclass
class Reduction:
    """What one reduction brings to the router.

    Attributes:
        inputs: Contributions that come here.
        operator: Its operator.
        element: Its element type; None without operands.
        data_bits: Bits of an operand.
        operands: Of those that have come.
    """

    inputs: int
    operator: str
    element: Element | None
    data_bits: int
    num_come: int = 0
    operands: list[int] = field(default_factory=list)

    @property
    def to_come(self) -> int:
        """Contributions that are awaited."""
        return self.inputs - self.num_come

    def combined(self) -> int:
        """All operands that have come; there is one."""
        assert self.element is not None
        total = _vector(self.operands[0], self.element, self.data_bits)
        for operand in self.operands[1:]:
            other = _vector(operand, self.element, self.data_bits)
            total = formats.combine(self.element, self.operator, total, other)
        return int.from_bytes(total.tobytes(), "little")


@dataclass(frozen=True)
class Arrival:
    """A contribution that is latched.

    Attributes:
        id: Entry of its reduction.
        reduction: Its reduction.
        operand: What it brings; None without.
        is_last: It goes on.
        result: With what; None without operands or if it is dropped.
    """

    id: int
    reduction: Reduction
    operand: int | None
    is_last: bool
    result: int | None


@dataclass(frozen=True)
class Passage:
    """A contribution that passes.

    Attributes:
        id: Entry of its reduction.
        held: What the entry holds; None without operands.
    """

    id: int
    held: int | None


def _vector(operand: int, element: Element, data_bits: int) -> formats.Bits:
    return np.frombuffer(operand.to_bytes(data_bits // 8, "little"), element.bits)


def elements_of(data_bits: int) -> list[Element]:
    """Element types that fill an operand."""
    return [element for element in formats.ELEMENTS if data_bits % element.width_bits == 0]


class Traffic:
    """Contributions of every cycle; an entry has one reduction at a time."""

    def __init__(self, entries: int, data_bits: int, rng: random.Random) -> None:
        """Nothing has come yet."""
        self._data_bits = data_bits
        self._rng = rng
        self.open = {id_: self._new() for id_ in range(entries)}
        self.num_finished = 0
        self._over: set[int] = set()

    def _new(self) -> Reduction:
        rng = self._rng
        element = rng.choice(elements_of(self._data_bits))
        # The sum of floats has no place in routers.
        operators = element.operators[element.is_float :]
        has_operands = rng.random() < 0.8
        return Reduction(
            rng.randint(1, NUM_PORTS),
            rng.choice(operators),
            element if has_operands else None,
            self._data_bits,
        )

    def _operand(self, element: Element) -> int:
        """Edges of the type as often as anything."""
        rng, count = self._rng, self._data_bits // element.width_bits
        edges = formats.special_values(element)
        values = [
            int(rng.choice(edges)) if rng.random() < 0.5 else rng.getrandbits(element.width_bits)
            for _ in range(count)
        ]
        return int.from_bytes(np.array(values, element.bits).tobytes(), "little")

    def passages(self) -> dict[int, Passage]:
        """Paths that are set up in a cycle, by line; before `arrivals` of the same cycle."""
        found: dict[int, Passage] = {}
        lines = self._rng.sample(range(NUM_LINES), NUM_LINES)
        for id_, reduction in self.open.items():
            if reduction.to_come != 1 or not lines or self._rng.random() < 0.7:
                continue
            held = reduction.combined() if reduction.operands else None
            found[lines.pop()] = Passage(id_, held)
        self._over = {passage.id for passage in found.values()}
        return found

    def arrivals(self, likelihood: float) -> dict[int, Arrival]:
        """Contributions that are latched at the end of a cycle, by input."""
        favourite = self._rng.randrange(len(self.open))
        found: dict[int, Arrival] = {}
        for port in range(NUM_PORTS):
            if self._rng.random() >= likelihood:
                continue
            is_together = self._rng.random() < 0.5
            id_ = favourite if is_together else self._rng.randrange(len(self.open))
            if id_ not in self._over:
                found[port] = self._arrive(id_, self.open[id_])
        return found

    def _arrive(self, id_: int, reduction: Reduction) -> Arrival:
        operand = None
        if reduction.element is not None:
            operand = self._operand(reduction.element)
            reduction.operands.append(operand)
        reduction.num_come += 1
        is_last = reduction.to_come == 0
        result = reduction.combined() if is_last and operand is not None else None
        if is_last:
            self._over.add(id_)
        return Arrival(id_, reduction, operand, is_last, result)

    def end_cycle(self) -> None:
        """Ids whose last contribution has come are used again."""
        for id_ in sorted(self._over):
            self.open[id_] = self._new()
        self.num_finished += len(self._over)
