// SPDX-License-Identifier: Apache-2.0
// Wrappers of calls with counts, included twice: counts are int, and MPI_Count. No include guard for that reason.

#define SENDS(NAME, KIND)                                                                                 \
  int CALL(NAME)(const void *data, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {       \
    enter();                                                                                               \
    int code = REAL(NAME)(data, count, type, to, tag, comm);                                               \
    if (to != MPI_PROC_NULL) record_message(KIND, comm, to, tag, bytes_of((uint64_t)count, type));         \
    return leave(code);                                                                                    \
  }
SENDS(Send, SEND)
SENDS(Bsend, SEND)
SENDS(Rsend, SEND)
SENDS(Ssend, SSEND)
#undef SENDS

#define STARTS_SEND(NAME, KIND)                                                                           \
  int CALL(NAME)(const void *data, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm,         \
                 MPI_Request *request) {                                                                   \
    enter();                                                                                               \
    int code = REAL(NAME)(data, count, type, to, tag, comm, request);                                      \
    begin(*request, KIND, comm, to, tag, bytes_of((uint64_t)count, type));                                 \
    return leave(code);                                                                                    \
  }
STARTS_SEND(Isend, ISEND)
STARTS_SEND(Ibsend, ISEND)
STARTS_SEND(Irsend, ISEND)
STARTS_SEND(Issend, ISSEND)
#undef STARTS_SEND

#define PERSISTENT_SEND(NAME, KIND)                                                                       \
  int CALL(NAME)(const void *data, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm,         \
                 MPI_Request *request) {                                                                   \
    enter();                                                                                               \
    int code = REAL(NAME)(data, count, type, to, tag, comm, request);                                      \
    new_request(*request, KIND, comm, to, tag, bytes_of((uint64_t)count, type))->is_persistent = 1;        \
    return leave(code);                                                                                    \
  }
PERSISTENT_SEND(Send_init, ISEND)
PERSISTENT_SEND(Bsend_init, ISEND)
PERSISTENT_SEND(Rsend_init, ISEND)
PERSISTENT_SEND(Ssend_init, ISSEND)
#undef PERSISTENT_SEND

int CALL(Recv)(void *data, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  enter();
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  int code = REAL(Recv)(data, count, type, from, tag, comm, status);
  if (from != MPI_PROC_NULL) {
    record_message(RECV, comm, from, tag, 0);
    fill(&records[num_records - 1], status);
    records[num_records - 1].is_any = from == MPI_ANY_SOURCE;
  }
  return leave(code);
}

int CALL(Irecv)(void *data, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  enter();
  int code = REAL(Irecv)(data, count, type, from, tag, comm, request);
  begin(*request, IRECV, comm, from, tag, 0);
  return leave(code);
}

int CALL(Recv_init)(void *data, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  enter();
  int code = REAL(Recv_init)(data, count, type, from, tag, comm, request);
  new_request(*request, IRECV, comm, from, tag, 0)->is_persistent = 1;
  return leave(code);
}

int CALL(Mrecv)(void *data, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
  enter();
  MPI_Status own;
  struct taken found;
  int is_found = find_taken(*message, &found);
  if (status == MPI_STATUS_IGNORE) status = &own;
  int code = REAL(Mrecv)(data, count, type, message, status);
  if (is_found) {
    record_message(RECV, found.comm, 0, 0, 0);
    fill(&records[num_records - 1], status);
    records[num_records - 1].is_any = found.is_any;
  }
  return leave(code);
}

int CALL(Imrecv)(void *data, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
  enter();
  struct taken found;
  int is_found = find_taken(*message, &found);
  int code = REAL(Imrecv)(data, count, type, message, request);
  if (is_found) begin(*request, IRECV, found.comm, found.is_any ? MPI_ANY_SOURCE : 0, 0, 0);
  return leave(code);
}

// A receive and a send that go on at the same time.
static void CALL(noccl_both)(MPI_Comm comm, int to, int send_tag, uint64_t bytes, int from, MPI_Status *status) {
  int first = next_request, has_receive = from != MPI_PROC_NULL;
  if (has_receive) {
    record_message(IRECV, comm, from, 0, 0);
    fill(&records[num_records - 1], status);
    records[num_records - 1].is_any = from == MPI_ANY_SOURCE;
    records[num_records - 1].request = next_request++;
  }
  if (to != MPI_PROC_NULL) {
    record_message(ISEND, comm, to, send_tag, bytes);
    records[num_records - 1].request = next_request++;
  }
  if (first == next_request) return;
  begin_line("wait");
  for (int request = first; request < next_request; request++) add_number((uint64_t)request);
  end_line();
}

int CALL(Sendrecv)(const void *send, COUNT send_count, MPI_Datatype send_type, int to, int send_tag, void *receive,
                   COUNT receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm, MPI_Status *status) {
  enter();
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  int code = REAL(Sendrecv)(send, send_count, send_type, to, send_tag, receive, receive_count, receive_type, from, receive_tag,
                            comm, status);
  CALL(noccl_both)(comm, to, send_tag, bytes_of((uint64_t)send_count, send_type), from, status);
  return leave(code);
}

int CALL(Sendrecv_replace)(void *data, COUNT count, MPI_Datatype type, int to, int send_tag, int from, int receive_tag,
                           MPI_Comm comm, MPI_Status *status) {
  enter();
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  int code = REAL(Sendrecv_replace)(data, count, type, to, send_tag, from, receive_tag, comm, status);
  CALL(noccl_both)(comm, to, send_tag, bytes_of((uint64_t)count, type), from, status);
  return leave(code);
}

int CALL(Bcast)(void *data, COUNT count, MPI_Datatype type, int root, MPI_Comm comm) {
  enter();
  int code = REAL(Bcast)(data, count, type, root, comm);
  begin_collective("bcast", comm);
  add_number((uint64_t)root);
  add_number(bytes_of((uint64_t)count, type));
  end_line();
  return leave(code);
}

int CALL(Reduce)(const void *data, void *result, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  enter();
  int code = REAL(Reduce)(data, result, count, type, op, root, comm);
  begin_collective("reduce", comm);
  add_number((uint64_t)root);
  add_fold(op, type);
  add_number(bytes_of((uint64_t)count, type));
  end_line();
  return leave(code);
}

#define FOLDS(NAME, WORD)                                                                                 \
  int CALL(NAME)(const void *data, void *result, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) { \
    enter();                                                                                               \
    int code = REAL(NAME)(data, result, count, type, op, comm);                                            \
    begin_collective(WORD, comm);                                                                          \
    add_fold(op, type);                                                                                    \
    add_number(bytes_of((uint64_t)count, type));                                                           \
    end_line();                                                                                            \
    return leave(code);                                                                                    \
  }
FOLDS(Allreduce, "allreduce")
FOLDS(Reduce_scatter_block, "reduce_scatter_block")
FOLDS(Scan, "scan")
FOLDS(Exscan, "exscan")
#undef FOLDS

int CALL(Reduce_scatter)(const void *data, void *result, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  enter();
  int code = REAL(Reduce_scatter)(data, result, counts, type, op, comm);
  begin_collective("reduce_scatter", comm);
  add_fold(op, type);
  for (int rank = 0; rank < comm_size(comm); rank++) add_number(bytes_of((uint64_t)counts[rank], type));
  end_line();
  return leave(code);
}

int CALL(Gather)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive, COUNT receive_count,
                 MPI_Datatype receive_type, int root, MPI_Comm comm) {
  enter();
  int code = REAL(Gather)(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
  begin_collective("gather", comm);
  add_number((uint64_t)root);
  add_number(send == MPI_IN_PLACE ? bytes_of((uint64_t)receive_count, receive_type) : bytes_of((uint64_t)send_count, send_type));
  end_line();
  return leave(code);
}

int CALL(Gatherv)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive, const COUNT counts[],
                  const DISPLACEMENT places[], MPI_Datatype receive_type, int root, MPI_Comm comm) {
  enter();
  int code = REAL(Gatherv)(send, send_count, send_type, receive, counts, places, receive_type, root, comm);
  begin_collective("gatherv", comm);
  add_number((uint64_t)root);
  add_number(send == MPI_IN_PLACE ? bytes_of((uint64_t)counts[root], receive_type) : bytes_of((uint64_t)send_count, send_type));
  end_line();
  return leave(code);
}

