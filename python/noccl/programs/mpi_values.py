# SPDX-License-Identifier: Apache-2.0
"""MPI's integer constants and texts of errors, with the values of MPICH.

Programs compare them and print them; values of another implementation would differ.
"""

from __future__ import annotations

_TEXT = (
    # Messages and ranks.
    "ANY_SOURCE=-2 ANY_TAG=-1 PROC_NULL=-1 ROOT=-3 UNDEFINED=-32766 BSEND_OVERHEAD=96 "
    # Comparisons, topologies, splits.
    "IDENT=0 CONGRUENT=1 SIMILAR=2 UNEQUAL=3 COMM_TYPE_HW_GUIDED=2 COMM_TYPE_HW_UNGUIDED=3 "
    "COMM_TYPE_RESOURCE_GUIDED=4 COMM_TYPE_SHARED=1 CART=2 GRAPH=1 DIST_GRAPH=3 "
    # Threads, version.
    "THREAD_FUNNELED=1 THREAD_MULTIPLE=3 THREAD_SERIALIZED=2 THREAD_SINGLE=0 VERSION=4 "
    "SUBVERSION=1 "
    # Datatypes.
    "COMBINER_CONTIGUOUS=3 COMBINER_DARRAY=14 COMBINER_DUP=2 COMBINER_F90_COMPLEX=16 "
    "COMBINER_F90_INTEGER=17 COMBINER_F90_REAL=15 COMBINER_HINDEXED=9 "
    "COMBINER_HINDEXED_BLOCK=19 COMBINER_HVECTOR=6 COMBINER_INDEXED=7 "
    "COMBINER_INDEXED_BLOCK=10 COMBINER_NAMED=1 COMBINER_RESIZED=18 COMBINER_STRUCT=12 "
    "COMBINER_SUBARRAY=13 COMBINER_VALUE_INDEX=20 COMBINER_VECTOR=4 DISTRIBUTE_BLOCK=121 "
    "DISTRIBUTE_CYCLIC=122 DISTRIBUTE_DFLT_DARG=-49767 DISTRIBUTE_NONE=123 ORDER_C=56 "
    "ORDER_F=57 ORDER_FORTRAN=57 TYPECLASS_COMPLEX=3 TYPECLASS_INTEGER=2 TYPECLASS_LOGICAL=4 "
    "TYPECLASS_REAL=1 "
    # Attributes.
    "TAG_UB=1681915905 IO=1681915909 WTIME_IS_GLOBAL=1681915911 UNIVERSE_SIZE=1681915913 "
    "APPNUM=1681915917 LASTUSEDCODE=1681915915 KEYVAL_INVALID=603979776 WIN_BASE=1711276033 "
    "WIN_CREATE_FLAVOR=1711276039 WIN_DISP_UNIT=1711276037 WIN_FLAVOR=1711276039 "
    "WIN_FLAVOR_ALLOCATE=2 WIN_FLAVOR_CREATE=1 WIN_FLAVOR_DYNAMIC=3 WIN_FLAVOR_SHARED=4 "
    "WIN_MODEL=1711276041 WIN_SEPARATE=1 WIN_SIZE=1711276035 WIN_UNIFIED=2 "
    # Lengths.
    "MAX_DATAREP_STRING=128 MAX_ERROR_STRING=512 MAX_INFO_KEY=255 MAX_INFO_VAL=1024 "
    "MAX_LIBRARY_VERSION_STRING=8192 MAX_OBJECT_NAME=128 MAX_PORT_NAME=1024 "
    "MAX_PROCESSOR_NAME=128 MAX_PSET_NAME_LEN=256 MAX_STRINGTAG_LEN=256 "
    # Files and windows.
    "DISPLACEMENT_CURRENT=-54278278 DISP_CUR=-54278278 LOCK_EXCLUSIVE=234 LOCK_SHARED=235 "
    "MODE_APPEND=128 MODE_CREATE=1 MODE_DELETE_ON_CLOSE=16 MODE_EXCL=64 MODE_NOCHECK=1024 "
    "MODE_NOPRECEDE=8192 MODE_NOPUT=4096 MODE_NOSTORE=2048 MODE_NOSUCCEED=16384 MODE_RDONLY=2 "
    "MODE_RDWR=8 MODE_SEQUENTIAL=256 MODE_UNIQUE_OPEN=32 MODE_WRONLY=4 SEEK_CUR=602 "
    "SEEK_END=604 SEEK_SET=600 "
    # Fortran's statuses.
    "F_ERROR=4 F_SOURCE=2 F_STATUS_SIZE=5 F_TAG=3 "
    # Classes of errors.
    "SUCCESS=0 ERR_ABI=1073741823 ERR_ACCESS=20 ERR_AMODE=21 ERR_ARG=12 ERR_ASSERT=53 "
    "ERR_BAD_FILE=22 ERR_BASE=46 ERR_BUFFER=1 ERR_COMM=5 ERR_CONVERSION=23 ERR_COUNT=2 "
    "ERR_DIMS=11 ERR_DISP=52 ERR_DUP_DATAREP=24 ERR_ERRHANDLER=80 ERR_FILE=27 "
    "ERR_FILE_EXISTS=25 ERR_FILE_IN_USE=26 ERR_GROUP=8 ERR_INFO=28 ERR_INFO_KEY=29 "
    "ERR_INFO_NOKEY=31 ERR_INFO_VALUE=30 ERR_INTERN=16 ERR_IN_STATUS=17 ERR_IO=32 "
    "ERR_KEYVAL=48 ERR_LASTCODE=1073741823 ERR_LOCKTYPE=47 ERR_NAME=33 ERR_NOT_SAME=35 "
    "ERR_NO_MEM=34 ERR_NO_SPACE=36 ERR_NO_SUCH_FILE=37 ERR_OP=9 ERR_OTHER=15 ERR_PENDING=18 "
    "ERR_PORT=38 ERR_PROC_ABORTED=76 ERR_PROC_FAILED=13 ERR_PROC_FAILED_PENDING=13 "
    "ERR_QUOTA=39 ERR_RANK=6 ERR_READ_ONLY=40 ERR_REQUEST=19 ERR_REVOKED=13 ERR_RMA_ATTACH=56 "
    "ERR_RMA_CONFLICT=49 ERR_RMA_FLAVOR=58 ERR_RMA_RANGE=55 ERR_RMA_SHARED=57 ERR_RMA_SYNC=50 "
    "ERR_ROOT=7 ERR_SERVICE=41 ERR_SESSION=75 ERR_SIZE=51 ERR_SPAWN=42 ERR_TAG=4 "
    "ERR_TOPOLOGY=10 ERR_TRUNCATE=14 ERR_TYPE=3 ERR_UNKNOWN=13 ERR_UNSUPPORTED_DATAREP=43 "
    "ERR_UNSUPPORTED_OPERATION=44 ERR_VALUE_TOO_LARGE=77 ERR_WIN=45 "
)
VALUES: dict[str, int] = {
    name: int(value) for name, value in (entry.split("=") for entry in _TEXT.split())
}
"""Each constant by name."""
# Of MPICH addresses: only whether a program has given one of them matters.
VALUES |= {"UNWEIGHTED": 1, "WEIGHTS_EMPTY": 2}

