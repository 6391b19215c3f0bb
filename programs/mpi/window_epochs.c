// SPDX-License-Identifier: Apache-2.0
// Synchronization of windows over calls: when accesses begin, and when they have been carried out.

#include <stdlib.h>

#include "windows.h"

static void acquire(struct window *window, int rank, int kind, long site) {
  struct head head = {.kind = ACCESS_LOCK, .bytes = kind};
  struct asked asked = mpi_ask(window, rank, &head, 0, 0, 0, 0, 0, site);
  if (asked.sent != MPI_REQUEST_NULL) mpi_finish(asked.sent, site);
  mpi_finish(asked.response, site);
}

static int is_any_locked(const struct window *window) {
  for (int rank = 0; rank < window->size; rank++)
    if (window->targets[rank].lock != NOT_LOCKED) return 1;
  return 0;
}

void mpi_enter(struct window *window, int rank, long site) {
  struct target *target = &window->targets[rank];
  if (target->lock != NOT_LOCKED) return;
  if (window->is_all_locked) {
    // Each rank is locked when the first access to it is called.
    acquire(window, rank, MPI_LOCK_SHARED, site);
    target->lock = LOCKED;
  } else if (target->is_started) {
    if (target->post != MPI_REQUEST_NULL) mpi_finish(target->post, site);
    target->post = MPI_REQUEST_NULL;
  } else if (!window->is_fenced) {
    mpi_refuse("an access to a rank of a window that nothing has begun; accepted: after MPI_Win_fence, MPI_Win_lock or MPI_Win_start", site);
  }
}

int MPI_Win_fence(int assertion, MPI_Win number) {
  struct window *window = mpi_window(number, SITE);
  if (window->is_all_locked || is_any_locked(window)) mpi_refuse("MPI_Win_fence while ranks are locked; accepted: after MPI_Win_unlock", SITE);
  if (window->has_started || window->has_posted) mpi_refuse("MPI_Win_fence between MPI_Win_start and MPI_Win_complete, or MPI_Win_post and MPI_Win_wait", SITE);
  mpi_complete_all(window, CARRIED_OUT, SITE);
  MPI_Barrier(window->comm);
  window->num_fences++;
  window->is_fenced = !(assertion & MPI_MODE_NOSUCCEED);
  return MPI_SUCCESS;
}

int MPI_Win_lock(int kind, int rank, int assertion, MPI_Win number) {
  struct window *window = mpi_window(number, SITE);
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (kind != MPI_LOCK_EXCLUSIVE && kind != MPI_LOCK_SHARED) mpi_refuse("MPI_Win_lock of another kind; accepted: MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED", SITE);
  struct target *target = mpi_target(window, rank, SITE);
  if (target->lock != NOT_LOCKED || window->is_all_locked) mpi_refuse("MPI_Win_lock of a rank that is locked; accepted: after MPI_Win_unlock", SITE);
  int is_checked = !(assertion & MPI_MODE_NOCHECK);
  if (is_checked) acquire(window, rank, kind, SITE);
  target->lock = is_checked ? LOCKED : LOCKED_UNCHECKED;
  return MPI_SUCCESS;
}

// Ends accesses and the lock; a response to both.
static void release(struct window *window, int rank, long site) {
  struct target *target = &window->targets[rank];
  if (target->lock == LOCKED) {
    struct head head = {.kind = ACCESS_UNLOCK};
    struct asked asked = mpi_ask(window, rank, &head, 0, 0, 0, 0, 0, site);
    mpi_add_open(window, rank, asked.sent, site);
    mpi_add_open(window, rank, asked.response, site);
    target->is_unconfirmed = 0;
  }
  target->lock = NOT_LOCKED;
}

int MPI_Win_unlock(int rank, MPI_Win number) {
  struct window *window = mpi_window(number, SITE);
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (mpi_target(window, rank, SITE)->lock == NOT_LOCKED) mpi_refuse("MPI_Win_unlock of a rank that is not locked; accepted: after MPI_Win_lock", SITE);
  release(window, rank, SITE);
  mpi_complete(window, rank, CARRIED_OUT, SITE);
  return MPI_SUCCESS;
}

int MPI_Win_lock_all(int assertion, MPI_Win number) {
  struct window *window = mpi_window(number, SITE);
  if (window->is_all_locked || is_any_locked(window)) mpi_refuse("MPI_Win_lock_all while ranks are locked; accepted: after MPI_Win_unlock", SITE);
  window->is_all_locked = 1;
  if (assertion & MPI_MODE_NOCHECK)
    for (int rank = 0; rank < window->size; rank++) window->targets[rank].lock = LOCKED_UNCHECKED;
  // What the rank itself loads and stores has the lock too.
  mpi_enter(window, (int)window->rank, SITE);
  return MPI_SUCCESS;
}

int MPI_Win_unlock_all(MPI_Win number) {
  struct window *window = mpi_window(number, SITE);
  if (!window->is_all_locked) mpi_refuse("MPI_Win_unlock_all while nothing is locked; accepted: after MPI_Win_lock_all", SITE);
  for (int rank = 0; rank < window->size; rank++) release(window, rank, SITE);
  mpi_complete_all(window, CARRIED_OUT, SITE);
  window->is_all_locked = 0;
  return MPI_SUCCESS;
}

