/* SPDX-License-Identifier: Apache-2.0 */
/* A team of four fills an array, reads it in the other order, and adds up in a critical section. */
#include <stdio.h>

enum { ELEMENTS = 1024 };
static double values[ELEMENTS], sum;

int main(void)
{
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < ELEMENTS; i++)
            values[i] = i;
        double part = 0;
#pragma omp for schedule(static)
        for (int i = 0; i < ELEMENTS; i++)
            part += values[ELEMENTS - 1 - i];
#pragma omp critical
        sum += part;
    }
    printf("%.0f\n", sum);
}
