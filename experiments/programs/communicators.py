# SPDX-License-Identifier: Apache-2.0
"""Communicators as objects: copies, subclasses, groups, attributes, names, infos, errors."""

from mpi4py import MPI


class Named(MPI.Intracomm):
    """A communicator with a method of its own."""

    def doubled(self, value):
        """Sum of twice the values of all ranks."""
        return self.allreduce(2 * value)


def error_of(function):
    """Class of the error that a call ends with."""
    try:
        function()
    except MPI.Exception as error:
        return MPI.Get_error_string(error.Get_error_class())
    return "none"


comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
lines = []

copy, named = MPI.Intracomm(comm), Named(comm)
copy.Barrier()
lines.append(
    ("copies", copy == comm, copy is comm, named.doubled(rank), type(named.Dup()).__name__)
)
lines.append(("null", bool(MPI.Comm()), MPI.Intracomm() == MPI.COMM_NULL, MPI.COMM_NULL is None))
dup = comm.Dup()
kinds = [MPI.IDENT, MPI.CONGRUENT, MPI.SIMILAR, MPI.UNEQUAL]
backwards = comm.Split(0, -rank)
compared = [comm.Compare(other) for other in (copy, dup, backwards, MPI.COMM_SELF)]
lines.append(("compare", [kinds.index(found) for found in compared[: 3 if size == 1 else 4]]))
lines.append(("classes", MPI.Comm.Compare(comm, dup), MPI.Group.Compare(comm.group, dup.group)))

group = comm.Get_group()
even, rest = group.Range_incl([(0, size - 1, 2)]), group.Excl([0])
sets = (
    MPI.Group.Union(even, rest),
    MPI.Group.Intersection(even, rest),
    MPI.Group.Difference(even, rest),
    group.Range_excl([(size - 1, 0, -1)]),
)
lines.append(("groups", [found.Translate_ranks(None, group) for found in sets]))
lines.append(("empty", sets[1] == MPI.GROUP_EMPTY, MPI.GROUP_EMPTY.size, bool(MPI.GROUP_NULL)))
of_even = comm.Create(even)
members = of_even.allgather(rank) if of_even != MPI.COMM_NULL else None
lines.append(
    ("created", members, comm.Create_group(group).size, comm.Split(MPI.UNDEFINED) == MPI.COMM_NULL)
)

events = []
key = MPI.Comm.Create_keyval(
    copy_fn=lambda _, __, value: value + 1, delete_fn=lambda _, __, value: events.append(value)
)
dup.Set_attr(key, 5)
again = dup.Dup()
lines.append(("attributes", dup.Get_attr(key), again.Get_attr(key), comm.Get_attr(key)))
dup.Set_attr(key, 7)
dup.Delete_attr(key)
again.Free()
lines.append(("deleted", events, dup.Get_attr(key), again == MPI.COMM_NULL))
MPI.Comm.Free_keyval(key)

dup.name = "mine"
info = MPI.Info.Create({"one": "1", "two": "2"})
info["three"] = "3"
del info["one"]
lines.append(
    ("names", dup.name, comm.name, MPI.COMM_SELF.name, info.items(), "two" in info, len(info))
)
lines.append(
    ("info", info.Get_nthkey(0), info.get("four", "none"), info.pop("two"), info.Dup().keys())
)
lines.append(
    ("errors", error_of(lambda: comm.send(1, dest=size)), error_of(lambda: comm.bcast(1, root=-1)))
)
lines.append(
    (
        "freed",
        error_of(again.Barrier),
        error_of(MPI.COMM_SELF.Free),
        error_of(lambda: MPI.GROUP_NULL.size),
    )
)
lines.append(
    ("handler", dup.Get_errhandler() == MPI.ERRORS_RETURN, MPI.Exception(MPI.ERR_TAG).error_string)
)
code = MPI.Add_error_code(MPI.Add_error_class())
MPI.Add_error_string(code, "of this program")
lines.append(("own error", MPI.Get_error_string(code), str(MPI.Exception(code))))

things = (
    MPI.SUM,
    MPI.INT,
    MPI.COMM_WORLD,
    MPI.COMM_NULL,
    MPI.GROUP_EMPTY.Dup().size,
    MPI.DATATYPE_NULL,
)
lines.append(
    (
        "pickled",
        [
            one == two
            for one, two in zip(things, comm.sendrecv(things, rank, 0, None, rank), strict=True)
        ],
    )
)
lines.append(("numbers", MPI.Comm.f2py(dup.py2f()) == dup, MPI.Op.f2py(MPI.MAX.py2f()) == MPI.MAX))
lines.append(("locations", MPI.MINLOC((1, 2), (1, 0)), MPI.MAXLOC((1, 2), (3, 0)), MPI.SUM(2, 3)))
memory = MPI.Alloc_mem(16)
memory[:3] = b"abc"
lines.append(("memory", len(memory), bytes(memory[:3]), MPI.Aint_diff(MPI.Aint_add(100, 5), 100)))
MPI.Free_mem(memory)
for other in (dup, backwards):
    other.Free()

found = comm.gather(lines)
if rank == 0:
    for row in zip(*found, strict=True):
        print(row[0][0], row if row[0][0] == "created" else (row[0][1:], row.count(row[0])))
