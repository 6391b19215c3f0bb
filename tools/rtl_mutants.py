# SPDX-License-Identifier: Apache-2.0
"""Faults of the network interface that the bench of its corners must notice, each by its test.

Those of its guards, which refuse what the network does not serve, stand in `rtl_guards`.
`docs/developer/verification.md` says which row of the error table each one breaks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Fault(NamedTuple):
    """An expression of a source that is wrong.

    Attributes:
        name: Name.
        module: Module whose source is changed.
        where: Text that stands there once, with `@` in place of the expression.
        right: The expression.
        wrong: What replaces it.
        test: Test that must fail.
    """

    name: str
    module: str
    where: str
    right: str
    wrong: str
    test: str


def with_faults(sources: Sequence[Path], faults: Sequence[Fault], out: Path) -> list[Path]:
    """The sources with a switch around each expression that may be wrong, in copies below `out`.

    A run switches a fault on by `+fault=NAME`.

    Raises:
        ValueError: An expression does not stand in its place exactly once, or overlaps another.
    """
    places: dict[Path, list[tuple[int, Fault]]] = {}
    for fault in faults:
        (path,) = [path for path in sources if path.stem == fault.module]
        begin = place(path.read_text(encoding="utf-8"), fault)
        places.setdefault(path, []).append((begin, fault))
    texts = {path: _switched(path, found) for path, found in places.items()}
    digest = hashlib.sha256("\0".join(texts.values()).encode()).hexdigest()[:16]
    directory = out / f"faults-{digest}"
    for path, text in texts.items():
        directory.mkdir(parents=True, exist_ok=True)
        (directory / path.name).write_text(text, encoding="utf-8")
    return [directory / path.name if path in texts else path for path in sources]


def place(text: str, fault: Fault) -> int:
    """Where the expression begins.

    Raises:
        ValueError: It does not stand there exactly once.
    """
    before = fault.where.replace("@", fault.right)
    if text.count(before) != 1:
        raise ValueError(f"{fault.module}: '{before}' must occur once: {text.count(before)}")
    return text.index(before) + fault.where.index("@")


def _switched(path: Path, found: Sequence[tuple[int, Fault]]) -> str:
    text = path.read_text(encoding="utf-8")
    after = len(text)
    # From the end, so that places before it stay.
    for begin, fault in sorted(found, key=lambda entry: entry[0], reverse=True):
        end = begin + len(fault.right)
        if end > after:
            raise ValueError(f"{path}: {fault.name} overlaps another fault")
        switch = f'($test$plusargs("fault={fault.name}") != 0 ? ({fault.wrong}) : ({fault.right}))'
        text, after = text[:begin] + switch + text[end:], begin
    return text


WORST = "the_worst_of_three_responses_wins_wherever_it_comes"
LATE = "a_failure_before_the_last_beat_is_told_with_it"
FIFTH = "a_fifth_burst_that_fails_is_not_forgotten"
TOLD = "data_and_responses_carry_what_the_memory_returns"
NOTED = "beats_wait_while_as_many_responses_are_pending_as_are_noted"
STILL = "no_response_is_lost_while_the_response_plane_is_blocked"
ASKED = "an_atomic_waits_while_the_queue_of_who_asked_for_data_is_full"
COUNTED = "a_barrier_waits_while_all_counters_are_in_use"
MARKED = "a_marked_sum_writes_nothing_and_gets_an_error_response"
NAMED = "a_barrier_whose_name_is_in_use_gets_an_error_response"

_WORSE = "noccl_ni_pkg::worse"

FAULTS: Sequence[Fault] = (
    # A member of a multicast fails.
    Fault(
        "response_forgets",
        "noccl_ni_collected",
        "resp_o = @;",
        f"{_WORSE}(worst_q[name_i], resp_i)",
        "resp_i",
        WORST,
    ),
    Fault("second_forgets", "noccl_ni_collected", "worst_q[n]   <= @;", "resp_o", "resp_i", WORST),
    # Both kinds of errors in one transaction.
    Fault("least", "noccl_ni_pkg", "return @;", "a > b ? a : b", "a > b ? b : a", WORST),
    # The memory of a target fails, before the last beat or with it.
    Fault(
        "beat_forgotten",
        "noccl_ni_failed",
        "if (hits[e]) resp_o = @;",
        f"{_WORSE}(resp_o, resp_q[e])",
        "resp_o",
        LATE,
    ),
    Fault("fifth_forgotten", "noccl_ni_failed", "has_overflowed_d = @;", "1'b1", "1'b0", FIFTH),
    Fault(
        "write_okay",
        "noccl_ni_narrow_target",
        "told.resp = @;",
        f"{_WORSE}(oldest.resp, b_resp_i)",
        "oldest.resp",
        TOLD,
    ),
    Fault(
        "atomic_okay",
        "noccl_ni_narrow_target",
        "data_o.hdr.resp = @;",
        "r_i.resp",
        "noccl_flit_pkg::RESP_OKAY",
        TOLD,
    ),
    # The memory of a source, of a root.
    Fault(
        "read_okay",
        "noccl_ni_wide_serve",
        "flit_o.hdr.resp = @;",
        "r_i.resp",
        "noccl_flit_pkg::RESP_OKAY",
        TOLD,
    ),
    Fault(
        "root_okay",
        "noccl_ni_wide_target",
        ".resp_i   (@),",
        f"{_WORSE}(oldest.resp, b_resp_i)",
        f"oldest.is_join ? oldest.resp : {_WORSE}(oldest.resp, b_resp_i)",
        LATE,
    ),
    # Contributions that disagree.
    Fault(
        "mark_written",
        "noccl_ni_wide_target",
        "strb: @,",
        "is_dropped ? '0 : flit_i.strobe",
        "flit_i.strobe",
        MARKED,
    ),
    Fault(
        "mark_okay",
        "noccl_ni_wide_target",
        "? @ : noccl_flit_pkg::RESP_OKAY;",
        "hdr.resp",
        "noccl_flit_pkg::RESP_OKAY",
        MARKED,
    ),
    Fault(
        "mark_remembered",
        "noccl_ni_wide_target",
        "noted.resp = @ ?",
        "noted.is_join && noted.is_last",
        "noted.is_join",
        MARKED,
    ),
    # A name in use: of another base, of another mask.
    Fault(
        "name_okay", "noccl_ni_barriers", "else if (has_tag) is_in_use = @;", "1'b1", "1'b0", NAMED
    ),
    Fault(
        "base_ignored",
        "noccl_ni_barriers",
        "has_tag && @ &&",
        "base_q[i] == hdr_i.base",
        "1'b1",
        NAMED,
    ),
    Fault("mask_ignored", "noccl_ni_barriers", "&& @;", "mask_q[i] == hdr_i.mask", "1'b1", NAMED),
    Fault(
        "name_written",
        "noccl_ni_narrow_target",
        "strb: @,",
        "is_dropped ? '0 : req_i.strobe",
        "req_i.strobe",
        NAMED,
    ),
    # Full queues.
    Fault(
        "ninth_passes",
        "noccl_ni_barriers",
        "may_count_o = @;",
        "is_known || !(&open_q)",
        "1'b1",
        COUNTED,
    ),
    Fault(
        "atomic_passes",
        "noccl_ni_narrow_target",
        "&& (@)",
        "!is_atomic || asked_ready",
        "1'b1",
        ASKED,
    ),
    Fault(
        "read_passes",
        "noccl_ni_narrow_target",
        "req_valid_i && is_read && @;",
        "asked_ready",
        "1'b1",
        ASKED,
    ),
    Fault(
        "beat_passes",
        "noccl_ni_wide_target",
        "may_deliver = flit_valid_i && @;",
        "noted_ready",
        "1'b1",
        NOTED,
    ),
    Fault(
        "response_passes",
        "noccl_ni_wide_target",
        "b_ready_o = oldest_valid && @;",
        "(!oldest.is_last || has_space)",
        "1'b1",
        STILL,
    ),
    Fault(
        "word_passes",
        "noccl_ni_narrow_target",
        "b_ready_o = oldest_valid && @;",
        "(!oldest.is_last || has_space)",
        "1'b1",
        STILL,
    ),
)
