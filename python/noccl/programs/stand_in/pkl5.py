# SPDX-License-Identifier: Apache-2.0
"""`mpi4py.util.pkl5`: messages of objects of any length, which all messages of objects are here."""

from __future__ import annotations

from noccl.programs import comm, probes, requests
from noccl.programs.memories import Pickle

Request = requests.Request
Message = probes.Message
pickle: Pickle = Pickle()


class Comm(comm.Comm):
    """A communicator."""

    __slots__ = ()


class Intracomm(comm.Intracomm, Comm):
    """A communicator of one group of ranks."""

    __slots__ = ()
