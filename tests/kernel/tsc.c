/*
 * Prints the frequency of the processor's time-stamp counter in kHz. An emulated machine has the same counter. On a busy
 * host, it would measure the frequency wrongly by itself: its seconds were then a tenth as long as ours.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

int main(void)
{
	struct timespec from, to, wait = { .tv_nsec = 200000000 };
	clock_gettime(CLOCK_MONOTONIC, &from);
	uint64_t first = __rdtsc();
	nanosleep(&wait, NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	uint64_t ticks = __rdtsc() - first;
	uint64_t took = (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec;
	printf("%llu\n", (unsigned long long)((__uint128_t)ticks * 1000000 / took));
	return 0;
}
