# SPDX-License-Identifier: Apache-2.0
"""What `mpi4py` has beside `MPI`: the package itself, `util` and `futures`."""
