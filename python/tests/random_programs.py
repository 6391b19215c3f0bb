# SPDX-License-Identifier: Apache-2.0
"""Random programs of messages, collectives and datatypes, whose values every MPI gives.

Each step is of all ranks; what a rank has received, gaps of derived datatypes included, is what it
finds. Floating-point numbers are small whole ones, so that the order of a sum does not matter.

Usage: mpiexec -n RANKS python -m tests.random_programs FIRST LAST; rank 0 prints what the programs
of these seeds find, as JSON.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import numpy as np

from tests.random_layouts import Layout as Step
from tests.random_layouts import drawn, message, mpi_module, places, spread

KINDS = ("i1", "u1", "i2", "i4", "u4", "i8", "f4", "f8")
_OPERATORS = ("SUM", "MAX", "MIN", "BAND", "BOR", "BXOR", "LAND", "LOR", "LXOR", "PROD")
_OF_FLOATS = ("SUM", "MAX", "MIN")
_REDUCTIONS = ("Reduce", "Allreduce", "Scan", "Exscan", "Reduce_scatter_block", "Reduce_scatter")
_MOVES = ("Bcast", "Gather", "Scatter", "Allgather", "Alltoall")
_VECTORS = ("Gatherv", "Scatterv", "Allgatherv", "Alltoallv")
_OF_OBJECTS = ("bcast", "gather", "scatter", "allgather", "alltoall", "allreduce", "scan", "exscan")
_FIELDS = ("call", "count", "kind", "root")
# Objects have tags that no buffer has.
_OBJECT_TAG = 1000
# What is being sent.
BUFFERS: list[Any] = []
# Of buffered sends: more than those of a step take.
_STORE_BYTES = 1 << 17
STEPS = ("messages", "messages", "moves", "vectors", "reductions", "objects", "replaced", "parts")


def made(seed: int, ranks: int) -> list[Step]:
    """The steps of the program of a seed."""
    draw = random.Random(seed)
    return [_step(draw, ranks) for _ in range(draw.randint(2, 6))]


def _step(draw: random.Random, ranks: int) -> Step:
    name = draw.choice(STEPS)
    step: Step = {
        "step": name,
        "kind": draw.choice(KINDS),
        "root": draw.randrange(ranks),
        "seed": draw.randrange(2**32),
        "is_in_place": draw.random() < 0.3,
        "is_nonblocking": draw.random() < 0.4,
        "group": draw.choice(["world", "world", "dup", "split", "cart", "group"]),
    }
    if name == "messages":
        pairs = [(draw.randrange(ranks), draw.randrange(ranks)) for _ in range(draw.randint(1, 6))]
        return step | {"messages": [message(draw, pair, tag) for tag, pair in enumerate(pairs)]}
    calls = {
        "moves": _MOVES,
        "vectors": _VECTORS,
        "reductions": _REDUCTIONS,
        "objects": _OF_OBJECTS,
    }
    step["call"] = draw.choice(calls.get(name, ("",)))
    step["op"] = draw.choice(_OF_FLOATS if step["kind"].startswith("f") else _OPERATORS)
    step["count"] = draw.choice([0, 1, 2, draw.randrange(40), draw.randrange(300)])
    step["counts"] = [draw.randrange(12) for _ in range(ranks)]
    step["gap"] = draw.randrange(4)
    return step


def performed(comm: Any, steps: list[Step]) -> list[Any]:
    """Runs a program in a rank; what it finds."""
    found: list[Any] = []
    mpi_module().Attach_buffer(np.zeros(_STORE_BYTES, np.uint8))
    for step in steps:
        own = _group(comm, step)
        found.append(globals()[f"_{step['step']}"](own, step))
        if own is not comm:
            own.Free()
    mpi_module().Detach_buffer()
    BUFFERS.clear()
    return found


def _group(comm: Any, step: Step) -> Any:
    """A communicator of all ranks, some in another order."""
    if step["group"] == "dup":
        return comm.Dup()
    if step["group"] == "split":
        return comm.Split(0, (comm.rank * 7 + step["root"]) % comm.size)
    if step["group"] == "cart":
        return comm.Create_cart([comm.size], periods=[True])
    if step["group"] == "group":
        ranks = list(range(comm.size))[:: -1 if step["is_in_place"] else 1]
        return comm.Create_group(comm.Get_group().Incl(ranks))
    return comm


def _messages(comm: Any, step: Step) -> Any:
    mpi, rank = mpi_module(), comm.rank
    received, requests, objects = [], [], []
    kept: list[Any] = []
    for one in step["messages"]:
        source, target = one["pair"]
        if target == rank and one["send"] != "isend":
            array, spec = _received(one, step["kind"])
            received.append(array)
            # Of any tag only where no other message of the sender has another one.
            others = [other for other in step["messages"] if other["pair"] == one["pair"]]
            tags = {_OBJECT_TAG if o["send"] == "isend" else o["tag"] for o in others}
            is_wild = one["wild"] == "tag" and len(tags) == 1
            requests.append(comm.Irecv(spec, source, mpi.ANY_TAG if is_wild else one["tag"]))
    for number, one in enumerate(step["messages"]):
        source, target = one["pair"]
        values = drawn(step["seed"] + number, one["layouts"][0]["count"], step["kind"])
        is_object = one["send"] == "isend"
        if is_object and target == rank:
            objects.append(comm.irecv(None, source, _OBJECT_TAG + number))
        if is_object and source == rank:
            requests.append(comm.isend(values.tolist(), target, _OBJECT_TAG + number))
        elif source == rank:
            requests.append(_sent(comm, one, values, step["kind"], kept))
    mpi.Request.Waitall(requests)
    given = mpi.Request.waitall(objects)
    comm.Barrier()
    for request in kept:
        request.Free()
    return [[array.ravel().tolist() for array in received], given]


def _received(one: Step, kind: str) -> tuple[np.ndarray[Any, Any], Any]:
    """What a message is received into; a plain buffer may be longer than the message."""
    layout = one["layouts"][1]
    if layout["form"] != "plain":
        return spread(layout, kind)
    array = np.zeros(layout["count"] + one["more"], kind)
    return array, [array, array.size, mpi_module()._typedict[np.dtype(kind).char]]


def _sent(comm: Any, one: Step, values: Any, kind: str, kept: list[Any]) -> Any:
    array, spec = spread(one["layouts"][0], kind)
    array.ravel()[places(one["layouts"][0], array.shape)] = values
    BUFFERS.append(array)
    if one["send"] == "Send_init":
        request = comm.Send_init(spec, one["pair"][1], one["tag"])
        request.Start()
        kept.append(request)
        return request
    return getattr(comm, one["send"])(spec, one["pair"][1], one["tag"])


def _called(comm: Any, step: Step, *arguments: Any) -> None:
    if step["is_nonblocking"]:
        getattr(comm, f"I{step['call'].lower()}")(*arguments).Wait()
    else:
        getattr(comm, step["call"])(*arguments)


def _moves(comm: Any, step: Step) -> Any:
    call, count, kind, root, size = *(step[name] for name in _FIELDS), comm.size
    is_root = comm.rank == root
    block = drawn(step["seed"] + comm.rank, count, kind)
    whole = np.zeros(count * size, kind)
    if call == "Bcast":
        _called(comm, step, block, root)
        return block.tolist()
    if call in {"Gather", "Allgather"}:
        gets = is_root or call == "Allgather"
        is_in_place = step["is_in_place"] and gets
        whole[comm.rank * count : (comm.rank + 1) * count] = block if is_in_place else 0
        rooted = [root] if call == "Gather" else []
        given = mpi_module().IN_PLACE if is_in_place else block
        _called(comm, step, given, whole if gets else None, *rooted)
        return whole.tolist()
    everything = drawn(step["seed"] + comm.rank, count * size, kind)
    if call == "Scatter":
        into = np.zeros(count, kind)
        is_in_place = step["is_in_place"] and is_root
        given = everything if is_root else None
        _called(comm, step, given, mpi_module().IN_PLACE if is_in_place else into, root)
        return into.tolist()
    if step["is_in_place"]:
        _called(comm, step, mpi_module().IN_PLACE, everything)
        return everything.tolist()
    _called(comm, step, everything, whole)
    return whole.tolist()


def _vectors(comm: Any, step: Step) -> Any:
    call, kind, root, rank = step["call"], step["kind"], step["root"], comm.rank
    counts, gap = step["counts"], step["gap"]
    starts = [sum(counts[:index]) + gap * index for index in range(comm.size)]
    length = sum(counts) + gap * comm.size
    plain = mpi_module()._typedict[np.dtype(kind).char]
    spread = np.zeros(length, kind)
    if call == "Gatherv":
        block = drawn(step["seed"] + rank, counts[rank], kind)
        into = [spread, (counts, starts), plain] if rank == root else None
        _called(comm, step, block, into, root)
    elif call == "Scatterv":
        source = drawn(step["seed"], length, kind)
        spread = np.zeros(counts[rank], kind)
        _called(comm, step, [source, (counts, starts), plain], spread, root)
    elif call == "Allgatherv":
        block = drawn(step["seed"] + rank, counts[rank], kind)
        _called(comm, step, block, [spread, (counts, starts), plain])
    else:
        # Of every rank as many for this one as its own count.
        source = drawn(step["seed"] + rank, length, kind)
        own = counts[rank]
        spread = np.zeros((own + gap) * comm.size, kind)
        places = [(own + gap) * index for index in range(comm.size)]
        into = [spread, ([own] * comm.size, places), plain]
        _called(comm, step, [source, (counts, starts), plain], into)
    return spread.tolist()


def _reductions(comm: Any, step: Step) -> Any:
    call, kind, count, size = step["call"], step["kind"], step["count"], comm.size
    op = getattr(mpi_module(), step["op"])
    most = 3 if step["op"] == "PROD" else 20
    counts = step["counts"]
    length = count * size if call == "Reduce_scatter_block" else count
    length = sum(counts) if call == "Reduce_scatter" else length
    source = drawn(step["seed"] + comm.rank, length, kind, most)
    into = np.zeros(counts[comm.rank] if call == "Reduce_scatter" else count, kind)
    more = {"Reduce": [op, step["root"]], "Reduce_scatter": [counts, op]}.get(call, [op])
    if step["is_in_place"] and call in {"Allreduce", "Scan"}:
        _called(comm, step, mpi_module().IN_PLACE, source, *more)
        return source.tolist()
    _called(comm, step, source, into, *more)
    if call == "Exscan" and comm.rank == 0:
        # Nothing is received.
        return None
    return into.tolist() if call != "Reduce" or comm.rank == step["root"] else None


def _objects(comm: Any, step: Step) -> Any:
    call, root = step["call"], step["root"]
    values = drawn(step["seed"] + comm.rank, step["count"] % 20, "i8").tolist()
    one = {"rank": comm.rank, "values": values}
    if call in {"allreduce", "scan", "exscan"}:
        return getattr(comm, call)(sum(values))
    if call == "bcast":
        return comm.bcast(one if comm.rank == root else None, root)
    if call == "gather":
        return comm.gather(one, root)
    if call == "allgather":
        return comm.allgather(one)
    each = [[comm.rank, index, values] for index in range(comm.size)]
    if call == "scatter":
        return comm.scatter(each if comm.rank == root else None, root)
    return comm.alltoall(each)


def _replaced(comm: Any, step: Step) -> Any:
    """Around the ring, in place."""
    values = drawn(step["seed"] + comm.rank, step["count"], step["kind"])
    away = 1 + step["gap"] % max(1, comm.size - 1)
    target, source = (comm.rank + away) % comm.size, (comm.rank - away) % comm.size
    comm.Sendrecv_replace(values, target, 3, source, 3)
    return values.tolist()


def _parts(comm: Any, step: Step) -> Any:
    """Packed into bytes, sent, unpacked behind a status of the length."""
    mpi = mpi_module()
    plain = mpi._typedict[np.dtype(step["kind"]).char]
    values = drawn(step["seed"] + comm.rank, step["count"], step["kind"])
    packed = np.zeros(values.nbytes + 16, np.uint8)
    end = plain.Pack(values, packed, 0, comm)
    target, source = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    request = comm.Isend([packed, end, mpi.PACKED], target, 5)
    status = mpi.Status()
    comm.Probe(source, mpi.ANY_TAG, status)
    into = np.zeros(status.Get_count(mpi.PACKED), np.uint8)
    comm.Recv([into, into.size, mpi.PACKED], source, 5)
    request.Wait()
    found = np.zeros(step["count"], step["kind"])
    plain.Unpack(into, 0, found, comm)
    return [status.Get_source(), status.Get_tag(), found.tolist()]


def main(first: int, last: int) -> None:
    comm = mpi_module().COMM_WORLD
    found = [comm.gather(performed(comm, made(seed, comm.size))) for seed in range(first, last)]
    if comm.rank == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
