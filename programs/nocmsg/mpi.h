// SPDX-License-Identifier: Apache-2.0
// A part of MPI 4.1 over the message library, and over calls. Over ports a message has at most 16777215 bytes, and a rank is in at most 60
// communicators besides the first two. Names with "calls only" are defined for programs of `noccl build --calls`.
#ifndef NOCMSG_MPI_H
#define NOCMSG_MPI_H

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Group;
typedef int MPI_Info;
typedef int MPI_Errhandler;
typedef int MPI_Win;
typedef int MPI_Message;
typedef int MPI_Fint;
typedef long MPI_Aint;
typedef long MPI_Count;
typedef long MPI_Offset;
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  unsigned long count_bytes;
} MPI_Status;

#define MPI_COMM_WORLD 0
#define MPI_COMM_SELF 32
#define MPI_COMM_NULL 63
#define MPI_SUCCESS 0
#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG (-1)
#define MPI_PROC_NULL (-2)
#define MPI_ROOT (-3)
#define MPI_UNDEFINED (-32766)
#define MPI_REQUEST_NULL (-1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_IN_PLACE ((void *)-1)

#define MPI_BOTTOM ((void *)0)
#define MPI_DATATYPE_NULL (-1)
#define MPI_OP_NULL (-1)
#define MPI_GROUP_NULL (-1)
#define MPI_GROUP_EMPTY 0
#define MPI_INFO_NULL (-1)
#define MPI_INFO_ENV 0
#define MPI_WIN_NULL (-1)
#define MPI_MESSAGE_NULL (-1)
#define MPI_MESSAGE_NO_PROC (-2)
#define MPI_UNWEIGHTED ((int *)-2)
#define MPI_WEIGHTS_EMPTY ((int *)-3)
#define MPI_ARGV_NULL ((char **)0)
#define MPI_ERRCODES_IGNORE ((int *)0)

enum {
  MPI_BYTE, MPI_CHAR, MPI_INT, MPI_LONG, MPI_UNSIGNED, MPI_FLOAT, MPI_DOUBLE, MPI_UNSIGNED_LONG,
  // Combined over calls only.
  MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_C_BOOL, MPI_PACKED, MPI_LONG_DOUBLE, MPI_C_FLOAT_COMPLEX,
  MPI_C_DOUBLE_COMPLEX, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT,
  MPI_C_LONG_DOUBLE_COMPLEX
};
#define MPI_LONG_LONG MPI_LONG
#define MPI_LONG_LONG_INT MPI_LONG
#define MPI_UNSIGNED_LONG_LONG MPI_UNSIGNED_LONG
#define MPI_WCHAR MPI_INT
#define MPI_INT8_T MPI_SIGNED_CHAR
#define MPI_UINT8_T MPI_UNSIGNED_CHAR
#define MPI_INT16_T MPI_SHORT
#define MPI_UINT16_T MPI_UNSIGNED_SHORT
#define MPI_INT32_T MPI_INT
#define MPI_UINT32_T MPI_UNSIGNED
#define MPI_INT64_T MPI_LONG
#define MPI_UINT64_T MPI_UNSIGNED_LONG
#define MPI_AINT MPI_LONG
#define MPI_COUNT MPI_LONG
#define MPI_OFFSET MPI_LONG
#define MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX
#define MPI_CXX_BOOL MPI_C_BOOL
#define MPI_CXX_FLOAT_COMPLEX MPI_C_FLOAT_COMPLEX
#define MPI_CXX_DOUBLE_COMPLEX MPI_C_DOUBLE_COMPLEX
#define MPI_CXX_LONG_DOUBLE_COMPLEX MPI_C_LONG_DOUBLE_COMPLEX
// Of Fortran.
#define MPI_CHARACTER MPI_CHAR
#define MPI_LOGICAL MPI_INT
#define MPI_INTEGER MPI_INT
#define MPI_REAL MPI_FLOAT
#define MPI_DOUBLE_PRECISION MPI_DOUBLE
#define MPI_COMPLEX MPI_C_FLOAT_COMPLEX
#define MPI_DOUBLE_COMPLEX MPI_C_DOUBLE_COMPLEX
#define MPI_2INTEGER MPI_2INT
#define MPI_INTEGER1 MPI_SIGNED_CHAR
#define MPI_INTEGER2 MPI_SHORT
#define MPI_INTEGER4 MPI_INT
#define MPI_INTEGER8 MPI_LONG
#define MPI_REAL4 MPI_FLOAT
#define MPI_REAL8 MPI_DOUBLE
#define MPI_COMPLEX8 MPI_C_FLOAT_COMPLEX
#define MPI_COMPLEX16 MPI_C_DOUBLE_COMPLEX

