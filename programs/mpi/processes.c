// SPDX-License-Identifier: Apache-2.0
// Processes and intercommunicators, of which there are none: the ranks of a run are all that there are. What a program asks about them is
// answered, what would make them ends the run.

#include "shared.h"

#define REFUSED(NAME, PARAMETERS, TEXT)             \
  int MPI_##NAME PARAMETERS {                       \
    mpi_refuse("MPI_" #NAME ": " TEXT, SITE);       \
  }

int MPI_Comm_get_parent(MPI_Comm *parent) {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int MPI_Comm_disconnect(MPI_Comm *comm) { return MPI_Comm_free(comm); }

#define NO_INTERCOMM "there are no intercommunicators; accepted: MPI_Comm_split"
#define NO_PROCESSES "a simulation has one set of ranks; accepted: more --ranks"

REFUSED(Intercomm_create, (MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm *made), NO_INTERCOMM)
REFUSED(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), NO_INTERCOMM)
REFUSED(Comm_remote_size, (MPI_Comm comm, int *size), NO_INTERCOMM)
REFUSED(Comm_remote_group, (MPI_Comm comm, MPI_Group *group), NO_INTERCOMM)
REFUSED(Comm_spawn,
        (const char *command, char **arguments, int count, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made, int *codes), NO_PROCESSES)
