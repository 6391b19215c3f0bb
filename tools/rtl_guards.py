# SPDX-License-Identifier: Apache-2.0
"""Guards of the hardware's ports, clause by clause, and for each a fault that a bench must notice.

A guard is an expression that decides whether the network interface or the DMA engine serves what it
is asked for, or which response says that it does not. `tools/tests/test_rtl_guards.py` compares the
clauses in the sources with the faults: a clause without one fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import rtl_sources
from rtl_mutants import Fault, place

FOLDERS = [rtl_sources.RTL / "src" / name for name in ("ni", "dma")]

# ------------------------------------------------------------------------------------------ clauses

# What is assigned: names of guards, whatever structure or array they are part of. `may_start` of
# the interface lets a transaction wait and refuses nothing; that of the engine refuses.
_GUARD = r"(?:\w+\.)?(?:is_served|is_error|hit_o|region_hit|set_exists)(?:\[\w+\])?"
_STARTS = "may_start"
_ASSIGNMENT = re.compile(
    r"(?:\b(?:assign|else|begin)\s+|[:)]\s*|^\s*)([\w.\[\]]+)\s*<?=(?!=)\s*([^;]+);", re.MULTILINE
)
_COMMENT = re.compile(r"//[^\n]*")
_CODE = "RESP_DECERR"


class Clause(NamedTuple):
    """A part of a guard that refuses something by itself.

    Attributes:
        module: Where it stands.
        guard: What is assigned.
        text: The clause.
        begin: Its place in the source.
    """

    module: str
    guard: str
    text: str
    begin: int

    def __str__(self) -> str:
        return f"{self.module}: {self.guard}: {self.text}"


def _parts(text: str, operator: str) -> list[tuple[int, str]]:
    """Operands of an operator that stand outside of parentheses, with their places."""
    depth, begin, found = 0, 0, []
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0 and text.startswith(operator, at):
            found.append((begin, text[begin:at]))
            begin = at + len(operator)
    return [*found, (begin, text[begin:])]


def clauses_of(text: str, begin: int = 0) -> Iterator[tuple[int, str]]:
    """Clauses of a condition, with their places: what its `||` and `&&` join."""
    for operator in ("||", "&&"):
        if len(parts := _parts(text, operator)) > 1:
            for at, part in parts:
                yield from clauses_of(part, begin + at)
            return
    inner = text.strip()
    begin += text.index(inner)
    is_enclosed = inner.startswith("(") and inner.endswith(")")
    # A parenthesis that is closed before the end encloses a part only.
    if is_enclosed and len(_parts(inner[:-1], ")")) == 1:
        yield from clauses_of(inner[1:-1], begin + 1)
    else:
        yield begin, inner


def guards(path: Path) -> list[Clause]:
    """All clauses of the guards of a source, and choices of a refusal's code as a whole."""
    # Comments go, places stay.
    source = path.read_text(encoding="utf-8")
    text = _COMMENT.sub(lambda found: " " * len(found.group()), source)
    names = re.compile(f"{_GUARD}|{_STARTS}" if path.parent.name == "dma" else _GUARD)
    found = []
    for assignment in _ASSIGNMENT.finditer(text):
        guard, right = assignment.groups()
        begin = assignment.start(2)
        if names.fullmatch(guard):
            parts = list(clauses_of(right, begin))
        elif _CODE in right:
            parts = [(begin, right)]
        else:
            continue
        found += [Clause(path.stem, guard, part, at) for at, part in parts]
    return found


def sources() -> list[Path]:
    """Sources that may refuse something."""
    return [path for folder in FOLDERS for path in sorted(folder.glob("*.sv"))]


def clause(fault: Fault) -> Clause | None:
    """The clause that a fault leaves out, or the choice that it takes; none if it is a part of one.

    Raises:
        ValueError: Its expression does not stand in its place exactly once.
    """
    (path,) = [path for path in sources() if path.stem == fault.module]
    begin = place(path.read_text(encoding="utf-8"), fault)
    found = (known for known in guards(path) if (known.begin, known.text) == (begin, fault.right))
    return next(found, None)