static struct window *locked(MPI_Win number, long site) {
  struct window *window = mpi_window(number, site);
  if (!window->is_all_locked && !is_any_locked(window)) mpi_refuse("MPI_Win_flush while nothing is locked; accepted: between MPI_Win_lock and MPI_Win_unlock", site);
  return window;
}

static int flush(MPI_Win number, int rank, enum end end, long site) {
  struct window *window = locked(number, site);
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  mpi_target(window, rank, site);
  mpi_complete(window, rank, end, site);
  return MPI_SUCCESS;
}

static int flush_all(MPI_Win number, enum end end, long site) {
  mpi_complete_all(locked(number, site), end, site);
  return MPI_SUCCESS;
}

int MPI_Win_flush(int rank, MPI_Win window) { return flush(window, rank, CARRIED_OUT, SITE); }
int MPI_Win_flush_local(int rank, MPI_Win window) { return flush(window, rank, LOCALLY, SITE); }
int MPI_Win_flush_all(MPI_Win window) { return flush_all(window, CARRIED_OUT, SITE); }
int MPI_Win_flush_local_all(MPI_Win window) { return flush_all(window, LOCALLY, SITE); }

// A rank and the others access the same bytes. The call lets accesses arrive that have come meanwhile.
int MPI_Win_sync(MPI_Win number) {
  struct window *window = mpi_window(number, SITE);
  int flag;
  return MPI_Iprobe((int)window->rank, 0, window->comm, &flag, MPI_STATUS_IGNORE);
}

// Ranks of the window that a group has.
static int *ranks_of(struct window *window, MPI_Group group, int *count, long site) {
  MPI_Group all;
  MPI_Group_size(group, count);
  int *ranks = mpi_space_for(2 * *count * (long)sizeof *ranks, site), *own = ranks + *count;
  for (int i = 0; i < *count; i++) own[i] = i;
  MPI_Comm_group(window->comm, &all);
  MPI_Group_translate_ranks(group, *count, own, all, ranks);
  MPI_Group_free(&all);
  for (int i = 0; i < *count; i++)
    if (ranks[i] < 0) mpi_refuse("a group with a rank that the window does not have", site);
  return ranks;
}

static long post_tag(const struct window *window) { return ACCESS_TAG + 4 * window->number + POST_TAG; }

int MPI_Win_post(MPI_Group group, int assertion, MPI_Win number) {
  struct window *window = mpi_window(number, SITE);
  if (window->has_posted) mpi_refuse("MPI_Win_post that has been called already; accepted: after MPI_Win_wait", SITE);
  int count, *ranks = ranks_of(window, group, &count, SITE);
  window->has_posted = 1;
  window->ended = (int)call(CALL_ENDED, window->number, count, 0, 0, 0, 0, SITE);
  for (int i = 0; i < count && !(assertion & MPI_MODE_NOCHECK); i++)
    if (ranks[i] != window->rank) mpi_finish(mpi_begin_send(0, 0, window->targets[ranks[i]].world, post_tag(window), 0, SITE), SITE);
  free(ranks);
  return MPI_SUCCESS;
}

int MPI_Win_start(MPI_Group group, int assertion, MPI_Win number) {
  struct window *window = mpi_window(number, SITE);
  if (window->has_started) mpi_refuse("MPI_Win_start that has been called already; accepted: after MPI_Win_complete", SITE);
  int count, *ranks = ranks_of(window, group, &count, SITE);
  window->has_started = 1;
  for (int i = 0; i < count; i++) {
    struct target *target = &window->targets[ranks[i]];
    target->is_started = 1;
    if (ranks[i] != window->rank && !(assertion & MPI_MODE_NOCHECK))
      target->post = mpi_begin_receive(0, 0, target->world, post_tag(window), 0, SITE);
  }
  free(ranks);
  return MPI_SUCCESS;
}

int MPI_Win_complete(MPI_Win number) {
  struct window *window = mpi_window(number, SITE);
  if (!window->has_started) mpi_refuse("MPI_Win_complete of no accesses; accepted: after MPI_Win_start", SITE);
  for (int rank = 0; rank < window->size; rank++) {
    struct target *target = &window->targets[rank];
    if (!target->is_started) continue;
    mpi_enter(window, rank, SITE);
    struct head head = {.kind = ACCESS_COMPLETE};
    struct asked asked = mpi_ask(window, rank, &head, 0, 0, 0, 0, 0, SITE);
    mpi_add_open(window, rank, asked.sent, SITE);
    mpi_add_open(window, rank, asked.response, SITE);
    // MPI_Win_wait of the rank counts this behind its writes.
    target->is_unconfirmed = target->is_started = 0;
  }
  mpi_complete_all(window, LOCALLY, SITE);
  window->has_started = 0;
  return MPI_SUCCESS;
}

static struct window *posted(MPI_Win number, long site) {
  struct window *window = mpi_window(number, site);
  if (!window->has_posted) mpi_refuse("MPI_Win_wait for no accesses; accepted: after MPI_Win_post", site);
  return window;
}

int MPI_Win_wait(MPI_Win number) {
  struct window *window = posted(number, SITE);
  mpi_finish(window->ended, SITE);
  window->has_posted = 0;
  return MPI_SUCCESS;
}

int MPI_Win_test(MPI_Win number, int *flag) {
  struct window *window = posted(number, SITE);
  MPI_Test(&window->ended, flag, MPI_STATUS_IGNORE);
  window->has_posted = !*flag;
  return MPI_SUCCESS;
}