enum {
  MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX,
  // Over calls only.
  MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC,
  // Of accesses to windows.
  MPI_REPLACE, MPI_NO_OP
};
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };

#define MPI_VERSION 4
#define MPI_SUBVERSION 1
#define MPI_MAX_PROCESSOR_NAME 128
#define MPI_MAX_LIBRARY_VERSION_STRING 128
#define MPI_MAX_ERROR_STRING 128
#define MPI_MAX_OBJECT_NAME 128
#define MPI_MAX_INFO_KEY 255
#define MPI_MAX_INFO_VAL 1024
#define MPI_BSEND_OVERHEAD 96

// Results of comparisons, topologies, orders of arrays; kinds of Comm_split_type.
enum { MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL };
enum { MPI_GRAPH = 1, MPI_CART, MPI_DIST_GRAPH };
enum { MPI_ORDER_C = 56, MPI_ORDER_FORTRAN };
enum { MPI_COMM_TYPE_SHARED = 1, MPI_COMM_TYPE_HW_UNGUIDED, MPI_COMM_TYPE_HW_GUIDED };

// Errors end the run, whatever the handler.
enum { MPI_ERRHANDLER_NULL = -1, MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN, MPI_ERRORS_ABORT };
enum {
  MPI_ERR_BUFFER = 1, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_COMM, MPI_ERR_RANK, MPI_ERR_ROOT, MPI_ERR_GROUP, MPI_ERR_OP,
  MPI_ERR_TOPOLOGY, MPI_ERR_DIMS, MPI_ERR_ARG, MPI_ERR_UNKNOWN, MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_INTERN, MPI_ERR_IN_STATUS,
  MPI_ERR_PENDING, MPI_ERR_REQUEST, MPI_ERR_ACCESS, MPI_ERR_AMODE, MPI_ERR_BAD_FILE, MPI_ERR_CONVERSION, MPI_ERR_DUP_DATAREP,
  MPI_ERR_FILE_EXISTS, MPI_ERR_FILE_IN_USE, MPI_ERR_FILE, MPI_ERR_INFO, MPI_ERR_INFO_KEY, MPI_ERR_INFO_VALUE, MPI_ERR_INFO_NOKEY,
  MPI_ERR_IO, MPI_ERR_NAME, MPI_ERR_NO_MEM, MPI_ERR_NOT_SAME, MPI_ERR_NO_SPACE, MPI_ERR_NO_SUCH_FILE, MPI_ERR_PORT, MPI_ERR_QUOTA,
  MPI_ERR_READ_ONLY, MPI_ERR_SERVICE, MPI_ERR_SPAWN, MPI_ERR_UNSUPPORTED_DATAREP, MPI_ERR_UNSUPPORTED_OPERATION, MPI_ERR_WIN,
  MPI_ERR_BASE, MPI_ERR_LOCKTYPE, MPI_ERR_KEYVAL, MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_SYNC, MPI_ERR_SIZE, MPI_ERR_DISP, MPI_ERR_ASSERT,
  MPI_ERR_RMA_RANGE = 55, MPI_ERR_RMA_ATTACH, MPI_ERR_RMA_SHARED, MPI_ERR_RMA_FLAVOR,
  MPI_ERR_LASTCODE = 0x3fffffff
};

