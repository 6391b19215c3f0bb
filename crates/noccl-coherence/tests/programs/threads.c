/* SPDX-License-Identifier: Apache-2.0 */
/* So many threads as its argument says, one after the other, besides the first. */
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument) { return argument; }

int main(int count, char **arguments)
{
    for (int i = 0; count > 1 && i < atoi(arguments[1]); i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
}
