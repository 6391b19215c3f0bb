/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for a condition variable: what comes then depends on time. */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
}
