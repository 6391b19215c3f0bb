# SPDX-License-Identifier: Apache-2.0
"""The functions of `mpi4py.MPI`, as methods of the module that stands for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.errors import ProgramError
from noccl.programs import constants, failures, info, memories
from noccl.programs.buffered import Store
from noccl.programs.cartesian import compute_dims
from noccl.programs.datatypes import Datatype, again
from noccl.programs.mpi_values import VALUES
from noccl.programs.requests import Request

if TYPE_CHECKING:
    from noccl.programs.hub import Hub
    from noccl.programs.link import Link

# Of `Store`: the buffer of the rank, for all communicators without one of their own.
_OF_RANK = -1
_ADDRESS_BYTES = 8


class Functions:
    """See the module; those that depend on the rank ask the hub which one runs."""

    _hub: Hub
    _processor: str
    _is_finalized: set[int]
    _is_initialized: set[int]
    _settings: Any

    def _link(self) -> Link:
        rank = self._hub.current
        if rank is None:
            raise ProgramError("MPI: no rank runs; accepted: calls while a program runs")
        return self._hub.links[rank]

    def Wtime(self) -> float:
        """Simulated seconds since the start."""
        link = self._link()
        return link.session.now(link.rank) / (link.session.clock_ghz * 1e9)

    def Wtick(self) -> float:
        """Seconds of a cycle."""
        return 1 / (self._link().session.clock_ghz * 1e9)

    def Get_processor_name(self) -> str:
        """Network and rank."""
        return f"{self._processor}:{self._link().rank}"

    def Init(self) -> None:
        """Notes that the rank has called it."""
        self._is_initialized.add(self._link().rank)

    def Init_thread(self, required: int = VALUES["THREAD_MULTIPLE"]) -> int:
        """Notes that the rank has called it."""
        self.Init()
        return min(required, constants.THREAD_SERIALIZED)

    def Finalize(self) -> None:
        """Notes that the rank has called it."""
        self._is_finalized.add(self._link().rank)

    def Is_initialized(self) -> bool:
        """Always True, unless `mpi4py.rc` leaves it to the rank."""
        return bool(self._settings.initialize) or self._link().rank in self._is_initialized

    def Is_finalized(self) -> bool:
        """Has the rank called Finalize?"""
        return self._link().rank in self._is_finalized

    def Query_thread(self) -> int:
        """What threads of a rank may do."""
        return constants.THREAD_SERIALIZED

    def Is_thread_main(self) -> bool:
        """Always True: ranks have one thread that may call."""
        return True

    def Get_version(self) -> tuple[int, int]:
        """MPI's version."""
        return VALUES["VERSION"], VALUES["SUBVERSION"]

    def Get_library_version(self) -> str:
        """What this is."""
        from noccl import __version__  # noqa: PLC0415 - only here

        return f"NoCCL {__version__}"

    def get_vendor(self) -> tuple[str, tuple[int, int, int]]:
        """What this is, and its version."""
        from noccl import __version__  # noqa: PLC0415 - only here

        major, minor, patch = (int(part) for part in __version__.split(".")[:3])
        return "NoCCL", (major, minor, patch)

    @staticmethod
    def Get_hw_resource_info() -> info.Info:
        """Nothing is known of the machine."""
        return info.Info.Create()

    @staticmethod
    def Get_abi_version() -> tuple[int, int]:
        """None: there is no binary interface."""
        return -1, -1

    @staticmethod
    def Get_abi_info() -> info.Info:
        """Bytes of MPI's integers."""
        names = ("aint", "count", "offset")
        return info.Info.Create({f"mpi_{name}_size": str(_ADDRESS_BYTES) for name in names})

    @staticmethod
    def Get_abi_fortran_info() -> info.Info:
        """None: there is no library of Fortran."""
        return info.Info()

    @staticmethod
    def Pcontrol(level: int) -> None:
        """Does nothing: nothing profiles the ranks."""

    @staticmethod
    def Compute_dims(nnodes: int, dims: Any) -> list[int]:
        """Lengths of a grid of so many ranks."""
        return compute_dims(nnodes, dims)

    def Attach_buffer(self, buf: Any) -> None:
        """Attaches a buffer for buffered sends."""
        Store.of(self._link()).attach(_OF_RANK, buf)

    def Detach_buffer(self) -> Any:
        """Waits for the buffered sends; returns the buffer."""
        return Store.of(self._link()).detach(_OF_RANK, self._link())

    def Flush_buffer(self) -> None:
        """Waits for the buffered sends."""
        Store.of(self._link()).flush(_OF_RANK, self._link())

    def Iflush_buffer(self) -> Request:
        """The same with a request, which is over."""
        self.Flush_buffer()
        return Request(self._link())

    Get_address: staticmethod[[Any], int] = staticmethod(memories.address_of)
    Alloc_mem: staticmethod[..., memories.MpiBuffer] = staticmethod(memories.alloc_mem)
    Free_mem: staticmethod[[Any], None] = staticmethod(memories.free_mem)
    Aint_add: staticmethod[[int, int], int] = staticmethod(memories.aint_add)
    Aint_diff: staticmethod[[int, int], int] = staticmethod(memories.aint_diff)

    Add_error_class: staticmethod[[], int] = staticmethod(failures.add_error_class)
    Add_error_code: staticmethod[[int], int] = staticmethod(failures.add_error_code)
    Add_error_string: staticmethod[[int, str], None] = staticmethod(failures.add_error_string)
    Get_error_class: staticmethod[[int], int] = staticmethod(failures.error_class_of)
    Get_error_string: staticmethod[[int], str] = staticmethod(failures.error_string)
    Remove_error_class: staticmethod[[int], None] = staticmethod(failures.remove_error_code)
    Remove_error_code: staticmethod[[int], None] = staticmethod(failures.remove_error_code)
    Remove_error_string: staticmethod[[int], None] = staticmethod(failures.remove_error_string)

    @staticmethod
    def _typecode(datatype: Datatype) -> str | None:
        """Code of a datatype, None without one."""
        return datatype.typechar if datatype.code else None

    @staticmethod
    def _typealign(datatype: Datatype) -> int | None:
        """Alignment of a datatype."""
        return datatype.alignment if datatype.is_predefined else None

    @staticmethod
    def _datatype_decode(
        datatype: Datatype, mark: bool = False
    ) -> tuple[Datatype, str, dict[str, Any]]:
        """How a datatype was made."""
        del mark
        return datatype.decode()

    @staticmethod
    def _datatype_create(datatype: Datatype, combiner: str, params: dict[str, Any]) -> Any:
        """Makes a datatype as another was made."""
        bases = params.pop("datatypes", (datatype,))
        return again(combiner, params, tuple(bases))
