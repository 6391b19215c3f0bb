/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records what the threads of a C or C++ program reference, and how they synchronise, for `noccl coherence`.
 *
 *     gcc -O1 -c noccl_recorder.c
 *     g++ -O1 -fsanitize=thread -c program.cpp
 *     g++ -rdynamic program.o noccl_recorder.o -o program -pthread
 *     NOCCL_RECORDING=program.nocclref ./program
 *
 * With -fsanitize=thread the compiler calls a function before each reference. They are defined here, in place of its own run-time
 * library, which is not linked: -fsanitize=thread stands in the commands that compile, and not in the one that links. Calls of
 * POSIX threads and of OpenMP are caught by functions of the same names. The form of the file is in docs/formats/recording.md.
 *
 * What a program references must not depend on time: work is divided statically, and mutexes, barriers, starts and joins of threads order
 * what threads share. What cannot be replayed ends the program with a message: condition variables, locks for readers, semaphores.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_THREADS 64
#define MAX_OBJECTS 65536u
#define VERSION 1u
#define FNV_OFFSET 0xcbf29ce484222325ull
#define FNV_PRIME 0x100000001b3ull
/* The function of that name that would have been called. */
#define FIND_REAL(name) \
    static __typeof__(name) *real; \
    if (!real) \
        real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* Order of these is that of the file's code of events. */
enum kind { READ, WRITE, LOCK, UNLOCK, BARRIER, START, JOIN };

struct recorder {
    uint8_t *bytes;
    size_t size, capacity;
    uint64_t events, last_address;
    pthread_t handle;
    int is_joinable;
};

static struct recorder threads[MAX_THREADS];
static uint32_t num_threads;
static __thread struct recorder *self;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static const void *objects[MAX_OBJECTS];

static void refuse(const char *found, const char *accepted)
{
    fprintf(stderr, "noccl_recorder: %s; accepted: %s\n", found, accepted);
    _exit(2);
}

static int real_lock(pthread_mutex_t *mutex)
{
    FIND_REAL(pthread_mutex_lock);
    return real(mutex);
}

static int real_unlock(pthread_mutex_t *mutex)
{
    FIND_REAL(pthread_mutex_unlock);
    return real(mutex);
}

/* A number for each object that threads synchronise on. */
static uint32_t id_of(const void *object)
{
    uint32_t at = (uint32_t)(((uintptr_t)object >> 3) * 2654435761u) % MAX_OBJECTS;
    real_lock(&guard);
    for (uint32_t tried = 0; objects[at] && objects[at] != object; at = (at + 1) % MAX_OBJECTS)
        if (++tried == MAX_OBJECTS)
            refuse("more than 65536 mutexes, barriers and atomic variables", "fewer");
    objects[at] = object;
    real_unlock(&guard);
    return at;
}

static void put(enum kind kind, uint64_t payload)
{
    if (self->size + 10 > self->capacity) {
        self->capacity = self->capacity ? 2 * self->capacity : 1 << 16;
        self->bytes = realloc(self->bytes, self->capacity);
        if (!self->bytes)
            refuse("no memory for the recording", "a shorter run");
    }
    self->events++;
    uint64_t number = (uint64_t)kind | payload << 3;
    for (; number >= 0x80; number >>= 7)
        self->bytes[self->size++] = (uint8_t)(number | 0x80);
    self->bytes[self->size++] = (uint8_t)number;
}

static void synchronise(enum kind kind, uint32_t id)
{
    if (self)
        put(kind, id);
}

static void reference(enum kind kind, const void *at, unsigned log2_bytes)
{
    if (!self)
        return;
    uint64_t address = (uint64_t)(uintptr_t)at;
    int64_t difference = (int64_t)(address - self->last_address);
    self->last_address = address;
    uint64_t zigzag = (uint64_t)difference << 1 ^ (uint64_t)(difference >> 63);
    put(kind, log2_bytes | zigzag << 2);
}

static void range(enum kind kind, const void *at, size_t bytes)
{
    const char *next = at;
    while (bytes > 0) {
        unsigned log2_bytes = 3;
        while (bytes < (size_t)1 << log2_bytes || (uintptr_t)next & ((1u << log2_bytes) - 1))
            log2_bytes--;
        reference(kind, next, log2_bytes);
        next += (size_t)1 << log2_bytes;
        bytes -= (size_t)1 << log2_bytes;
    }
}

/* References, as the compiler reports them. */
#define REFERENCE(bytes, log2_bytes) \
    void __tsan_read##bytes(void *at) { reference(READ, at, log2_bytes); } \
    void __tsan_write##bytes(void *at) { reference(WRITE, at, log2_bytes); } \
    void __tsan_volatile_read##bytes(void *at) { reference(READ, at, log2_bytes); } \
    void __tsan_volatile_write##bytes(void *at) { reference(WRITE, at, log2_bytes); } \
    void __tsan_unaligned_read##bytes(void *at) { range(READ, at, bytes); } \
    void __tsan_unaligned_write##bytes(void *at) { range(WRITE, at, bytes); }