int CALL(Scatter)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive, COUNT receive_count,
                  MPI_Datatype receive_type, int root, MPI_Comm comm) {
  enter();
  int code = REAL(Scatter)(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
  begin_collective("scatter", comm);
  add_number((uint64_t)root);
  add_number(rank_in(comm) == root ? bytes_of((uint64_t)send_count, send_type) : bytes_of((uint64_t)receive_count, receive_type));
  end_line();
  return leave(code);
}

int CALL(Scatterv)(const void *send, const COUNT counts[], const DISPLACEMENT places[], MPI_Datatype send_type, void *receive,
                   COUNT receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  enter();
  int code = REAL(Scatterv)(send, counts, places, send_type, receive, receive_count, receive_type, root, comm);
  begin_collective("scatterv", comm);
  add_number((uint64_t)root);
  for (int rank = 0; rank_in(comm) == root && rank < comm_size(comm); rank++)
    add_number(bytes_of((uint64_t)counts[rank], send_type));
  end_line();
  return leave(code);
}

#define BLOCKS(NAME, WORD)                                                                                \
  int CALL(NAME)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,                \
                 COUNT receive_count, MPI_Datatype receive_type, MPI_Comm comm) {                          \
    enter();                                                                                               \
    int code = REAL(NAME)(send, send_count, send_type, receive, receive_count, receive_type, comm);        \
    begin_collective(WORD, comm);                                                                          \
    add_number(bytes_of((uint64_t)receive_count, receive_type));                                           \
    end_line();                                                                                            \
    return leave(code);                                                                                    \
  }
