# SPDX-License-Identifier: Apache-2.0
"""Derived datatypes: their extents, how they were made, what they send, pack and unpack."""

import numpy as np
from mpi4py import MPI
from mpi4py.util import dtlib


class Foreign:
    """An array of another library: it has DLPack's methods only."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        """The capsule of the array."""
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        """Where the array is."""
        return self.array.__dlpack_device__()


comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
block, cyclic, plain = MPI.DISTRIBUTE_BLOCK, MPI.DISTRIBUTE_CYCLIC, MPI.DISTRIBUTE_DFLT_DARG
right, left = (rank + 1) % size, (rank - 1) % size
DATA = np.arange(128, dtype="i4")

record = MPI.Datatype.Create_struct([1, 2], [0, 8], [MPI.INT, MPI.DOUBLE])
vector = MPI.INT.Create_vector(3, 2, 4)
kinds = {
    "contiguous": MPI.INT.Create_contiguous(5),
    "vector": vector,
    "backwards": MPI.INT.Create_vector(3, 1, -2),
    "hvector": MPI.INT.Create_hvector(2, 3, 20),
    "indexed": MPI.INT.Create_indexed([2, 0, 1], [5, 1, 0]),
    "hindexed": MPI.INT.Create_hindexed([1, 2], [16, -8]),
    "block": MPI.INT.Create_indexed_block(2, [6, 1]),
    "hblock": MPI.INT.Create_hindexed_block(1, [12, 0, 20]),
    "subarray": MPI.INT.Create_subarray([4, 6], [2, 3], [1, 2]),
    "fortran": MPI.INT.Create_subarray([4, 6], [2, 3], [1, 2], order=MPI.ORDER_F),
    "blocks": MPI.INT.Create_darray(4, 1, [4, 6], [block, block], [plain, plain], [2, 2]),
    "cyclic": MPI.INT.Create_darray(4, 2, [5, 6], [cyclic, cyclic], [2, plain], [2, 2]),
    "resized": MPI.INT.Create_resized(-4, 12),
    "nested": vector.Create_contiguous(2),
    "spaced": vector.Create_resized(0, 40).Create_vector(1, 2, 3),
    "dup": MPI.INT.Dup(),
    "struct": record,
}
lines = []
for name, kind in kinds.items():
    kind.Commit()
    base, combiner, values = kind.decode()
    values.pop("datatypes", None)
    lines.append((name, kind.size, kind.Get_extent(), kind.Get_true_extent(), kind.lb, kind.ub))
    lines.append((combiner, values, kind.envelope[:4], kind.contents[:3], base == MPI.INT))
    lines.append(
        (kind.is_named, kind.typestr, kind.combiner == getattr(MPI, f"COMBINER_{combiner}"))
    )
    if kind is record:
        continue
    # Behind one item, so that displacements may be negative.
    came = np.full(DATA.size, -1, "i4")
    request = comm.Isend([DATA, (1, 1), kind], rank)
    comm.Recv([came, (1, 1), kind], rank)
    request.Wait()
    lines.append(
        (np.flatnonzero(came + 1).tolist(), np.array_equal(came[came >= 0], DATA[came >= 0]))
    )
    packed = bytearray(kind.Pack_size(1, comm) + 3)
    if kind.lb >= 0 and kind.extent > 0:
        items = DATA[: -(-kind.ub // 4)].copy()
        end = kind.Pack(items, packed, 3, comm)
        back = np.full_like(items, -1)
        kind.Unpack(packed, 3, back, comm)
        lines.append((end, bytes(packed[3:]).hex(), back.tolist()))

big = bytearray(8)
MPI.INT.Pack_external("external32", np.arange(2, dtype="i4"), big, 0)
small = np.empty(2, "i4")
MPI.INT.Unpack_external("external32", big, 0, small)
lines.append((bytes(big).hex(), small.tolist()))
rows = np.zeros(3, np.dtype([("a", "i4"), ("b", "f8", (2,))], align=True))
rows["a"], rows["b"] = rank, rank / 2
came = np.zeros_like(rows)
of_rows = dtlib.from_numpy_dtype(rows.dtype).Commit()
comm.Sendrecv([rows, of_rows], (rank + 1) % size, 0, [came, of_rows], (rank - 1) % size, 0)
lines.append((of_rows.extent, came["a"].tolist(), came["b"].tolist()))
numpy_types = [dtlib.to_numpy_dtype(kind) for kind in (vector, record, of_rows, MPI.DOUBLE_INT)]
lines.append([(kind.itemsize, dict(kind.fields)) for kind in numpy_types])
lines.append(
    [
        (MPI.Datatype.fromcode(code).name, MPI.Datatype.fromcode(code).tocode())
        for code in "bhilqfdFD"
    ]
)
lines.append(
    (
        MPI._typedict["d"] == MPI.DOUBLE,
        MPI.LONG_DOUBLE.extent,
        MPI.WCHAR.size,
        MPI.DOUBLE_INT.Get_true_extent(),
    )
)
here = [MPI.Get_address(rows), MPI.Get_address(DATA)]
absolute = MPI.Datatype.Create_struct([2, 3], here, [MPI.INT, MPI.INT]).Commit()
comm.Allreduce([np.ones(1), 1, MPI.DOUBLE], total := np.zeros(1))
request = comm.Isend([MPI.BOTTOM, 1, absolute], rank, 9)
comm.Recv(part := np.zeros(5, "i4"), rank, 9)
request.Wait()
lines.append((part[[0, 2, 3, 4]].tolist(), total.tolist()))
pairs = [MPI.Datatype.Get_value_index(kind, MPI.INT) for kind in (MPI.INT, MPI.FLOAT, MPI.LONG)]
lines.append([pair.name for pair in pairs])
single = MPI.Datatype.Create_struct([1, 1], [0, 8], [MPI.C_FLOAT_COMPLEX, MPI.INT])
lines.append((single.extent, MPI._typealign(MPI.C_DOUBLE_COMPLEX), MPI._typecode(MPI.SHORT)))
far = np.zeros((2, 3))
comm.Sendrecv(Foreign(np.full((2, 3), 0.5 * left)), right, 0, Foreign(far), left, 0)
lines.append(far.tolist())
freed = vector.Dup()
freed.Free()
lines.append(
    (
        freed == MPI.DATATYPE_NULL,
        bool(freed),
        freed.Get_name(),
        MPI.Datatype.Match_size(MPI.TYPECLASS_REAL, 8).name,
    )
)

found = comm.gather(lines)
if rank == 0:
    for line, *others in zip(*found, strict=True):
        print(line, all(str(line) == str(other) for other in others) or others)
