/* SPDX-License-Identifier: BSD-3-Clause */
/* away - plain copies and those past the cache, whichever the machine is faster at just now. */
#include "host/away.h"

#include "base/clock.h"
#include "host/copy.h"

enum {
	LEAST = 4096,  /* bytes: shorter copies gain nothing */
	PERIOD = 1024, /* copies: the first ones are plain, and two of these are timed */
	LOOK = 8,      /* when all stages of two ranks have been written plainly */
	SLOW_NS = 10,  /* for 64 bytes: from 2 to 7 where cores share a cache, 27 where they do not */
};

static bool is_slow(void *to, const void *from, size_t bytes)
{
	uint64_t begin = tt_clock_ns();

	tt_copy(to, from, bytes);
	return tt_clock_ns() - begin > bytes / 64 * SLOW_NS;
}

bool tt_away_streams(const struct tt_away *away, size_t bytes)
{
	return away->streams && bytes >= LEAST;
}

void tt_copy_away(struct tt_away *away, void *to, const void *from, size_t bytes)
{
	if (bytes < LEAST) {
		tt_copy(to, from, bytes);
		return;
	}
	uint32_t turn = away->turns++ % PERIOD;
	if (turn != LOOK && turn != LOOK + 1) {
		tt_copy_best(to, from, bytes, away->streams && turn > LOOK);
		return;
	}
	bool slow = is_slow(to, from, bytes);
	if (turn == LOOK + 1 && slow == away->slow) /* one alone may have been interrupted */
		away->streams = slow;
	away->slow = slow;
}