BLOCKS(Allgather, "allgather")
BLOCKS(Alltoall, "alltoall")
#undef BLOCKS

int CALL(Allgatherv)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive, const COUNT counts[],
                     const DISPLACEMENT places[], MPI_Datatype receive_type, MPI_Comm comm) {
  enter();
  int code = REAL(Allgatherv)(send, send_count, send_type, receive, counts, places, receive_type, comm);
  begin_collective("allgatherv", comm);
  for (int rank = 0; rank < comm_size(comm); rank++) add_number(bytes_of((uint64_t)counts[rank], receive_type));
  end_line();
  return leave(code);
}

int CALL(Alltoallv)(const void *send, const COUNT send_counts[], const DISPLACEMENT send_places[], MPI_Datatype send_type,
                    void *receive, const COUNT counts[], const DISPLACEMENT places[], MPI_Datatype receive_type, MPI_Comm comm) {
  enter();
  int code = REAL(Alltoallv)(send, send_counts, send_places, send_type, receive, counts, places, receive_type, comm);
  int is_in_place = send == MPI_IN_PLACE;
  begin_collective("alltoallv", comm);
  for (int rank = 0; rank < comm_size(comm); rank++)
    add_number(is_in_place ? bytes_of((uint64_t)counts[rank], receive_type) : bytes_of((uint64_t)send_counts[rank], send_type));
  end_line();
  return leave(code);
}

int CALL(Alltoallw)(const void *send, const COUNT send_counts[], const DISPLACEMENT send_places[],
                    const MPI_Datatype send_types[], void *receive, const COUNT counts[], const DISPLACEMENT places[],
                    const MPI_Datatype receive_types[], MPI_Comm comm) {
  enter();
  int code = REAL(Alltoallw)(send, send_counts, send_places, send_types, receive, counts, places, receive_types, comm);
  int is_in_place = send == MPI_IN_PLACE;
  begin_collective("alltoallv", comm);
  for (int rank = 0; rank < comm_size(comm); rank++)
    add_number(is_in_place ? bytes_of((uint64_t)counts[rank], receive_types[rank])
                           : bytes_of((uint64_t)send_counts[rank], send_types[rank]));
  end_line();
  return leave(code);
}

#define NOT_BLOCKING "collectives that block"
REFUSE(CALL(Ibcast), (void *a, COUNT b, MPI_Datatype c, int d, MPI_Comm e, MPI_Request *f), NOT_BLOCKING)
REFUSE(CALL(Ireduce), (const void *a, void *b, COUNT c, MPI_Datatype d, MPI_Op e, int f, MPI_Comm g, MPI_Request *h), NOT_BLOCKING)
REFUSE(CALL(Iallreduce), (const void *a, void *b, COUNT c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request *g), NOT_BLOCKING)
REFUSE(CALL(Iallgather), (const void *a, COUNT b, MPI_Datatype c, void *d, COUNT e, MPI_Datatype f, MPI_Comm g, MPI_Request *h), NOT_BLOCKING)
REFUSE(CALL(Ialltoall), (const void *a, COUNT b, MPI_Datatype c, void *d, COUNT e, MPI_Datatype f, MPI_Comm g, MPI_Request *h), NOT_BLOCKING)
#undef NOT_BLOCKING