// Attributes of communicators, then of windows.
enum {
  MPI_KEYVAL_INVALID = -1, MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE,
  MPI_WIN_BASE, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL
};
enum { MPI_WIN_FLAVOR_CREATE = 1, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_DYNAMIC, MPI_WIN_FLAVOR_SHARED };
enum { MPI_WIN_SEPARATE = 1, MPI_WIN_UNIFIED };
enum { MPI_LOCK_EXCLUSIVE = 1, MPI_LOCK_SHARED };
enum {
  MPI_COMBINER_NAMED = 1, MPI_COMBINER_DUP, MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_VECTOR, MPI_COMBINER_HVECTOR, MPI_COMBINER_INDEXED,
  MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK, MPI_COMBINER_STRUCT, MPI_COMBINER_SUBARRAY,
  MPI_COMBINER_DARRAY, MPI_COMBINER_RESIZED
};
enum { MPI_TYPECLASS_REAL = 1, MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_COMPLEX };
enum { MPI_MODE_NOCHECK = 1, MPI_MODE_NOSTORE = 2, MPI_MODE_NOPUT = 4, MPI_MODE_NOPRECEDE = 8, MPI_MODE_NOSUCCEED = 16 };

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Initialized(int *flag);
int MPI_Finalized(int *flag);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made);
int MPI_Comm_free(MPI_Comm *comm);
// Seconds at 700 MHz, the TILEPro64's clock; and a cycle of it.
double MPI_Wtime(void);
double MPI_Wtick(void);

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag, void *receive,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status *status);
// A send is over when it returns.
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses);
int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int send_tag, int from, int receive_tag,
                         MPI_Comm comm, MPI_Status *status);
int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status);
int MPI_Waitsome(int count, MPI_Request *requests, int *num_over, int *indices, MPI_Status *statuses);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses);
int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Gather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Gatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                const int *starts, MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Scatter(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Scatterv(const void *send, const int *counts, const int *starts, MPI_Datatype send_type, void *receive,
                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                   const int *starts, MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Alltoallv(const void *send, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                  void *receive, const int *receive_counts, const int *receive_starts, MPI_Datatype receive_type,
                  MPI_Comm comm);
int MPI_Reduce_scatter_block(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter(const void *data, void *result, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Scan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Exscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

// What the program and its ranks are called.
int MPI_Get_version(int *version, int *subversion);
int MPI_Get_library_version(char *text, int *length);
int MPI_Get_processor_name(char *name, int *length);
int MPI_Query_thread(int *provided);
int MPI_Is_thread_main(int *flag);
int MPI_Comm_set_name(MPI_Comm comm, const char *name);
int MPI_Comm_get_name(MPI_Comm comm, char *name, int *length);
int MPI_Type_set_name(MPI_Datatype type, const char *name);
int MPI_Type_get_name(MPI_Datatype type, char *name, int *length);
int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *flag);
int MPI_Attr_get(MPI_Comm comm, int key, void *value, int *flag);
int MPI_Comm_test_inter(MPI_Comm comm, int *flag);
int MPI_Comm_get_parent(MPI_Comm *parent);
int MPI_Comm_disconnect(MPI_Comm *comm);
int MPI_Pcontrol(int level, ...);
int MPI_Test_cancelled(const MPI_Status *status, int *flag);
int MPI_Status_set_cancelled(MPI_Status *status, int flag);

typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *code, ...);
typedef MPI_Comm_errhandler_function MPI_Handler_function;
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *made);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler);
int MPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *made);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Errhandler_free(MPI_Errhandler *handler);
int MPI_Error_class(int code, int *class_);
int MPI_Error_string(int code, char *text, int *length);
int MPI_Comm_call_errhandler(MPI_Comm comm, int code);
typedef void MPI_Win_errhandler_function(MPI_Win *window, int *code, ...);
int MPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *made);
int MPI_Win_set_errhandler(MPI_Win window, MPI_Errhandler handler);
int MPI_Win_get_errhandler(MPI_Win window, MPI_Errhandler *handler);
int MPI_Win_call_errhandler(MPI_Win window, int code);
int MPI_Add_error_class(int *class_);
int MPI_Add_error_code(int class_, int *code);
int MPI_Add_error_string(int code, const char *text);

int MPI_Info_create(MPI_Info *info);
int MPI_Info_set(MPI_Info info, const char *key, const char *value);
int MPI_Info_get(MPI_Info info, const char *key, int length, char *value, int *flag);
int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *length, int *flag);
int MPI_Info_get_nkeys(MPI_Info info, int *count);
int MPI_Info_get_nthkey(MPI_Info info, int index, char *key);
int MPI_Info_get_string(MPI_Info info, const char *key, int *length, char *value, int *flag);
int MPI_Info_delete(MPI_Info info, const char *key);
int MPI_Info_dup(MPI_Info info, MPI_Info *made);
int MPI_Info_free(MPI_Info *info);
int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info);
int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info);
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made);