# ------------------------------------------------------------------------------------------- faults

# Three columns and rows of clusters in bits for four: places of the region without a tile, by which
# a bench notices what lets them through.
PADDED = {"MAP_WIDTH": "'{1, 3}", "MAP_HEIGHT": "'{3, 3}", "REGION_WIDTH": 3, "REGION_HEIGHT": 3}

WIDE_WRITE = "a_wide_write_is_served_up_to_64_incrementing_lines"
WIDE_READ = "a_wide_read_is_served_up_to_64_incrementing_lines"
NARROW_READ = "a_narrow_read_is_served_of_one_beat"
NARROW_WRITE = "a_narrow_write_is_served_of_one_beat_and_as_one_kind_of_atomic"
EDGES = "an_address_is_served_up_to_the_edges_of_its_region"
MEMBERS = "a_set_is_served_if_all_its_members_are_there"
NO_TRANSFER = "what_is_no_transfer_does_not_start"
QUEUE = "a_transfer_does_not_start_while_the_queue_is_full"
OPEN_ID = "no_transfer_starts_under_an_id_that_is_open"

_CHANNEL, _READ = "noccl_ni_write_channel", "noccl_ni_wide_read"
_WORD, _DECODE, _ADDRESS = "noccl_ni_narrow_read", "noccl_ni_narrow_decode", "noccl_ni_decode"
_ENGINE = "noccl_dma_registers"
_AXI, _CFG, _FLIT = "noccl_axi_pkg::", "noccl_cfg_pkg::", "noccl_flit_pkg::"
_CODES = f"hit ? {_FLIT}RESP_SLVERR : {_FLIT}RESP_DECERR"
_SLVERR = f"{_FLIT}RESP_SLVERR"
# What is left of a clause that is left out: of `&&` and of `||`.
_TRUE, _FALSE = "1'b1", "1'b0"
_INCR, _LINES = f"burst == {_AXI}BURST_INCR", f"size == {_AXI}SIZE_WIDE"
_END = "burst.is_error ? w_i.last : beat_q == burst.len"
_AFTER, _BEFORE = "&& @;", "= @ &&"