REFERENCE(1, 0)
REFERENCE(2, 1)
REFERENCE(4, 2)
REFERENCE(8, 3)
void __tsan_read16(void *at) { range(READ, at, 16); }
void __tsan_write16(void *at) { range(WRITE, at, 16); }
void __tsan_volatile_read16(void *at) { range(READ, at, 16); }
void __tsan_volatile_write16(void *at) { range(WRITE, at, 16); }
void __tsan_unaligned_read16(void *at) { range(READ, at, 16); }
void __tsan_unaligned_write16(void *at) { range(WRITE, at, 16); }
void __tsan_read_range(void *at, size_t bytes) { range(READ, at, bytes); }
void __tsan_write_range(void *at, size_t bytes) { range(WRITE, at, bytes); }
void __tsan_vptr_read(void **at) { reference(READ, at, 3); }
void __tsan_vptr_update(void **at, void *value) { (void)value; reference(WRITE, at, 3); }
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

/* An atomic operation is one of a variable with a lock of its own: so it is done again on the simulated machine. */
#define UNDER_LOCK(at, log2_bytes, writes, operation) \
    uint32_t id = id_of((const void *)(at)); \
    synchronise(LOCK, id); \
    reference(READ, (const void *)(at), log2_bytes); \
    operation; \
    if (writes) \
        reference(WRITE, (const void *)(at), log2_bytes); \
    synchronise(UNLOCK, id)
#define FETCH(bits, log2_bytes, type, name) \
    type __tsan_atomic##bits##_fetch_##name(volatile type *at, type value, int order) \
    { \
        (void)order; \
        UNDER_LOCK(at, log2_bytes, 1, type old = __atomic_fetch_##name(at, value, __ATOMIC_SEQ_CST)); \
        return old; \
    }
#define COMPARE(bits, log2_bytes, type, strength) \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *at, type *expected, type value, int order, int failure) \
    { \
        (void)order, (void)failure; \
        UNDER_LOCK(at, log2_bytes, is_changed, \
                   int is_changed = __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
        return is_changed; \
    }
#define ATOMIC(bits, log2_bytes, type) \
    type __tsan_atomic##bits##_load(const volatile type *at, int order) \
    { \
        (void)order; \
        UNDER_LOCK(at, log2_bytes, 0, type value = __atomic_load_n(at, __ATOMIC_SEQ_CST)); \
        return value; \
    } \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order) \
    { \
        (void)order; \
        UNDER_LOCK(at, log2_bytes, 1, __atomic_store_n(at, value, __ATOMIC_SEQ_CST)); \
    } \
    type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order) \
    { \
        (void)order; \
        UNDER_LOCK(at, log2_bytes, 1, type old = __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST)); \
        return old; \
    } \
    FETCH(bits, log2_bytes, type, add) \
    FETCH(bits, log2_bytes, type, sub) \
    FETCH(bits, log2_bytes, type, and) \
    FETCH(bits, log2_bytes, type, or) \
    FETCH(bits, log2_bytes, type, xor) \
    FETCH(bits, log2_bytes, type, nand) \
    COMPARE(bits, log2_bytes, type, strong) \
    COMPARE(bits, log2_bytes, type, weak)
ATOMIC(8, 0, uint8_t)
ATOMIC(16, 1, uint16_t)
ATOMIC(32, 2, uint32_t)
ATOMIC(64, 3, uint64_t)
void __tsan_atomic_thread_fence(int order) { (void)order; __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int order) { (void)order; }

/* Threads. */
struct beginning {
    void *(*function)(void *);
    void *argument;
    struct recorder *recorder;
};

static struct recorder *add_thread(void)
{
    real_lock(&guard);
    if (num_threads == MAX_THREADS)
        refuse("more than 64 threads", "1 to 64, a core each");
    struct recorder *recorder = &threads[num_threads++];
    real_unlock(&guard);
    return recorder;
}

static void *begin(void *argument)
{
    struct beginning beginning = *(struct beginning *)argument;
    free(argument);
    self = beginning.recorder;
    return beginning.function(beginning.argument);
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    FIND_REAL(pthread_create);
    struct beginning *beginning = malloc(sizeof *beginning);
    if (!beginning)
        refuse("no memory for a thread", "a smaller program");
    *beginning = (struct beginning){function, argument, add_thread()};
    struct recorder *recorder = beginning->recorder;
    synchronise(START, (uint32_t)(recorder - threads));
    int error = real(handle, attributes, begin, beginning);
    if (error)
        refuse("a thread that cannot be created", "fewer threads");
    recorder->handle = *handle;
    recorder->is_joinable = 1;
    return 0;
}