int MPI_Alloc_mem(MPI_Aint bytes, MPI_Info info, void *block);
int MPI_Free_mem(void *block);
int MPI_Get_address(const void *location, MPI_Aint *address);
int MPI_Address(void *location, MPI_Aint *address);
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint displacement);
MPI_Aint MPI_Aint_diff(MPI_Aint first, MPI_Aint second);

// Handles are the same numbers in Fortran.
#define MPI_Comm_c2f(COMM) ((MPI_Fint)(COMM))
#define MPI_Comm_f2c(COMM) ((MPI_Comm)(COMM))
#define MPI_Type_c2f(TYPE) ((MPI_Fint)(TYPE))
#define MPI_Type_f2c(TYPE) ((MPI_Datatype)(TYPE))
#define MPI_Group_c2f(GROUP) ((MPI_Fint)(GROUP))
#define MPI_Group_f2c(GROUP) ((MPI_Group)(GROUP))
#define MPI_Op_c2f(OP) ((MPI_Fint)(OP))
#define MPI_Op_f2c(OP) ((MPI_Op)(OP))
#define MPI_Request_c2f(REQUEST) ((MPI_Fint)(REQUEST))
#define MPI_Request_f2c(REQUEST) ((MPI_Request)(REQUEST))

// These end the run.
int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm *made);
int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *made);
int MPI_Comm_remote_size(MPI_Comm comm, int *size);
int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group);
int MPI_Comm_spawn(const char *command, char **arguments, int count, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made,
                   int *codes);

// Groups.
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int MPI_Group_size(MPI_Group group, int *size);
int MPI_Group_rank(MPI_Group group, int *rank);
int MPI_Group_incl(MPI_Group group, int count, const int *ranks, MPI_Group *made);
int MPI_Group_excl(MPI_Group group, int count, const int *ranks, MPI_Group *made);
int MPI_Group_range_incl(MPI_Group group, int count, int ranges[][3], MPI_Group *made);
int MPI_Group_range_excl(MPI_Group group, int count, int ranges[][3], MPI_Group *made);
int MPI_Group_union(MPI_Group first, MPI_Group second, MPI_Group *made);
int MPI_Group_intersection(MPI_Group first, MPI_Group second, MPI_Group *made);
int MPI_Group_difference(MPI_Group first, MPI_Group second, MPI_Group *made);
int MPI_Group_translate_ranks(MPI_Group from, int count, const int *ranks, MPI_Group to, int *found);
int MPI_Group_compare(MPI_Group first, MPI_Group second, int *result);
int MPI_Group_free(MPI_Group *group);
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made);
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made);
int MPI_Comm_compare(MPI_Comm first, MPI_Comm second, int *result);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);

// Cartesian topologies.
int MPI_Dims_create(int size, int count, int *dims);
int MPI_Cart_create(MPI_Comm comm, int count, const int *dims, const int *periods, int reorder, MPI_Comm *made);
int MPI_Cartdim_get(MPI_Comm comm, int *count);
int MPI_Cart_get(MPI_Comm comm, int most, int *dims, int *periods, int *coords);
int MPI_Cart_rank(MPI_Comm comm, const int *coords, int *rank);
int MPI_Cart_coords(MPI_Comm comm, int rank, int most, int *coords);
int MPI_Cart_shift(MPI_Comm comm, int dimension, int distance, int *source, int *destination);
int MPI_Cart_sub(MPI_Comm comm, const int *kept, MPI_Comm *made);
int MPI_Topo_test(MPI_Comm comm, int *topology);
int MPI_Cart_map(MPI_Comm comm, int count, const int *dims, const int *periods, int *rank);

// Operators; calls only.
typedef void MPI_User_function(void *in, void *in_out, int *count, MPI_Datatype *type);
int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *made);
int MPI_Op_free(MPI_Op *op);
int MPI_Op_commutative(MPI_Op op, int *flag);
int MPI_Reduce_local(const void *in, void *in_out, int count, MPI_Datatype type, MPI_Op op);

