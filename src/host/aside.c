/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aside - a rank that finds its core shared, though there is a core for each, goes to another one.
 *
 * The kernel wakes a rank that slept in a socket near whoever sent to it, and two ranks that hand
 * the core to each other every few microseconds look to its balancer as if they could not be moved:
 * they stay on one core, at half the speed, while another one has nothing better to do.  A yield
 * that takes long was used by somebody; several in a row, and the rank steps aside.  How many is
 * drawn anew each time, so that two do not change places; and steps that do not help become rare.
 */
#include "host/aside.h"

#include <sched.h>

enum {
	USED_NS = 2000, /* a yield that nobody uses takes less */
	FEWEST = 4,
	DRAWS = 8,
	PAUSE_NS = 1000000, /* after the first step; then twice as long each time */
	MOST_NS = 32000000,
	FORGET_NS = 1000000000 /* so long without a step, and it is as if there had been none */
};

bool tt_aside_counts(struct tt_aside *aside, uint64_t now, uint64_t took_ns)
{
	if (took_ns < USED_NS) {
		aside->shared = 0;
		return false;
	}
	if (!aside->enough)
		aside->enough = FEWEST + (int)(now / 64 % DRAWS);
	if (++aside->shared < aside->enough || now < aside->again_ns)
		return false;
	bool anew = !aside->pause_ns || now - aside->again_ns > FORGET_NS;
	aside->pause_ns = anew                        ? PAUSE_NS
			  : aside->pause_ns < MOST_NS ? 2 * aside->pause_ns
						      : MOST_NS;
	aside->again_ns = now + aside->pause_ns;
	aside->shared = aside->enough = 0;
	return true;
}

bool tt_step_aside(void)
{
	cpu_set_t mine, others;
	int core = sched_getcpu();

	if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof mine, &mine))
		return false;
	others = mine;
	CPU_CLR((size_t)core, &others);
	if (!CPU_COUNT(&others) || sched_setaffinity(0, sizeof others, &others))
		return false;
	return !sched_setaffinity(0, sizeof mine, &mine);
}
