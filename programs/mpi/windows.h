// SPDX-License-Identifier: Apache-2.0
// Windows over calls. An access is a message to the library of its target, which the runtime carries out there (docs/design/0017-one-sided.md).
#ifndef NOCCL_MPI_WINDOWS_H
#define NOCCL_MPI_WINDOWS_H

#include "blocks.h"

// Before the data of a message; of a lock `bytes` is its kind. A message for elements that do not follow each other has `described` bytes between:
// the distance of elements, then offset and bytes of each run of an element.
struct head {
  // The last fence has a number that changes from each to the next; 0 where the access is not between fences.
  unsigned char kind, op, element, fence;
  unsigned described, window, site;
  long start, bytes;
};

// Tags of messages of windows: accesses, and what the library of a target sends.
#define ACCESS_TAG (1L << 40)
enum { RESPONSE_TAG = 1, GRANT_TAG, POST_TAG };

// Does a lock need no message to end?
enum lock { NOT_LOCKED, LOCKED, LOCKED_UNCHECKED };

// A rank as a target.
struct target {
  long bytes, unit;
  // Its rank among all ranks.
  int world;
  enum lock lock;
  // Have writes without a response been sent? Has MPI_Win_start named it, and which request waits for its MPI_Win_post?
  int is_unconfirmed, is_started;
  MPI_Request post;
};

struct window {
  MPI_Comm comm;
  // The number of its communicator.
  long number, rank, size;
  char *memory;
  int flavor, is_allocated;
  int num_fences, is_fenced, is_all_locked, has_started, has_posted;
  // Waits for ranks that MPI_Win_post has named.
  MPI_Request ended;
  struct target *targets;
  // Requests of accesses that are not over, and their targets.
  MPI_Request *open;
  int *open_targets, num_open, most_open;
};

struct window *mpi_window(MPI_Win window, long site);
// A rank of the window, checked.
struct target *mpi_target(struct window *window, int rank, long site);

// Sends what a target is asked for. The response goes to a buffer, or to a request that the library keeps; the request of a response, else
// that of the message.
struct asked {
  MPI_Request sent, response;
};
struct asked mpi_ask(struct window *window, int rank, const struct head *head, const void *described, const void *data, long bytes,
                     void *buffer, long buffer_bytes, long site);
void mpi_add_open(struct window *window, int rank, MPI_Request request, long site);

// Waits until the accesses to a rank have been carried out, or until their buffers may be used.
enum end { CARRIED_OUT, LOCALLY };
void mpi_complete(struct window *window, int rank, enum end end, long site);
void mpi_complete_all(struct window *window, enum end end, long site);

// Waits until a rank may be accessed; ends the run if nothing has begun accesses to it.
void mpi_enter(struct window *window, int rank, long site);

#endif