// Derived datatypes; calls only.
int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_indexed(int count, const int *lengths, const int *places, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_create_hindexed(int count, const int *lengths, const MPI_Aint *places, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_hindexed(int count, int *lengths, MPI_Aint *places, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint *places, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_create_indexed_block(int count, int length, const int *places, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_create_struct(int count, const int *lengths, const MPI_Aint *places, const MPI_Datatype *types, MPI_Datatype *made);
int MPI_Type_struct(int count, int *lengths, MPI_Aint *places, MPI_Datatype *types, MPI_Datatype *made);
int MPI_Type_create_subarray(int count, const int *sizes, const int *parts, const int *starts, int order, MPI_Datatype old,
                             MPI_Datatype *made);
int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lower, MPI_Aint extent, MPI_Datatype *made);
int MPI_Type_dup(MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);
int MPI_Type_size(MPI_Datatype type, int *bytes);
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent);
int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent);
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent);
int MPI_Type_lb(MPI_Datatype type, MPI_Aint *lower);
int MPI_Type_ub(MPI_Datatype type, MPI_Aint *upper);
int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count);
int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count);
int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count);
int MPI_Type_size_x(MPI_Datatype type, MPI_Count *bytes);
int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count *lower, MPI_Count *extent);
int MPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count *lower, MPI_Count *extent);
int MPI_Type_match_size(int class_, int bytes, MPI_Datatype *type);
int MPI_Pack(const void *data, int count, MPI_Datatype type, void *packed, int bytes, int *position, MPI_Comm comm);
int MPI_Unpack(const void *packed, int bytes, int *position, void *data, int count, MPI_Datatype type, MPI_Comm comm);
int MPI_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int *bytes);

// Persistent requests, buffered and ready sends; calls only. A send reads its data at the call, so a buffered one needs no buffer.
int MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Ssend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Bsend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Rsend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Start(MPI_Request *request);
int MPI_Startall(int count, MPI_Request *requests);
int MPI_Request_free(MPI_Request *request);
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);
int MPI_Cancel(MPI_Request *request);
int MPI_Testsome(int count, MPI_Request *requests, int *num_over, int *indices, MPI_Status *statuses);
int MPI_Bsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Ibsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Rsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Irsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Buffer_attach(void *buffer, int bytes);
int MPI_Buffer_detach(void *buffer, int *bytes);

// Non-blocking collectives; calls only.
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Igather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Igatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                 const int *starts, MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Iscatter(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                 MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Iscatterv(const void *send, const int *counts, const int *starts, MPI_Datatype send_type, void *receive,
                  int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Iallgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                   MPI_Datatype receive_type, MPI_Comm comm, MPI_Request *request);
int MPI_Iallgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                    const int *starts, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request *request);
int MPI_Ialltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm, MPI_Request *request);
int MPI_Ialltoallv(const void *send, const int *send_counts, const int *send_starts, MPI_Datatype send_type, void *receive,
                   const int *receive_counts, const int *receive_starts, MPI_Datatype receive_type, MPI_Comm comm,
                   MPI_Request *request);
int MPI_Ialltoallw(const void *send, const int *send_counts, const int *send_starts, const MPI_Datatype *send_types,
                   void *receive, const int *receive_counts, const int *receive_starts, const MPI_Datatype *receive_types,
                   MPI_Comm comm, MPI_Request *request);
int MPI_Ireduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request *request);
int MPI_Iallreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request);
int MPI_Iscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request);
int MPI_Iexscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request *request);
int MPI_Ireduce_scatter_block(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request *request);
int MPI_Ireduce_scatter(const void *data, void *result, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Request *request);
int MPI_Alltoallw(const void *send, const int *send_counts, const int *send_starts, const MPI_Datatype *send_types,
                  void *receive, const int *receive_counts, const int *receive_starts, const MPI_Datatype *receive_types,
                  MPI_Comm comm);

