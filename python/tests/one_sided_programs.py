# SPDX-License-Identifier: Apache-2.0
"""Random programs of one-sided communication: what they do, and a plain model of what they find.

No two accesses of an epoch conflict, so that every MPI gives the same values. Each part of a
window's memory is in each phase of one origin, whose accesses keep their order, or of all origins,
which accumulate with one operator or read.

Usage: mpiexec -n RANKS python one_sided_programs.py FIRST LAST; rank 0 prints what the programs of
these seeds find, as JSON.
"""

from __future__ import annotations

import json
import operator
import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

Op = dict[str, Any]
Program = dict[str, Any]

_INTEGER_OPERATORS = ("SUM", "PROD", "MAX", "MIN", "BAND", "BOR", "BXOR", "LAND", "LOR")
_FLOAT_OPERATORS = ("SUM", "MAX", "MIN")
_COMBINED: dict[str, Any] = {
    "SUM": operator.add,
    "PROD": operator.mul,
    "MAX": np.maximum,
    "MIN": np.minimum,
    "BAND": operator.and_,
    "BOR": operator.or_,
    "BXOR": operator.xor,
    "LAND": np.logical_and,
    "LOR": np.logical_or,
    "REPLACE": lambda _, y: y,
    "NO_OP": lambda x, _: x,
}
# Buffers of accesses that are not over.
KEPT: list[Any] = []
PHASES = ("fence", "lock", "lock_all", "groups")


def made(seed: int, ranks: int) -> Program:
    """The program of a seed."""
    draw = random.Random(seed)
    kind = draw.choice(["i4", "i8", "f8", "u1", "i2"])
    sizes = [draw.randrange(25) for _ in range(ranks)]
    size = np.dtype(kind).itemsize
    return {
        "kind": kind,
        "unit": draw.choice([1, size]),
        "memory": [[draw.randrange(100) for _ in range(size)] for size in sizes],
        "is_allocated": draw.random() < 0.5,
        "phases": [_phase(draw, kind, sizes) for _ in range(draw.randint(1, 4))],
    }


def _phase(draw: random.Random, kind: str, sizes: list[int]) -> dict[str, Any]:
    sync = draw.choice(PHASES)
    ops: list[Op] = []
    for target, size in enumerate(sizes):
        first = 0
        while first < size:
            length = draw.randint(1, size - first)
            ops += _part(draw, kind, sync, len(sizes), (target, first, length))
            first += length
    return {"sync": sync, "is_shared": draw.random() < 0.5, "ops": ops}


def _part(
    draw: random.Random, kind: str, sync: str, ranks: int, part: tuple[int, int, int]
) -> Iterator[Op]:
    """Accesses to one part of the memory of a rank."""
    operators = _FLOAT_OPERATORS if kind == "f8" else _INTEGER_OPERATORS
    use = draw.choice(["read", "accumulate", "owned", "owned", "nothing"])
    if use == "read":
        for _ in range(draw.randint(1, 3)):
            yield _op(draw, kind, "Get", draw.randrange(ranks), part)
    if use == "accumulate":
        # Of one operator that commutes, by anybody.
        name = draw.choice(operators)
        for _ in range(draw.randint(1, 4)):
            yield _op(draw, kind, "Accumulate", draw.randrange(ranks), part, name=name)
    if use == "owned":
        origin, is_passive = draw.randrange(ranks), sync.startswith("lock")
        if not is_passive and draw.random() < 0.4:
            yield _op(draw, kind, "Put", origin, part)
            return
        calls = ["Accumulate", "Get_accumulate", "Fetch_and_op"]
        calls += ["Compare_and_swap"] if kind != "f8" else []
        for _ in range(draw.randint(1, 4)):
            name = draw.choice([*operators, "REPLACE", "NO_OP"])
            call = draw.choice(calls + (["Put", "Get"] if is_passive else []))
            yield _op(draw, kind, call, origin, part, name=name) | {"flushes": is_passive}


