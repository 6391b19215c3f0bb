// SPDX-License-Identifier: Apache-2.0
// IS: ten times the rank of every integer key, by buckets that go to the rank that counts them.

#include <stdlib.h>
#include <string.h>

#include "npb.h"

#define ITERATIONS 10
#define TESTS 5

// Binary logarithms of the number of keys, of the values that they have, and of the buckets.
static const struct {
  int keys, values, buckets;
} log_of =
#if NPB_CLASS == 'S'
    {16, 11, 9};
#elif NPB_CLASS == 'W'
    {20, 16, 10};
#elif NPB_CLASS == 'A'
    {23, 19, 10};
#elif NPB_CLASS == 'X'
    {NPB_IS_LOG_KEYS, NPB_IS_LOG_VALUES, NPB_IS_LOG_BUCKETS};
_Static_assert(NPB_IS_LOG_BUCKETS <= NPB_IS_LOG_VALUES && NPB_IS_LOG_VALUES < 30, "buckets of at least one value");
#else
#error "IS has the classes S, W, A and X"
#endif

// The key at an index has this rank plus, or minus, the number of the iteration.
static const struct {
  long index, rank;
  int slope;
} tests[TESTS] =
#if NPB_CLASS == 'S'
    {{48427, 0, 1}, {17148, 18, 1}, {23627, 346, 1}, {62548, 64917, -1}, {4431, 65463, -1}};
#elif NPB_CLASS == 'W'
    {{357773, 1247, 1}, {934767, 11696, 1}, {875723, 1039987, -1}, {898999, 1043896, -1}, {404505, 1048018, -1}};
#elif NPB_CLASS == 'A'
    {{2112377, 103, 1}, {662041, 17522, 1}, {5336171, 123927, 1}, {3642833, 8288933, -1}, {4250760, 8388265, -1}};
#else
    {{0, -1, 0}, {1, -1, 0}, {2, -1, 0}, {3, -1, 0}, {4, -1, 0}};
#endif

static int own_keys, values, buckets, shift;
static int *keys, *by_bucket, *received, *count_below;
static int received_room, count_room, received_keys, least_value;
// Keys per bucket, and behind them the tested keys: of this rank, of all.
static int *sizes, *totals;
static int *send_counts, *send_starts, *receive_counts, *receive_starts, *first_bucket;
// Found ranks of the tested keys, and how many keys are out of order.
static int found[ITERATIONS * TESTS + 1];

static void *room(size_t count) {
  void *place = calloc(count, sizeof(int));
  if (!place) MPI_Abort(MPI_COMM_WORLD, 3);
  return place;
}

static void prepare(void) {
  own_keys = (int)((1L << log_of.keys) / npb_ranks);
  values = 1 << log_of.values;
  buckets = 1 << log_of.buckets;
  shift = log_of.values - log_of.buckets;
  keys = room((size_t)own_keys);
  by_bucket = room((size_t)own_keys);
  sizes = room((size_t)buckets + TESTS);
  totals = room((size_t)buckets + TESTS);
  send_counts = room((size_t)npb_ranks);
  send_starts = room((size_t)npb_ranks);
  receive_counts = room((size_t)npb_ranks);
  receive_starts = room((size_t)npb_ranks);
  first_bucket = room((size_t)npb_ranks + 1);
}

// A key is the mean of four numbers times the number of values, rounded down: exact in integers.
static void make_keys(void) {
  uint64_t state = npb_jump(NPB_SEED, 4 * (uint64_t)own_keys * (uint64_t)npb_rank);
  for (int i = 0; i < own_keys; i++) {
    uint64_t sum = 0;
    for (int part = 0; part < 4; part++) sum += state = npb_multiply(state, NPB_A);
    keys[i] = (int)(sum >> (48 - log_of.values));
  }
}