// Persistent collectives; calls only.
int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Bcast_init(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Gather_init(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                    MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Gatherv_init(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                     const int *starts, MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Info info,
                     MPI_Request *request);
int MPI_Scatter_init(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                     MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Scatterv_init(const void *send, const int *counts, const int *starts, MPI_Datatype send_type, void *receive,
                      int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Info info,
                      MPI_Request *request);
int MPI_Allgather_init(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                       MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Allgatherv_init(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                        const int *starts, MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Alltoall_init(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                      MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Alltoallv_init(const void *send, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                       void *receive, const int *receive_counts, const int *receive_starts, MPI_Datatype receive_type,
                       MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Alltoallw_init(const void *send, const int *send_counts, const int *send_starts, const MPI_Datatype *send_types,
                       void *receive, const int *receive_counts, const int *receive_starts,
                       const MPI_Datatype *receive_types, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Reduce_init(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                    MPI_Info info, MPI_Request *request);
int MPI_Allreduce_init(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                       MPI_Info info, MPI_Request *request);
int MPI_Scan_init(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                  MPI_Request *request);
int MPI_Exscan_init(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                    MPI_Request *request);
int MPI_Reduce_scatter_block_init(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                  MPI_Info info, MPI_Request *request);
int MPI_Reduce_scatter_init(const void *data, void *result, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                            MPI_Info info, MPI_Request *request);

// Graphs and neighbours; calls only.
int MPI_Graph_create(MPI_Comm comm, int nodes, const int *index, const int *edges, int reorder, MPI_Comm *made);
int MPI_Graphdims_get(MPI_Comm comm, int *nodes, int *edges);
int MPI_Graph_get(MPI_Comm comm, int most_nodes, int most_edges, int *index, int *edges);
int MPI_Graph_map(MPI_Comm comm, int nodes, const int *index, const int *edges, int *rank);
int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *count);
int MPI_Graph_neighbors(MPI_Comm comm, int rank, int most, int *neighbors);
int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int num_in, const int *in, const int *in_weights, int num_out, const int *out,
                                   const int *out_weights, MPI_Info info, int reorder, MPI_Comm *made);
int MPI_Dist_graph_create(MPI_Comm comm, int count, const int *from, const int *degrees, const int *to, const int *weights,
                          MPI_Info info, int reorder, MPI_Comm *made);
int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *num_in, int *num_out, int *weighted);
int MPI_Dist_graph_neighbors(MPI_Comm comm, int most_in, int *in, int *in_weights, int most_out, int *out, int *out_weights);
int MPI_Neighbor_allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                           MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Ineighbor_allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                            MPI_Datatype receive_type, MPI_Comm comm, MPI_Request *request);
int MPI_Neighbor_allgather_init(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                                MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Neighbor_allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                            const int *starts, MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Ineighbor_allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                             const int *starts, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request *request);
int MPI_Neighbor_allgatherv_init(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                                 const int *starts, MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info,
                                 MPI_Request *request);
int MPI_Neighbor_alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                          MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Ineighbor_alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                           MPI_Datatype receive_type, MPI_Comm comm, MPI_Request *request);
int MPI_Neighbor_alltoall_init(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                               MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Neighbor_alltoallv(const void *send, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                           void *receive, const int *receive_counts, const int *receive_starts, MPI_Datatype receive_type,
                           MPI_Comm comm);
int MPI_Ineighbor_alltoallv(const void *send, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                            void *receive, const int *receive_counts, const int *receive_starts, MPI_Datatype receive_type,
                            MPI_Comm comm, MPI_Request *request);
int MPI_Neighbor_alltoallv_init(const void *send, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                                void *receive, const int *receive_counts, const int *receive_starts,
                                MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info, MPI_Request *request);

// Messages that a probe has found; calls only.
int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status);
int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status);
int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request);

// Attributes; calls only.
typedef int MPI_Comm_copy_attr_function(MPI_Comm object, int key, void *extra, void *value, void *copy, int *flag);
typedef int MPI_Comm_delete_attr_function(MPI_Comm object, int key, void *value, void *extra);
typedef int MPI_Type_copy_attr_function(MPI_Datatype object, int key, void *extra, void *value, void *copy, int *flag);
typedef int MPI_Type_delete_attr_function(MPI_Datatype object, int key, void *value, void *extra);
typedef int MPI_Win_copy_attr_function(MPI_Win object, int key, void *extra, void *value, void *copy, int *flag);
typedef int MPI_Win_delete_attr_function(MPI_Win object, int key, void *value, void *extra);
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;
int MPI_Comm_dup_fn(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag);
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_COMM_DUP_FN MPI_Comm_dup_fn
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)
#define MPI_TYPE_DUP_FN MPI_Comm_dup_fn
#define MPI_WIN_NULL_COPY_FN ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_NULL_DELETE_FN ((MPI_Win_delete_attr_function *)0)
#define MPI_WIN_DUP_FN MPI_Comm_dup_fn
#define MPI_NULL_COPY_FN MPI_COMM_NULL_COPY_FN
#define MPI_NULL_DELETE_FN MPI_COMM_NULL_DELETE_FN
#define MPI_DUP_FN MPI_COMM_DUP_FN
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *end, int *key, void *extra);
int MPI_Comm_free_keyval(int *key);
int MPI_Comm_set_attr(MPI_Comm object, int key, void *value);
int MPI_Comm_delete_attr(MPI_Comm object, int key);
int MPI_Type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *end, int *key, void *extra);
int MPI_Type_free_keyval(int *key);
int MPI_Type_set_attr(MPI_Datatype object, int key, void *value);
int MPI_Type_delete_attr(MPI_Datatype object, int key);
int MPI_Type_get_attr(MPI_Datatype object, int key, void *value, int *flag);
int MPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *end, int *key, void *extra);
int MPI_Win_free_keyval(int *key);
int MPI_Win_set_attr(MPI_Win object, int key, void *value);
int MPI_Win_delete_attr(MPI_Win object, int key);
int MPI_Win_get_attr(MPI_Win object, int key, void *value, int *flag);
int MPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *end, int *key, void *extra);
int MPI_Keyval_free(int *key);
int MPI_Attr_put(MPI_Comm comm, int key, void *value);
int MPI_Attr_delete(MPI_Comm comm, int key);