def _op(
    draw: random.Random,
    kind: str,
    call: str,
    origin: int,
    part: tuple[int, int, int],
    *,
    name: str = "REPLACE",
) -> Op:
    target, first, length = part
    first += draw.randrange(length)
    length = part[1] + length - first
    if call in {"Fetch_and_op", "Compare_and_swap"}:
        count = block = stride = 1
    else:
        block = draw.randint(1, length)
        stride = block + draw.randrange(3)
        count = draw.randint(1, (length - block) // stride + 1)
    name = "REPLACE" if call == "Accumulate" and name == "NO_OP" else name
    number, most = count * block, 2 if name == "PROD" else 60
    return {
        "call": call,
        "origin": origin,
        "target": target,
        "first": first,
        "op": name,
        "count": count,
        "block": block,
        "stride": stride,
        "values": [draw.randrange(most) for _ in range(number)],
        "compared": draw.randrange(100),
        "gap": draw.randrange(3) if number > 1 else 0,
        "form": draw.randrange(3),
        "has_request": draw.random() < 0.3,
        "flushes": False,
    }


def modelled(program: Program, ranks: int) -> list[list[Any]]:
    """What each rank finds: by phase what its accesses have read, and its memory."""
    memory = [np.array(values, program["kind"]) for values in program["memory"]]
    found: list[list[Any]] = [[] for _ in range(ranks)]
    for phase in program["phases"]:
        read: list[list[Any]] = [[] for _ in range(ranks)]
        for op in phase["ops"]:
            places = [
                op["first"] + block * op["stride"] + item
                for block in range(op["count"])
                for item in range(op["block"])
            ]
            items = memory[op["target"]]
            before, values = items[places], np.array(op["values"], program["kind"])
            if op["call"] == "Compare_and_swap":
                items[places] = values if before[0] == op["compared"] else before
            elif op["call"] != "Get":
                items[places] = _COMBINED["REPLACE" if op["call"] == "Put" else op["op"]](
                    before, values
                )
            if op["call"] not in {"Put", "Accumulate"}:
                read[op["origin"]].append(before.tolist())
        for rank in range(ranks):
            found[rank].append([read[rank], memory[rank].tolist()])
    return found


def _mpi() -> Any:
    from mpi4py import MPI  # noqa: PLC0415 - the real one, or that of the simulation that runs

    return MPI


def performed(comm: Any, program: Program) -> list[Any]:
    """Runs a program in a rank; what it finds."""
    mpi = _mpi()
    values = np.array(program["memory"][comm.rank], program["kind"])
    if program["is_allocated"]:
        window = mpi.Win.Allocate(values.nbytes, program["unit"], comm=comm)
        memory = np.frombuffer(window.tomemory(), program["kind"]) if values.size else values
        memory[:] = values
    else:
        window, memory = mpi.Win.Create(values, program["unit"], comm=comm), values
    comm.Barrier()
    found = []
    for phase in program["phases"]:
        own = [op for op in phase["ops"] if op["origin"] == comm.rank]
        run = globals()[f"_by_{phase['sync']}"](comm, window, phase, own, program)
        comm.Barrier()
        window.Lock(comm.rank)
        found.append([[result.tolist() for result in run], memory.tolist()])
        window.Unlock(comm.rank)
        comm.Barrier()
    window.Free()
    return found


def _by_fence(_: Any, window: Any, __: Any, ops: list[Op], program: Program) -> list[Any]:
    mpi = _mpi()
    window.Fence(mpi.MODE_NOPRECEDE)
    results = _called(window, ops, program)
    window.Fence(mpi.MODE_NOSUCCEED)
    return results


def _by_lock(_: Any, window: Any, phase: Any, ops: list[Op], program: Program) -> list[Any]:
    mpi = _mpi()
    kind = mpi.LOCK_SHARED if phase["is_shared"] else mpi.LOCK_EXCLUSIVE
    results = []
    for target in range(len(program["memory"])):
        window.Lock(target, kind)
        results += _called(window, [op for op in ops if op["target"] == target], program)
        window.Unlock(target)
    return results


def _by_lock_all(_: Any, window: Any, phase: Any, ops: list[Op], program: Program) -> list[Any]:
    window.Lock_all()
    results = _called(window, ops, program)
    if phase["is_shared"]:
        window.Flush_local_all()
        window.Flush_all()
    window.Unlock_all()
    return results


def _by_groups(comm: Any, window: Any, phase: Any, ops: list[Op], program: Program) -> list[Any]:
    pairs = {(op["origin"], op["target"]) for op in phase["ops"]}
    group = comm.Get_group()
    origins = group.Incl(sorted(origin for origin, target in pairs if target == comm.rank))
    targets = group.Incl(sorted(target for origin, target in pairs if origin == comm.rank))
    window.Post(origins)
    window.Start(targets)
    results = _called(window, ops, program)
    window.Complete()
    if phase["is_shared"]:
        window.Wait()
    else:
        while not window.Test():
            pass
    return results


def _called(window: Any, ops: list[Op], program: Program) -> list[Any]:
    """Calls accesses; what they read once they are over."""
    mpi, results, requests = _mpi(), [], []
    for op in ops:
        call, number = op["call"], len(op["values"])
        target, given, into, result = _arguments(op, program)
        arguments = [op["target"], target]
        if call in {"Accumulate", "Get_accumulate", "Fetch_and_op"}:
            arguments.append(getattr(mpi, op["op"]))
        buffers = {
            "Get": [into],
            "Get_accumulate": [given, into],
            "Fetch_and_op": [given, into],
            "Compare_and_swap": [given, np.array([op["compared"]], program["kind"]), into],
        }.get(call, [given])
        KEPT.append(buffers)
        has_request = op["has_request"] and op["flushes"] and hasattr(window, f"R{call.lower()}")
        name = f"R{call.lower()}" if has_request else call
        request = getattr(window, name)(*buffers, *arguments)
        if has_request:
            requests.append(request)
        if op["flushes"]:
            window.Flush(op["target"])
        if call not in {"Put", "Accumulate"}:
            results.append(result[:: len(result) // number])
    mpi.Request.Waitall(requests)
    return results


def _arguments(op: Op, program: Program) -> tuple[Any, Any, Any, Any]:
    """Target, buffer to send, buffer to receive into, and its array."""
    kind, number = np.dtype(program["kind"]), len(op["values"])
    plain = _mpi()._typedict[kind.char]
    start = op["first"] * kind.itemsize // program["unit"]
    target: Any = [start, 1, plain.Create_vector(op["count"], op["block"], op["stride"]).Commit()]
    if op["call"] in {"Fetch_and_op", "Compare_and_swap"}:
        target = start
    elif op["stride"] == op["block"]:
        target = [[start, number, plain], [start, number], start][op["form"]]
    # Where the target's datatype is given, the origin's items may be apart too.
    step = 1 + op["gap"] if isinstance(target, list) and len(target) == 3 else 1
    given, result = np.zeros(number * step, kind), np.zeros(number * step, kind)
    given[::step] = op["values"]
    if step == 1:
        return target, given, result, result
    apart = plain.Create_vector(number, 1, step).Commit()
    return target, [given, 1, apart], [result, 1, apart], result


def main(first: int, last: int) -> None:
    comm, found = _mpi().COMM_WORLD, []
    for seed in range(first, last):
        found.append(comm.gather(performed(comm, made(seed, comm.size))))
        KEPT.clear()
    if comm.rank == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
