# SPDX-License-Identifier: Apache-2.0
"""Statements of collectives and lines of programs: a result, or an exception of this package."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

import noccl
from tests.hostile_values import HOSTILE

PAIR = "0,0,2,1"
SWAP: Any = [[(1, 0)], [(0, 0)]]


def _state(network: noccl.Network, definition: noccl.Definition) -> object:
    return noccl.make_schedule(
        network,
        "custom",
        num_bytes=64,
        group=PAIR,
        definition=definition,
        algorithm="point_to_point",
    )


def _program(
    network: noccl.Network, lines: Callable[[noccl.ChunkProgram], object], **options: Any
) -> object:
    usual: dict[str, Any] = {"chunk_bytes": 64, "group": PAIR}
    program = noccl.ChunkProgram(network, noccl.Definition("swap", 1, SWAP), **usual | options)
    lines(program)
    return noccl.check(network, program.schedule())


CALLS: dict[str, Callable[[noccl.Network, Any], object]] = {
    "compare definition": lambda n, x: noccl.compare(
        n, "custom", sizes_bytes=[64], group=PAIR, definition=x
    ),
    "definition name": lambda n, x: _state(n, noccl.Definition(x, 1, SWAP)),
    "definition inputs": lambda n, x: _state(n, noccl.Definition("x", x, SWAP)),
    "definition inputs of ranks": lambda n, x: _state(n, noccl.Definition("x", [1, x], SWAP)),
    "definition outputs": lambda n, x: _state(n, noccl.Definition("x", 1, x)),
    "definition of a rank": lambda n, x: _state(n, noccl.Definition("x", 1, [[(1, 0)], x])),
    "definition of a chunk": lambda n, x: _state(n, noccl.Definition("x", 1, [[(1, 0)], [x]])),
    "definition operand": lambda n, x: _state(n, noccl.Definition("x", 1, [[[(1, 0), x]], []])),
    "definition rank": lambda n, x: _state(n, noccl.Definition("x", 1, [[(x, 0)], []])),
    "definition all": lambda n, x: _state(n, noccl.Definition("x", 1, [[{"all": x}], []])),
    "group of members": lambda n, x: noccl.check(
        n, noccl.make_schedule(n, "reduce", num_bytes=64, group=noccl.Members(x), algorithm="tree")
    ),
    "program definition": lambda n, x: noccl.ChunkProgram(n, x, chunk_bytes=64, group=PAIR),
    "program bytes": lambda n, x: _program(n, lambda p: None, chunk_bytes=x),
    "program group": lambda n, x: _program(n, lambda p: None, group=x),
    "program operator": lambda n, x: _program(n, lambda p: None, operator=x),
    "program element": lambda n, x: _program(n, lambda p: None, element=x),
    "program name": lambda n, x: _program(n, lambda p: None, name=x),
    "program source": lambda n, x: _program(n, lambda p: p.copy(x, (0, "out", 0))),
    "program destination": lambda n, x: _program(n, lambda p: p.copy((0, "in", 0), x)),
    "program rank": lambda n, x: _program(n, lambda p: p.copy((x, "in", 0), (0, "out", 0))),
    "program buffer": lambda n, x: _program(n, lambda p: p.copy((0, x, 0), (0, "out", 0))),
    "program chunk": lambda n, x: _program(n, lambda p: p.reduce((0, "in", x), (0, "out", 0))),
    "program count": lambda n, x: _program(
        n, lambda p: p.copy((0, "in", 0), (0, "scratch", 0), count=x)
    ),
}
"""One part of a statement or line each; the others are as they should be."""


@pytest.fixture(scope="module")
def network() -> noccl.Network:
    return noccl.load("collective_noc_4x4")


@pytest.mark.parametrize("name", CALLS)
@given(value=HOSTILE)
def test_any_value_gives_a_result_or_an_error_of_the_package(
    name: str, network: noccl.Network, value: Any
) -> None:
    with contextlib.suppress(noccl.NocclError):
        CALLS[name](network, value)