# Name, module, expression, surroundings, what replaces it, test.
_ROWS = (
    # Bursts of the wide port.
    ("write_kind", _CHANNEL, f"aw_i.{_INCR}", "@", _TRUE, WIDE_WRITE),
    ("write_size", _CHANNEL, f"aw_i.{_LINES}", "@", _TRUE, WIDE_WRITE),
    ("write_length", _CHANNEL, f"(aw_i.len >> {_CFG}BURST_BITS) == '0", "@", _TRUE, WIDE_WRITE),
    ("write_unmapped", _CHANNEL, "!hit", "is_error = @ ||", _FALSE, WIDE_WRITE),
    ("write_unserved", _CHANNEL, "!is_served", "|| @;", _FALSE, WIDE_WRITE),
    ("write_code", _CHANNEL, _CODES, "offered.resp = @;", _SLVERR, WIDE_WRITE),
    ("read_kind", _READ, f"ar_i.{_INCR}", "@", _TRUE, WIDE_READ),
    ("read_size", _READ, f"ar_i.{_LINES}", "@", _TRUE, WIDE_READ),
    ("read_length", _READ, f"(ar_i.len >> {_CFG}BURST_BITS) == '0", "@", _TRUE, WIDE_READ),
    ("read_unmapped", _READ, "hit", "is_served = @ &&", _TRUE, WIDE_READ),
    ("read_code", _READ, _CODES, "error_resp_q <= @;", _SLVERR, WIDE_READ),
    # The narrow port.
    ("word_length", _WORD, "ar_i.len == '0", "@", _TRUE, NARROW_READ),
    ("word_unmapped", _WORD, "hit", "is_served = @ &&", _TRUE, NARROW_READ),
    ("word_code", _WORD, _CODES, "refusal_resp_q <= @;", _SLVERR, NARROW_READ),
    ("beats_served", _DECODE, "aw_i.len == '0", "@", _TRUE, NARROW_WRITE),
    ("plain_refused", _DECODE, f"aw_i.atop == {_AXI}ATOP_NONE", "(@\n", _FALSE, NARROW_WRITE),
    ("others_served", _DECODE, f"aw_i.atop == {_AXI}ATOP_LOAD_ADD", "@", _TRUE, NARROW_WRITE),
    ("sets_served", _DECODE, "aw_i.user.opcode == OPCODE_UNICAST", "@", _TRUE, NARROW_WRITE),
    ("unmapped_served", _DECODE, "!hit", "is_error = @ ||", _FALSE, EDGES),
    ("unserved_served", _DECODE, "!is_served", "|| @;", _FALSE, NARROW_WRITE),
    ("other_code", _DECODE, _CODES, "refusal.resp = @;", _SLVERR, EDGES),
    # Addresses.
    ("region_served", _ADDRESS, "addr_i >> TopBit == BASE >> TopBit", "@", _TRUE, EDGES),
    ("column_served", _ADDRESS, f"column < ADDR_BITS'({_CFG}MAP_WIDTH[r])", "@", _TRUE, EDGES),
    ("row_served", _ADDRESS, f"row < ADDR_BITS'({_CFG}MAP_HEIGHT[r])", "@", _TRUE, EDGES),
    ("end_served", _ADDRESS, f"offset < ADDR_BITS'({_CFG}MAP_MEMORY_BYTES[r])", "@", _TRUE, EDGES),
    ("nowhere_served", _ADDRESS, "|region_hit", "= @ && mask_i", _TRUE, EDGES),
    ("mask_served", _ADDRESS, "mask_i == '0", _AFTER, _TRUE, EDGES),
    # Members of a set, its root, what is no set.
    ("columns_served", _ADDRESS, f"32'(top.x) < {_CFG}REGION_WIDTH", "@", _TRUE, MEMBERS),
    ("rows_served", _ADDRESS, f"32'(top.y) < {_CFG}REGION_HEIGHT", "@", _TRUE, MEMBERS),
    ("set_served", _ADDRESS, "(mask_i & ~MASKABLE) == '0", "@", _TRUE, MEMBERS),
    ("memories_served", _ADDRESS, "is_cluster", _BEFORE, _TRUE, MEMBERS),
    ("members_served", _ADDRESS, "set_exists", "is_cluster && @;", _TRUE, MEMBERS),
    ("root_served", _ADDRESS, "|region_hit", "= @ && set_exists", _TRUE, MEMBERS),
    ("group_served", _ADDRESS, "set_exists", "|region_hit && @;", _TRUE, MEMBERS),
    ("opcode_served", _ADDRESS, _FALSE, "default: hit_o = @;", _TRUE, MEMBERS),
)
# Beats of what is refused: no clause.
_BEAT_ROWS = (
    ("write_counted", _CHANNEL, _END, "is_last = @;", "beat_q == burst.len", WIDE_WRITE),
    ("read_shortened", _READ, "ar_i.len", "takes_error ? @ :", "8'd0", WIDE_READ),
    ("word_shortened", _WORD, "ar_i.len", "refusal_left_q <= @;", "8'd0", NARROW_READ),
)
# The registers of the DMA engine.
_ENGINE_ROWS = (
    ("full_starts", _ENGINE, "queue_ready", "may_start = @ &&", _TRUE, QUEUE),
    ("open_starts", _ENGINE, "!open_q[id_q]", "@", _TRUE, OPEN_ID),
    ("nothing_starts", _ENGINE, "described_q.src.bytes != '0", "@", _TRUE, NO_TRANSFER),
    ("no_row_starts", _ENGINE, "described_q.src.rows != '0", "@", _TRUE, NO_TRANSFER),
)


def _fault(row: tuple[str, str, str, str, str, str]) -> Fault:
    name, module, right, where, wrong, test = row
    return Fault(name, module, where, right, wrong, test)


FAULTS: Sequence[Fault] = [_fault(row) for row in _ROWS]
BEAT_FAULTS: Sequence[Fault] = [_fault(row) for row in _BEAT_ROWS]
ENGINE_FAULTS: Sequence[Fault] = [_fault(row) for row in _ENGINE_ROWS]
