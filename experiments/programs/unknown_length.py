# SPDX-License-Identifier: Apache-2.0
"""Messages whose length the receiver learns from a probe."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
if rank == 0:
    status = MPI.Status()
    found = {}
    for _ in range(size - 1):
        comm.Probe(source=MPI.ANY_SOURCE, tag=7, status=status)
        source, count = status.Get_source(), status.Get_count(MPI.DOUBLE)
        data = np.empty(count)
        comm.Recv(data, source=source, tag=7, status=status)
        found[source] = (count, float(data.sum()), status.Get_count(MPI.BYTE))
    request = comm.Isend(np.arange(3, dtype="i4"), dest=0, tag=8)
    while not comm.Iprobe(source=0, tag=8):
        pass
    own = np.zeros(5, "i4")
    comm.Recv(own, source=0, tag=8, status=status)
    request.Wait()
    print("own:", own.tolist(), status.Get_count(MPI.INT))
    for source in sorted(found):
        print(source, *found[source])
else:
    comm.Send(np.linspace(0, 1, rank * rank), dest=0, tag=7)