// Counts the keys of each bucket, adds the counts of all ranks, and puts the own keys together by bucket.
static void fill_buckets(void) {
  memset(sizes, 0, sizeof(int) * ((size_t)buckets + TESTS));
  for (int test = 0; test < TESTS; test++)
    if (tests[test].index / own_keys == npb_rank) sizes[buckets + test] = keys[tests[test].index % own_keys];
  for (int i = 0; i < own_keys; i++) sizes[keys[i] >> shift]++;
  // `totals` holds the next place of each bucket until the sums come.
  for (int bucket = 0, place = 0; bucket < buckets; bucket++) {
    totals[bucket] = place;
    place += sizes[bucket];
  }
  for (int i = 0; i < own_keys; i++) by_bucket[totals[keys[i] >> shift]++] = keys[i];
  MPI_Allreduce(sizes, totals, buckets + TESTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

// Each rank takes buckets, from where the one before it ends, until all up to it have their share of the keys.
static void share_buckets(void) {
  long all = 0;
  int own = 0, rank = 0;
  memset(send_counts, 0, sizeof(int) * (size_t)npb_ranks);
  for (int bucket = 0; bucket < buckets; bucket++) {
    all += totals[bucket];
    own += sizes[bucket];
    if (all < (long)(rank + 1) * own_keys) continue;
    send_counts[rank++] = own;
    first_bucket[rank] = bucket + 1;
    own = 0;
  }
  for (; rank < npb_ranks; rank++) first_bucket[rank + 1] = buckets;
  for (rank = 1; rank < npb_ranks; rank++) send_starts[rank] = send_starts[rank - 1] + send_counts[rank - 1];
}

static void grow(int **place, int *room_now, int needed) {
  if (needed <= *room_now) return;
  free(*place);
  *room_now = needed + needed / 16;
  *place = room((size_t)*room_now);
}

static void exchange_keys(void) {
  MPI_Alltoall(send_counts, 1, MPI_INT, receive_counts, 1, MPI_INT, MPI_COMM_WORLD);
  for (int rank = 1; rank < npb_ranks; rank++)
    receive_starts[rank] = receive_starts[rank - 1] + receive_counts[rank - 1];
  received_keys = receive_starts[npb_ranks - 1] + receive_counts[npb_ranks - 1];
  grow(&received, &received_room, received_keys);
  MPI_Alltoallv(by_bucket, send_counts, send_starts, MPI_INT, received, receive_counts, receive_starts, MPI_INT,
                MPI_COMM_WORLD);
}

// `count_below[value - least_value]`: how many of all ranks' keys are below the value.
static void count_keys(int iteration) {
  least_value = first_bucket[npb_rank] << shift;
  int own_values = (first_bucket[npb_rank + 1] << shift) - least_value;
  grow(&count_below, &count_room, own_values + 1);
  memset(count_below, 0, sizeof(int) * (size_t)(own_values + 1));
  int *count_next = count_below + 1 - least_value;
  for (int i = 0; i < received_keys; i++) count_next[received[i]]++;
  for (int bucket = 0; bucket < first_bucket[npb_rank]; bucket++) count_below[0] += totals[bucket];
  for (int value = 0; value < own_values; value++) count_below[value + 1] += count_below[value];
  for (int test = 0; iteration > 0 && test < TESTS; test++) {
    int key = totals[buckets + test] - least_value;
    if (key >= 0 && key < own_values) found[(iteration - 1) * TESTS + test] = count_below[key];
  }
}

static void rank_keys(int iteration) {
  int changed = iteration ? iteration : 1;
  if (npb_rank == 0) {
    keys[changed] = changed;
    keys[changed + ITERATIONS] = values - changed;
  }
  fill_buckets();
  share_buckets();
  exchange_keys();
  count_keys(iteration);
}

// Sorts the received keys by their ranks. How many are out of order, those of two neighbouring ranks included.
static int out_of_order(void) {
  int below = count_below[0], wrong = 0, before = -1;
  int *sorted = room((size_t)received_keys + 1);
  for (int i = 0; i < received_keys; i++) sorted[count_below[received[i] - least_value]++ - below] = received[i];
  int last = received_keys ? sorted[received_keys - 1] : -1;
  MPI_Request request;
  if (npb_rank > 0) MPI_Irecv(&before, 1, MPI_INT, npb_rank - 1, 1000, MPI_COMM_WORLD, &request);
  if (npb_rank < npb_ranks - 1) MPI_Send(&last, 1, MPI_INT, npb_rank + 1, 1000, MPI_COMM_WORLD);
  if (npb_rank > 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < received_keys; i++) {
    wrong += sorted[i] < before;
    before = sorted[i];
  }
  free(sorted);
  return wrong;
}

static void report(void) {
  int all[ITERATIONS * TESTS + 1];
  found[ITERATIONS * TESTS] = out_of_order();
  MPI_Reduce(found, all, ITERATIONS * TESTS + 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
    for (int test = 0; test < TESTS; test++) {
      char name[] = "iteration_00_key_0";
      name[10] = (char)('0' + iteration / 10);
      name[11] = (char)('0' + iteration % 10);
      name[17] = (char)('1' + test);
      int rank = all[(iteration - 1) * TESTS + test];
      if (tests[test].slope) {
        npb_count(name, rank, tests[test].rank + tests[test].slope * iteration);
      } else {
        npb_number(name, rank);
      }
    }
  }
  npb_count("keys_out_of_order", all[ITERATIONS * TESTS], 0);
}

int main(void) {
  npb_init();
  // Two of rank 0's first keys change in each iteration.
  int has_keys = (1L << log_of.keys) / npb_ranks > 2 * ITERATIONS;
  if (!npb_is_power_of_two(npb_ranks) || npb_ranks > 1 << log_of.buckets || !has_keys)
    return npb_refuse("IS", "a power of two, at most a rank per bucket and for 32 keys");
  npb_begin("IS");
  prepare();
  make_keys();
  rank_keys(0);
  uint64_t begin = npb_now();
  for (int iteration = 1; iteration <= ITERATIONS; iteration++) rank_keys(iteration);
  npb_elapsed(begin, npb_now());
  report();
  return npb_end();
}
