/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rescue - all-gathers round and round, until a rank is killed and the others complete the call
 * that failed.
 *
 * A rank prints "going" before its first call, and in the end "rescued CALL MASK", whose bits are
 * the ranks whose shards are here.  The environment says how many bytes results have (LEAST, MOST),
 * and of a rank (HELD) that it comes to its first call HOLD milliseconds late.  SEED chooses what
 * is random.  Exit codes: 0 rescued, 1 something wrong, which is printed.
 */
#include <unistd.h>

#include "../../ranks/rescuing.h"

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? atol(text) : otherwise;
}

int main(void)
{
	struct rescuing job = {.seed = (uint64_t)number("SEED", 1),
			       .least = (size_t)number("LEAST", 8),
			       .most = (size_t)number("MOST", 1 << 20),
			       .equal = number("EQUAL", 0) != 0};
	long call = -1;
	unsigned mask = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (totum_init(&job.comm) || totum_barrier(job.comm)) {
		printf("WRONG: %s\n", totum_errmsg());
		return 1;
	}
	rescuing_open(&job);
	puts("going");
	while (number("HELD", -1) == job.rank)
		pause();
	totum_status status;
	job.wrong = "no loss";
	while (!(status = rescuing_gather(&job)))
		job.call++;
	if (status == TOTUM_ELOST)
		call = rescuing_recover(&job, 0, &mask);
	if (call < 0)
		printf("WRONG in call %ld: %s: %s\n", job.call, job.wrong, totum_errmsg());
	else
		printf("rescued %ld %u\n", call, mask);
	rescuing_close(&job);
	totum_comm_free(job.comm);
	return call < 0;
}
