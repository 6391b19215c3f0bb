# SPDX-License-Identifier: Apache-2.0
"""Parts of arrays by derived datatypes: what arrives, and how large the datatypes are."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
grid = np.arange(30, dtype="i4").reshape(5, 6) + 100 * rank

kinds = {
    "contiguous": MPI.INT.Create_contiguous(4),
    "vector": MPI.INT.Create_vector(3, 2, 6),
    "indexed": MPI.INT.Create_indexed([1, 3, 2], [0, 7, 20]),
    "block": MPI.INT.Create_indexed_block(2, [1, 9, 14]),
    "subarray": MPI.INT.Create_subarray([5, 6], [2, 3], [1, 2]),
    "columns": MPI.INT.Create_vector(5, 1, 6).Create_resized(0, 4),
    "struct": MPI.Datatype.Create_struct([2, 1], [0, 16], [MPI.INT, MPI.DOUBLE]),
    "padded": MPI.Datatype.Create_struct([1, 1], [0, 8], [MPI.DOUBLE, MPI.INT]),
    "nested": MPI.INT.Create_vector(2, 1, 3).Create_contiguous(2),
}
lines = []
for name, kind in kinds.items():
    kind.Commit()
    count = 2 if name == "columns" else 1
    found = np.full(30, -1, "i4")
    status = MPI.Status()
    comm.Sendrecv(
        [grid, count, kind],
        dest=(rank + 1) % size,
        recvbuf=[found, count * kind.Get_size() // 4, MPI.INT],
        source=(rank - 1) % size,
        status=status,
    )
    back = np.full((5, 6), -1, "i4")
    comm.Sendrecv(
        [found, count * kind.Get_size() // 4, MPI.INT],
        dest=(rank - 1) % size,
        recvbuf=[back, count, kind],
        source=(rank + 1) % size,
    )
    sizes = kind.Get_size(), kind.Get_extent(), kind.Get_true_extent()
    same = int((back == grid).sum()), bool(np.all((back == grid) | (back == -1)))
    lines.append((name, *sizes, status.Get_count(MPI.INT), found[found >= 0].tolist(), same))

rows = comm.gather(lines, root=0)
if rank == 0:
    for line in rows[-1]:
        print(*line)

# Rows of every rank, dealt out by columns: a datatype in a collective.
column = MPI.INT.Create_vector(size, 1, size).Create_resized(0, 4)
column.Commit()
square = np.arange(size * size, dtype="i4")
mine = np.empty(size, "i4")
comm.Scatter([square, 1, column] if rank == 0 else None, [mine, size, MPI.INT], root=0)
whole = np.empty(size * size, "i4")
comm.Gather(mine, [whole, 1, column] if rank == 0 else None, root=0)
if rank == 0:
    print("columns:", mine.tolist(), bool(np.array_equal(whole, square)))