// Windows; calls only.
int MPI_Win_create(void *memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window);
int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *memory, MPI_Win *window);
int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *memory, MPI_Win *window);
int MPI_Win_shared_query(MPI_Win window, int rank, MPI_Aint *bytes, int *unit, void *memory);
int MPI_Win_free(MPI_Win *window);
int MPI_Win_get_group(MPI_Win window, MPI_Group *group);
int MPI_Win_set_name(MPI_Win window, const char *name);
int MPI_Win_get_name(MPI_Win window, char *name, int *length);
int MPI_Win_set_info(MPI_Win window, MPI_Info info);
int MPI_Win_get_info(MPI_Win window, MPI_Info *info);
int MPI_Win_fence(int assertion, MPI_Win window);
int MPI_Win_lock(int kind, int rank, int assertion, MPI_Win window);
int MPI_Win_unlock(int rank, MPI_Win window);
int MPI_Win_lock_all(int assertion, MPI_Win window);
int MPI_Win_unlock_all(MPI_Win window);
int MPI_Win_flush(int rank, MPI_Win window);
int MPI_Win_flush_local(int rank, MPI_Win window);
int MPI_Win_flush_all(MPI_Win window);
int MPI_Win_flush_local_all(MPI_Win window);
int MPI_Win_sync(MPI_Win window);
int MPI_Win_post(MPI_Group group, int assertion, MPI_Win window);
int MPI_Win_start(MPI_Group group, int assertion, MPI_Win window);
int MPI_Win_complete(MPI_Win window);
int MPI_Win_wait(MPI_Win window);
int MPI_Win_test(MPI_Win window, int *flag);
int MPI_Put(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win window);
int MPI_Rput(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win window, MPI_Request *request);
int MPI_Get(void *result, int result_count, MPI_Datatype result_type, int target, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win window);
int MPI_Rget(void *result, int result_count, MPI_Datatype result_type, int target, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win window, MPI_Request *request);
int MPI_Accumulate(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
                   MPI_Datatype target_type, MPI_Op op, MPI_Win window);
int MPI_Raccumulate(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
                    MPI_Datatype target_type, MPI_Op op, MPI_Win window, MPI_Request *request);
int MPI_Get_accumulate(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                       MPI_Datatype result_type, int target, MPI_Aint place, int target_count, MPI_Datatype target_type,
                       MPI_Op op, MPI_Win window);
int MPI_Rget_accumulate(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                        MPI_Datatype result_type, int target, MPI_Aint place, int target_count, MPI_Datatype target_type,
                        MPI_Op op, MPI_Win window, MPI_Request *request);
int MPI_Fetch_and_op(const void *data, void *result, MPI_Datatype type, int target, MPI_Aint place, MPI_Op op, MPI_Win window);
int MPI_Compare_and_swap(const void *data, const void *compared, void *result, MPI_Datatype type, int target, MPI_Aint place,
                         MPI_Win window);

#endif
