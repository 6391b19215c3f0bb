// SPDX-License-Identifier: Apache-2.0
// Wrappers of calls without counts: ends of requests, communicators, barriers; and what is refused.

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  enter();
  MPI_Status *used = keep(1, request, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
  int code = PMPI_Wait(request, used);
  add_over(handles[0], used);
  end_over();
  return leave(code);
}

int MPI_Waitall(int count, MPI_Request all[], MPI_Status statuses[]) {
  enter();
  MPI_Status *used = keep(count, all, statuses);
  int code = PMPI_Waitall(count, all, used);
  for (int index = 0; index < count; index++) add_over(handles[index], &used[index]);
  end_over();
  return leave(code);
}

int MPI_Waitany(int count, MPI_Request all[], int *index, MPI_Status *status) {
  enter();
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  keep(count, all, MPI_STATUSES_IGNORE);
  int code = PMPI_Waitany(count, all, index, status);
  if (*index != MPI_UNDEFINED) add_over(handles[*index], status);
  end_over();
  return leave(code);
}

int MPI_Waitsome(int count, MPI_Request all[], int *done, int indices[], MPI_Status statuses[]) {
  enter();
  MPI_Status *used = keep(count, all, statuses);
  int code = PMPI_Waitsome(count, all, done, indices, used);
  for (int index = 0; *done != MPI_UNDEFINED && index < *done; index++) add_over(handles[indices[index]], &used[index]);
  end_over();
  return leave(code);
}

// A test that finds nothing is not recorded: how often a program looks depends on time.
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  enter();
  MPI_Status *used = keep(1, request, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
  int code = PMPI_Test(request, flag, used);
  if (*flag) add_over(handles[0], used);
  end_over();
  return leave(code);
}

int MPI_Testall(int count, MPI_Request all[], int *flag, MPI_Status statuses[]) {
  enter();
  MPI_Status *used = keep(count, all, statuses);
  int code = PMPI_Testall(count, all, flag, used);
  for (int index = 0; *flag && index < count; index++) add_over(handles[index], &used[index]);
  end_over();
  return leave(code);
}

int MPI_Testany(int count, MPI_Request all[], int *index, int *flag, MPI_Status *status) {
  enter();
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  keep(count, all, MPI_STATUSES_IGNORE);
  int code = PMPI_Testany(count, all, index, flag, status);
  if (*flag && *index != MPI_UNDEFINED) add_over(handles[*index], status);
  end_over();
  return leave(code);
}

int MPI_Testsome(int count, MPI_Request all[], int *done, int indices[], MPI_Status statuses[]) {
  enter();
  MPI_Status *used = keep(count, all, statuses);
  int code = PMPI_Testsome(count, all, done, indices, used);
  for (int index = 0; *done != MPI_UNDEFINED && index < *done; index++) add_over(handles[indices[index]], &used[index]);
  end_over();
  return leave(code);
}

// Probes are not recorded; those that take a message out tell what its receive needs.
int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status) {
  enter();
  return leave(PMPI_Probe(from, tag, comm, status));
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  enter();
  return leave(PMPI_Iprobe(from, tag, comm, flag, status));
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  enter();
  int code = PMPI_Mprobe(from, tag, comm, message, status);
  take_out(*message, comm, from);
  return leave(code);
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  enter();
  int code = PMPI_Improbe(from, tag, comm, flag, message, status);
  if (*flag) take_out(*message, comm, from);
  return leave(code);
}

int MPI_Start(MPI_Request *request) {
  enter();
  int code = PMPI_Start(request);
  struct request *found = find_request(*request, 0);
  if (found) start(found);
  return leave(code);
}

int MPI_Startall(int count, MPI_Request all[]) {
  enter();
  int code = PMPI_Startall(count, all);
  for (int index = 0; index < count; index++) {
    struct request *found = find_request(all[index], 0);
    if (found) start(found);
  }
  return leave(code);
}

int MPI_Request_free(MPI_Request *request) {
  enter();
  struct request *found = *request == MPI_REQUEST_NULL ? 0 : find_request(*request, 1);
  if (!found && *request != MPI_REQUEST_NULL) found = find_request(*request, 0);
  int code = PMPI_Request_free(request);
  if (found) {
    // A send that is under way is waited for at the end of the trace.
    found->handle = MPI_REQUEST_NULL;
    found->is_persistent = 0;
  }
  return leave(code);
}

int MPI_Barrier(MPI_Comm comm) {
  enter();
  int code = PMPI_Barrier(comm);
  begin_collective("barrier", comm);
  end_line();
  return leave(code);
}

#define MAKES(NAME, PARAMETERS, ARGUMENTS)                                                                \
  int MPI_##NAME PARAMETERS {                                                                              \
    enter();                                                                                               \
    int parent = comm_number(comm);                                                                        \
    int code = PMPI_##NAME ARGUMENTS;                                                                      \
    record_made(parent, *made);                                                                            \
    return leave(code);                                                                                    \
  }
MAKES(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made), (comm, type, key, info, made))
MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MAKES(Cart_create, (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder, MPI_Comm *made),
      (comm, n, dims, periods, reorder, made))
MAKES(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *made), (comm, remain, made))
#undef MAKES

int MPI_Comm_free(MPI_Comm *comm) {
  enter();
  for (size_t index = FIRST_COMM; index < num_comms; index++)
    if (comms[index].comm == *comm) comms[index] = comms[--num_comms];
  return leave(PMPI_Comm_free(comm));
}

#define NOT_BLOCKING "collectives that block"
REFUSE(MPI_Ibarrier, (MPI_Comm a, MPI_Request *b), NOT_BLOCKING)
REFUSE(MPI_Comm_idup, (MPI_Comm a, MPI_Comm *b, MPI_Request *c), "Comm_dup")
REFUSE(MPI_Comm_create_group, (MPI_Comm a, MPI_Group b, int c, MPI_Comm *d), "Comm_create, Comm_split")
REFUSE(MPI_Intercomm_create, (MPI_Comm a, int b, MPI_Comm c, int d, int e, MPI_Comm *f), "communicators of one group")
REFUSE(MPI_Comm_spawn, (const char *a, char *b[], int c, MPI_Info d, int e, MPI_Comm f, MPI_Comm *g, int h[]), "ranks that are there from the start")
REFUSE(MPI_Win_create, (void *a, MPI_Aint b, int c, MPI_Info d, MPI_Comm e, MPI_Win *f), "messages, not one-sided access")
REFUSE(MPI_Win_allocate, (MPI_Aint a, int b, MPI_Info c, MPI_Comm d, void *e, MPI_Win *f), "messages, not one-sided access")
#undef NOT_BLOCKING