int pthread_join(pthread_t handle, void **result)
{
    FIND_REAL(pthread_join);
    int error = real(handle, result);
    for (uint32_t i = 0; !error && i < num_threads; i++)
        if (threads[i].is_joinable && pthread_equal(threads[i].handle, handle)) {
            threads[i].is_joinable = 0;
            synchronise(JOIN, i);
        }
    return error;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    int error = real_lock(mutex);
    if (!error && self)
        synchronise(LOCK, id_of(mutex));
    return error;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (self)
        synchronise(UNLOCK, id_of(mutex));
    return real_unlock(mutex);
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
    FIND_REAL(pthread_spin_lock);
    int error = real(lock);
    synchronise(LOCK, id_of((const void *)lock));
    return error;
}

int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    FIND_REAL(pthread_spin_unlock);
    synchronise(UNLOCK, id_of((const void *)lock));
    return real(lock);
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    FIND_REAL(pthread_barrier_wait);
    synchronise(BARRIER, id_of(barrier));
    return real(barrier);
}

#define DEPENDS_ON_TIME(name, parameters, what) \
    int name parameters { refuse(what, "mutexes, spin locks, barriers, starts and joins of threads"); return 0; }
DEPENDS_ON_TIME(pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m), "a wait for a condition variable")
DEPENDS_ON_TIME(pthread_cond_timedwait, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t), "a wait for a condition variable")
DEPENDS_ON_TIME(pthread_mutex_trylock, (pthread_mutex_t *m), "a mutex that is tried")
DEPENDS_ON_TIME(pthread_rwlock_rdlock, (pthread_rwlock_t *l), "a lock for readers")
DEPENDS_ON_TIME(pthread_rwlock_wrlock, (pthread_rwlock_t *l), "a lock for readers")
DEPENDS_ON_TIME(sem_wait, (sem_t *s), "a semaphore")

/* OpenMP: a team meets before and behind a parallel region, and at its barriers. */
struct region {
    void (*function)(void *);
    void *argument;
};

static uint32_t team(void) { return id_of((const void *)objects); }

static void in_region(void *argument)
{
    struct region *region = argument;
    synchronise(BARRIER, team());
    region->function(region->argument);
    synchronise(BARRIER, team());
}

void GOMP_parallel(void (*function)(void *), void *argument, unsigned count, unsigned flags)
{
    FIND_REAL(GOMP_parallel);
    struct region region = {function, argument};
    real(in_region, &region, count, flags);
}

void GOMP_barrier(void)
{
    FIND_REAL(GOMP_barrier);
    synchronise(BARRIER, team());
    real();
}

void GOMP_critical_start(void)
{
    FIND_REAL(GOMP_critical_start);
    real();
    synchronise(LOCK, id_of((const void *)threads));
}

void GOMP_critical_end(void)
{
    FIND_REAL(GOMP_critical_end);
    synchronise(UNLOCK, id_of((const void *)threads));
    real();
}

void GOMP_critical_name_start(void **name)
{
    FIND_REAL(GOMP_critical_name_start);
    real(name);
    synchronise(LOCK, id_of(name));
}

void GOMP_critical_name_end(void **name)
{
    FIND_REAL(GOMP_critical_name_end);
    synchronise(UNLOCK, id_of(name));
    real(name);
}

/* The file. */
struct output {
    FILE *file;
    uint64_t checksum;
};

static void write_bytes(struct output *output, const void *bytes, size_t size)
{
    const uint8_t *next = bytes;
    for (size_t i = 0; i < size; i++)
        output->checksum = (output->checksum ^ next[i]) * FNV_PRIME;
    if (fwrite(bytes, 1, size, output->file) != size)
        refuse("a recording that cannot be written", "a file system with space, NOCCL_RECORDING in a folder that exists");
}

static void write_number(struct output *output, uint64_t number, unsigned size)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    write_bytes(output, bytes, size);
}

__attribute__((constructor)) static void begin_recording(void) { self = add_thread(); }

__attribute__((destructor)) static void end_recording(void)
{
    const char *path = getenv("NOCCL_RECORDING");
    self = NULL;
    if (!path)
        path = "recording.nocclref";
    char part[4096];
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        refuse("a path of more than 4090 bytes in NOCCL_RECORDING", "a shorter one");
    struct output output = {fopen(part, "wb"), FNV_OFFSET};
    if (!output.file)
        refuse("a recording that cannot be written", "NOCCL_RECORDING with a file in a folder that exists");
    write_bytes(&output, "NOCCLREF", 8);
    write_number(&output, VERSION, 4);
    write_number(&output, num_threads, 4);
    for (uint32_t i = 0; i < num_threads; i++) {
        write_number(&output, threads[i].size, 8);
        write_number(&output, threads[i].events, 8);
    }
    for (uint32_t i = 0; i < num_threads; i++)
        write_bytes(&output, threads[i].bytes, threads[i].size);
    write_number(&output, output.checksum, 8);
    /* As a whole, or not at all. */
    if (fclose(output.file) || rename(part, path))
        refuse("a recording that cannot be written", "a file system with space");
}