ERROR_TEXTS: dict[int, str] = {
    0: "No MPI error",
    1: "Invalid buffer pointer",
    2: "Invalid count",
    3: "Invalid datatype",
    4: "Invalid tag",
    5: "Invalid communicator",
    6: "Invalid rank",
    7: "Invalid root",
    8: "Invalid group",
    9: "Invalid MPI_Op",
    10: "Invalid topology",
    11: "Invalid dimension argument",
    12: "Invalid argument",
    13: "Unknown error.  Please file a bug report.",
    14: "Message truncated",
    15: "Other MPI error",
    16: "Internal MPI error!",
    17: "See the MPI_ERROR field in MPI_Status for the error code",
    18: "Pending request (no error)",
    19: "Invalid MPI_Request",
    20: "Access denied to file",
    21: "Invalid amode value in MPI_File_open",
    22: "Invalid file name",
    23: "An error occurred in a user-defined data conversion function",
    24: "The requested datarep name has already been specified to MPI_REGISTER_DATAREP",
    25: "File exists",
    26: "File in use by some process",
    27: "Invalid MPI_File",
    28: "Invalid MPI_Info",
    29: "Invalid key for MPI_Info",
    30: "Invalid MPI_Info value",
    31: "MPI_Info key is not defined",
    32: "Other I/O error",
    33: "Invalid service name (see MPI_Publish_name)",
    34: "Unable to allocate memory for MPI_Alloc_mem",
    35: "Inconsistent arguments to collective routine",
    36: "Not enough space for file",
    37: "File does not exist",
    38: "Invalid port",
    39: "Quota exceeded for files",
    40: "Read-only file or filesystem name",
    41: "Attempt to lookup an unknown service name",
    42: "Error in spawn call",
    43: "Unsupported datarep passed to MPI_File_set_view",
    44: "Unsupported file operation",
    45: "Invalid MPI_Win",
    46: "Invalid base address",
    47: "Invalid locktype argument",
    48: "Invalid keyval",
    49: "Conflicting accesses to window",
    50: "Wrong synchronization of RMA calls",
    51: "Invalid size argument in RMA call",
    52: "Invalid displacement argument in RMA call",
    53: "Invalid assert argument",
    55: "Target memory is not contained within the window",
    56: "Memory cannot be attached",
    57: "Memory cannot be shared",
    58: "Incorrect window flavor",
    75: "Invalid MPI_Session handle",
    76: "Process was aborted",
    77: "Value is too large to store",
    80: "Invalid errhandler",
    81: "Fortran ABI already set",
}
"""What `Get_error_string` says of each class of errors."""
