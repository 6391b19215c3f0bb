# SPDX-License-Identifier: Apache-2.0
"""Messages that are Python objects."""

from dataclasses import dataclass, field

from mpi4py import MPI


@dataclass
class Particle:
    """A class of the script itself."""

    name: str
    place: tuple
    tags: set = field(default_factory=set)


comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
settings = comm.bcast({"steps": 3, "names": ["a", "b"]} if rank == 0 else None, root=0)
mine = comm.scatter(
    [Particle(f"p{other}", (other, other * other), {other % 2}) for other in range(size)]
    if rank == 0
    else None,
    root=0,
)
assert isinstance(mine, Particle)
for _ in range(settings["steps"]):
    mine = comm.sendrecv(mine, dest=(rank + 1) % size, source=(rank - 1) % size)
request = comm.isend(mine, dest=(rank + 1) % size, tag=9)
other = comm.irecv(source=(rank - 1) % size, tag=9).wait()
request.wait()
table = comm.alltoall([f"{rank}>{other}" for other in range(size)])
found = comm.gather((mine.name, other, table[0]), root=0)
if rank == 0:
    for name, particle, text in found:
        print(name, particle.name, particle.place, particle.tags, text)
