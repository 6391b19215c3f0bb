// SPDX-License-Identifier: Apache-2.0
// Four threads fill an array each in a part of its own, meet, read what the next one has written, and add up under a mutex. With an
// argument the mutex is left out.
#include <atomic>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, EACH = 100 };
static int values[THREADS * EACH];
static long sum;
static std::atomic<int> finished;
static bool is_racy;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static void *work(void *argument)
{
    long thread = (long)argument;
    volatile int *own = values + thread * EACH;
    for (int i = 0; i < EACH; i++)
        own[i] = (int)thread * EACH + i;
    pthread_barrier_wait(&barrier);
    volatile int *other = values + (thread + 1) % THREADS * EACH;
    long part = 0;
    for (int i = 0; i < EACH; i++)
        part += other[i];
    if (!is_racy)
        pthread_mutex_lock(&mutex);
    sum += part;
    if (!is_racy)
        pthread_mutex_unlock(&mutex);
    finished++;
    return nullptr;
}

int main(int count, char **)
{
    is_racy = count > 1;
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, nullptr, THREADS);
    for (long thread = 0; thread < THREADS; thread++)
        pthread_create(&threads[thread], nullptr, work, (void *)thread);
    for (pthread_t thread : threads)
        pthread_join(thread, nullptr);
    printf("%ld %d\n", sum, finished.load());
}
