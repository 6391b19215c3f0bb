# SPDX-License-Identifier: Apache-2.0
"""Programs of ranks: Python functions and unchanged mpi4py scripts on a simulated network.

Each rank is a greenlet of one thread; what it sends crosses the network cycle by cycle. Importing
this package imports nothing else: `noccl.programs.run` is the entry, and the rest is loaded when a
program runs.
"""
