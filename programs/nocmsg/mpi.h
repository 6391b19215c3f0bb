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

enum {
  MPI_BYTE, MPI_CHAR, MPI_INT, MPI_LONG, MPI_UNSIGNED, MPI_FLOAT, MPI_DOUBLE, MPI_UNSIGNED_LONG,
  // Combined over calls only.
  MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_C_BOOL, MPI_PACKED, MPI_LONG_DOUBLE, MPI_C_FLOAT_COMPLEX,
  MPI_C_DOUBLE_COMPLEX, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT
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

enum {
  MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX,
  // Over calls only.
  MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC
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
enum { MPI_GRAPH = 1, MPI_CART };
enum { MPI_ORDER_C = 56, MPI_ORDER_FORTRAN };
enum { MPI_COMM_TYPE_SHARED = 1, MPI_COMM_TYPE_HW_UNGUIDED, MPI_COMM_TYPE_HW_GUIDED };

// Errors end the run, whatever the handler.
enum { MPI_ERRHANDLER_NULL = -1, MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN, MPI_ERRORS_ABORT };
enum {
  MPI_ERR_BUFFER = 1, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_COMM, MPI_ERR_RANK, MPI_ERR_ROOT, MPI_ERR_GROUP, MPI_ERR_OP,
  MPI_ERR_TOPOLOGY, MPI_ERR_DIMS, MPI_ERR_ARG, MPI_ERR_UNKNOWN, MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_INTERN, MPI_ERR_IN_STATUS,
  MPI_ERR_PENDING, MPI_ERR_REQUEST, MPI_ERR_INFO = 28, MPI_ERR_INFO_KEY, MPI_ERR_INFO_VALUE, MPI_ERR_INFO_NOKEY, MPI_ERR_NO_MEM = 34,
  MPI_ERR_LASTCODE = 0x3fffffff
};

// Attributes of communicators.
enum { MPI_KEYVAL_INVALID = -1, MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL };

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
int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *flag);
int MPI_Attr_get(MPI_Comm comm, int key, void *value, int *flag);
int MPI_Comm_test_inter(MPI_Comm comm, int *flag);
int MPI_Pcontrol(int level, ...);

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

int MPI_Info_create(MPI_Info *info);
int MPI_Info_set(MPI_Info info, const char *key, const char *value);
int MPI_Info_get(MPI_Info info, const char *key, int length, char *value, int *flag);
int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *length, int *flag);
int MPI_Info_get_nkeys(MPI_Info info, int *count);
int MPI_Info_get_nthkey(MPI_Info info, int index, char *key);
int MPI_Info_delete(MPI_Info info, const char *key);
int MPI_Info_dup(MPI_Info info, MPI_Info *made);
int MPI_Info_free(MPI_Info *info);
int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info);
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made);

int MPI_Alloc_mem(MPI_Aint bytes, MPI_Info info, void *block);
int MPI_Free_mem(void *block);
int MPI_Get_address(const void *location, MPI_Aint *address);
int MPI_Address(void *location, MPI_Aint *address);
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint displacement);
MPI_Aint MPI_Aint_diff(MPI_Aint first, MPI_Aint second);

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

// Operators; calls only.
typedef void MPI_User_function(void *in, void *in_out, int *count, MPI_Datatype *type);
int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *made);
int MPI_Op_free(MPI_Op *op);
int MPI_Op_commutative(MPI_Op op, int *flag);

// Derived datatypes; calls only.
int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_indexed(int count, const int *lengths, const int *places, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_create_hindexed(int count, const int *lengths, const MPI_Aint *places, MPI_Datatype old, MPI_Datatype *made);
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
int MPI_Testsome(int count, MPI_Request *requests, int *num_over, int *indices, MPI_Status *statuses);
int MPI_Bsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Ibsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Rsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Irsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Buffer_attach(void *buffer, int bytes);
int MPI_Buffer_detach(void *buffer, int *bytes);

#endif
