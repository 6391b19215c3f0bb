# SPDX-License-Identifier: Apache-2.0
"""Random programs of one-sided communication (`one_sided_programs`) as one program in C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tests.one_sided_programs import Op, Program

_TYPES = {
    "i2": ("short", "MPI_SHORT"),
    "i4": ("int", "MPI_INT"),
    "i8": ("long", "MPI_LONG"),
    "f8": ("double", "MPI_DOUBLE"),
    "u1": ("unsigned char", "MPI_UNSIGNED_CHAR"),
}
_HEAD = """
#include <mpi.h>
#include <stdio.h>

static int rank, size;
static MPI_Request requests[256];
static int num_requests;

static MPI_Datatype vector(int count, int block, int stride, MPI_Datatype old) {
  MPI_Datatype made;
  MPI_Type_vector(count, block, stride, old, &made);
  MPI_Type_commit(&made);
  return made;
}

static MPI_Group some(MPI_Win window, int count, const int *ranks) {
  MPI_Group all, made;
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, count, ranks, &made);
  return made;
}
"""


def source(programs: Sequence[Program], ranks: int) -> str:
    """A program that runs all of them; each rank prints a line for each phase: reads | memory."""
    calls = "\n".join(f"  program_{number}();" for number in range(len(programs)))
    main = (
        "int main(int argc, char **argv) {\n  MPI_Init(&argc, &argv);\n"
        "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
        f"{calls}\n  MPI_Finalize();\n}}\n"
    )
    parts = [_HEAD]
    for number, program in enumerate(programs):
        body = "\n".join(_program(program, ranks))
        parts.append(f"static void program_{number}(void) {{\n{body}\n}}\n")
    return "\n".join([*parts, main])


def found(lines: Iterator[str], phases: int) -> Iterator[list[Any]]:
    """What a rank has printed of the next phases."""
    for line in islice(lines, phases):
        reads, memory = line.split("|")
        yield [
            [_numbers(read) for read in reads.split(";")[:-1]],
            _numbers(memory),
        ]


def _numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


def _program(program: Program, ranks: int) -> Iterator[str]:
    c_type, _ = _TYPES[program["kind"]]
    most = max(len(values) for values in program["memory"])
    yield f"  static const {c_type} initial[][{most + 1}] = {{"
    for values in program["memory"]:
        yield f"    {{{', '.join(map(str, [*values, 0]))}}},"
    lengths = ", ".join(str(len(values)) for values in program["memory"])
    yield f"  }};\n  static const int lengths[] = {{{lengths}}};"
    yield f"  static {c_type} own[{most + 1}], *memory = own;"
    yield "  MPI_Win window;\n  int length = lengths[rank];"
    size = f"length * sizeof({c_type}), {program['unit']}, MPI_INFO_NULL, MPI_COMM_WORLD"
    if program["is_allocated"]:
        yield f"  MPI_Win_allocate({size}, &memory, &window);"
    else:
        yield f"  MPI_Win_create(memory, {size}, &window);"
    yield "  for (int i = 0; i < length; i++) memory[i] = initial[rank][i];"
    yield "  MPI_Barrier(MPI_COMM_WORLD);"
    for number, phase in enumerate(program["phases"]):
        yield from _phase(phase, program, ranks, number)
        yield "  MPI_Barrier(MPI_COMM_WORLD);"
        yield "  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);"
        for origin in range(ranks):
            for at, op in enumerate(phase["ops"]):
                if op["origin"] == origin and op["call"] not in {"Put", "Accumulate"}:
                    yield (
                        f"  if (rank == {origin}) {{ for (int i = 0; i < {len(op['values'])}; i++)"
                        f' printf("%.17g ", (double)result_{number}_{at}[i * {_step(op)}]); '
                        'printf(";"); }'
                    )
        yield '  printf("|");'
        yield '  for (int i = 0; i < length; i++) printf("%.17g ", (double)memory[i]);'
        yield '  printf("\\n");\n  MPI_Win_unlock(rank, window);\n  MPI_Barrier(MPI_COMM_WORLD);'
    yield "  MPI_Win_free(&window);"


def _phase(phase: dict[str, Any], program: Program, ranks: int, number: int) -> Iterator[str]:
    c_type, _ = _TYPES[program["kind"]]
    ops = list(enumerate(phase["ops"]))
    for at, op in ops:
        length = max(1, len(op["values"]) * _step(op))
        given = [0] * length
        given[:: _step(op)] = op["values"]
        values = ", ".join(map(str, given))
        yield f"  static {c_type} given_{number}_{at}[{length}] = {{{values}}};"
        yield f"  static {c_type} result_{number}_{at}[{length}];"
        yield f"  static {c_type} compared_{number}_{at} = {op['compared']};"
    sync, is_shared = phase["sync"], phase["is_shared"]
    if sync == "fence":
        yield "  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);"
        yield from _calls(ops, program, number)
        yield "  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);"
    elif sync == "lock":
        kind = "MPI_LOCK_SHARED" if is_shared else "MPI_LOCK_EXCLUSIVE"
        for target in range(ranks):
            yield f"  MPI_Win_lock({kind}, {target}, 0, window);"
            yield from _calls([one for one in ops if one[1]["target"] == target], program, number)
            yield f"  MPI_Win_unlock({target}, window);"
    elif sync == "lock_all":
        yield "  MPI_Win_lock_all(0, window);"
        yield from _calls(ops, program, number)
        if is_shared:
            yield "  MPI_Win_flush_local_all(window);\n  MPI_Win_flush_all(window);"
        yield "  MPI_Win_unlock_all(window);"
    else:
        yield from _groups(phase, program, ranks, number)


def _groups(phase: dict[str, Any], program: Program, ranks: int, number: int) -> Iterator[str]:
    pairs = {(op["origin"], op["target"]) for op in phase["ops"]}
    for name, own in (("origins", 1), ("targets", 0)):
        lists = [sorted(p[1 - own] for p in pairs if p[own] == rank) for rank in range(ranks)]
        rows = ", ".join("{" + ", ".join(map(str, [len(one), *one])) + "}" for one in lists)
        yield f"  static const int {name}_{number}[][{ranks + 1}] = {{{rows}}};"
        yield (
            f"  MPI_Group group_{name}_{number} = some(window, {name}_{number}[rank][0], "
            f"{name}_{number}[rank] + 1);"
        )
    yield f"  MPI_Win_post(group_origins_{number}, 0, window);"
    yield f"  MPI_Win_start(group_targets_{number}, 0, window);"
    yield from _calls(list(enumerate(phase["ops"])), program, number)
    yield "  MPI_Win_complete(window);"
    if phase["is_shared"]:
        yield "  MPI_Win_wait(window);"
    else:
        yield "  for (int flag = 0; !flag;) MPI_Win_test(window, &flag);"


def _step(op: Op) -> int:
    is_one = op["call"] in {"Fetch_and_op", "Compare_and_swap"}
    has_kind = not is_one and (op["stride"] != op["block"] or op["form"] == 0)
    return 1 + op["gap"] if has_kind else 1


def _calls(ops: list[tuple[int, Op]], program: Program, number: int) -> Iterator[str]:
    for at, op in ops:
        yield f"  if (rank == {op['origin']}) {{"
        yield from _call(op, program, f"{number}_{at}")
        if op["flushes"]:
            yield f"    MPI_Win_flush({op['target']}, window);"
        yield "  }"
    yield "  MPI_Waitall(num_requests, requests, MPI_STATUSES_IGNORE);\n  num_requests = 0;"


def _call(op: Op, program: Program, name: str) -> Iterator[str]:
    c_type, mpi_type = _TYPES[program["kind"]]
    count, step, call = len(op["values"]), _step(op), op["call"]
    unit = f"(long)sizeof({c_type}) / {program['unit']}"
    place = f"{op['target']}, {op['first']} * {unit}"
    given, result = f"given_{name}", f"result_{name}"
    if call == "Compare_and_swap":
        yield f"    MPI_{call}({given}, &compared_{name}, {result}, {mpi_type}, {place}, window);"
        return
    operator = f"MPI_{op['op']}"
    if call == "Fetch_and_op":
        yield f"    MPI_{call}({given}, {result}, {mpi_type}, {place}, {operator}, window);"
        return
    own = f"{count}, {mpi_type}" if step == 1 else f"1, vector({count}, 1, {step}, {mpi_type})"
    target = f"{place}, {count}, {mpi_type}"
    if op["stride"] != op["block"]:
        kind = f"vector({op['count']}, {op['block']}, {op['stride']}, {mpi_type})"
        target = f"{place}, 1, {kind}"
    has_request = op["has_request"] and op["flushes"]
    buffers = {
        "Get": f"{result}, {own}",
        "Get_accumulate": f"{given}, {own}, {result}, {own}",
    }.get(call, f"{given}, {own}")
    words = [buffers, target]
    words += [operator] if call in {"Accumulate", "Get_accumulate"} else []
    words += ["window"] + (["&requests[num_requests++]"] if has_request else [])
    called = f"R{call.lower()}" if has_request else call
    yield f"    MPI_{called}({', '.join(words)});"
