# SPDX-License-Identifier: Apache-2.0
"""Every name of mpi4py 4's `MPI` and of its classes: what is provided, and what is used instead.

A name that is not provided exists all the same, so that a program that mentions it can be imported;
a call of it is refused with the sentence of this table. `tools/mpi_page.py` writes
docs/mpi_names.csv and the list of docs/programs.md from it, and a test compares it with mpi4py.
"""

from __future__ import annotations

from dataclasses import dataclass

from noccl.programs.mpi_method_names import METHODS
from noccl.programs.mpi_values import VALUES
from noccl.programs.named_datatypes import NAMED as DATATYPES
from noccl.programs.operators import NAMED as OPERATORS


@dataclass(frozen=True)
class Names:
    """Names that have one thing to say of them.

    Attributes:
        kind: class, constant, function, method (attributes included), object.
        group: Heading of the page.
        names: The names.
        owner: Class of methods; empty for names of the module.
        reason: Why they are not provided; empty if they are.
        instead: What exists.
        shown: What the page prints in place of the names; empty for the names.
    """

    kind: str
    group: str
    names: tuple[str, ...]
    owner: str = ""
    reason: str = ""
    instead: str = ""
    shown: str = ""


NO_DYNAMIC = (
    "an address is one of this machine, which names no memory of a tile",
    "Create, Allocate, Allocate_shared",
)
NO_FILES = ("files are those of this machine, without simulated time", "Python's open in one rank")
NO_PROCESSES = ("a simulation has the ranks that it began with", "Split of COMM_WORLD")
NO_FAULTS = ("a rank that fails ends the program", "Abort")
NO_LIBRARY = ("there is no library of MPI whose memory this could be", "calls of mpi4py")


def _row(
    kind: str,
    group: str,
    names: str,
    refusal: tuple[str, str] = ("", ""),
    *,
    owner: str = "",
    shown: str = "",
) -> Names:
    return Names(kind, group, tuple(names.split()), owner, *refusal, shown)


_MODULE = (
    _row(
        "object",
        "communicators, groups, requests",
        "COMM_NULL COMM_SELF COMM_WORLD GROUP_EMPTY GROUP_NULL MESSAGE_NO_PROC MESSAGE_NULL "
        "OP_NULL REQUEST_NULL",
    ),
    _row("object", "buffers", "BOTTOM BUFFER_AUTOMATIC IN_PLACE pickle"),
    _row(
        "object",
        "errors and info",
        "ERRHANDLER_NULL ERRORS_ABORT ERRORS_ARE_FATAL ERRORS_RETURN INFO_ENV INFO_NULL",
    ),
    _row("object", "one-sided access", "WIN_NULL"),
    _row("object", "files", "FILE_NULL", NO_FILES),
    _row("object", "sessions", "SESSION_NULL"),
    _row("object", "datatypes", "_typedict _typedict_c _typedict_f"),
    _row("object", "attributes", "_keyval_registry"),
    _row(
        "object",
        "predefined datatypes",
        " ".join(sorted(DATATYPES)),
        shown="mpi4py's, for C and Fortran",
    ),
    _row("object", "operators", " ".join(name for name in sorted(OPERATORS) if name != "OP_NULL")),
    _row("constant", "constants", " ".join(sorted(VALUES)), shown="all, with MPICH's values"),
    _row(
        "class",
        "classes",
        "BottomType BufferAutomaticType Cartcomm Comm Datatype Distgraphcomm Errhandler Exception "
        "Graphcomm Group InPlaceType Info Intracomm Message Op Pickle Prequest Request Status "
        "Topocomm Win buffer memory",
    ),
    _row("class", "files", "File", NO_FILES),
    _row("class", "intercommunicators", "Intercomm"),
    _row("class", "sessions", "Session"),
    _row("class", "generalized requests", "Grequest"),
    _row(
        "function",
        "environment",
        "Finalize Get_library_version Get_processor_name Get_version Init Init_thread Is_finalized "
        "Is_initialized Is_thread_main Pcontrol Query_thread Wtick Wtime get_vendor "
        "Get_hw_resource_info",
    ),
    _row(
        "function",
        "memory and buffered sends",
        "Aint_add Aint_diff Alloc_mem Attach_buffer Detach_buffer Flush_buffer Free_mem "
        "Get_address Iflush_buffer",
    ),
    _row(
        "function",
        "errors",
        "Add_error_class Add_error_code Add_error_string Get_error_class Get_error_string "
        "Remove_error_class Remove_error_code Remove_error_string",
    ),
    _row("function", "grids and graphs", "Compute_dims"),
    _row(
        "function",
        "intercommunicators",
        "Close_port Lookup_name Open_port Publish_name Unpublish_name",
        NO_PROCESSES,
    ),
    _row("function", "files", "Register_datarep", NO_FILES),
    _row("function", "environment", "Get_abi_fortran_info Get_abi_info Get_abi_version"),
    _row("function", "other languages", "_addressof _handleof _sizeof", NO_LIBRARY),
    _row("function", "datatypes", "_datatype_create _datatype_decode _typealign _typecode"),
    _row(
        "function",
        "mpi4py's own",
        "_comm_lock _comm_lock_table _commctx_inter _commctx_intra _set_abort_status",
        NO_LIBRARY,
    ),
)

_REFUSALS = {
    "dynamic": NO_DYNAMIC,
    "files": NO_FILES,
    "processes": NO_PROCESSES,
    "faults": NO_FAULTS,
}

TABLE: tuple[Names, ...] = _MODULE + tuple(
    _row("method", group, names, _REFUSALS[refusal] if refusal else ("", ""), owner=owner)
    for owner, group, refusal, names in METHODS
)
"""All names."""


def refused(owner: str = "") -> dict[str, Names]:
    """Names of the module, or of a class, that are not provided."""
    rows = (row for row in TABLE if row.owner == owner and row.reason)
    return {name: row for row in rows for name in row.names}
