/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tails - no element is left out or added, whatever the count and the dtype.  ranks: 1 2 3 7
 *
 * Every collective with all counts up to 130 and those beside powers of two, then with every dtype.
 * Outputs are full of poison between guards, so that what was never written shows.
 */
#include "ranks/chosen.h"

enum { SMALL = 130, POWERS = 15 };

/* All that movement takes, or all that reductions take. */
static totum_dtype dtype_of(int what, int turn)
{
	bool reduces = what >= REDUCE_SCATTER && what <= REDUCE;

	return (totum_dtype)(turn % (reduces ? TOTUM_BOOL + 1 : TOTUM_DTYPES));
}

static void through(totum_comm *comm, size_t count, totum_dtype any, int turn)
{
	for (int what = 0; what < BARRIER; what++) {
		totum_dtype dtype = any < TOTUM_DTYPES ? any : dtype_of(what, turn + what);
		struct call c = call_chosen(comm, what, count, dtype, turn + what);

		if (!(call_reduces(&c) && dtype > TOTUM_BOOL) && !call_through(&c))
			fail("refused");
	}
}

static void test(totum_comm *comm)
{
	int turn = 0;

	for (size_t count = 1; count <= SMALL; count += SLOWNESS > 1 ? 7 : 1)
		through(comm, count, TOTUM_DTYPES, turn++);
	for (int k = 8; k <= (SLOWNESS > 1 ? 12 : POWERS); k++)
		for (size_t count = ((size_t)1 << k) - 1; count <= ((size_t)1 << k) + 1; count++)
			through(comm, count, TOTUM_DTYPES, turn++);
	for (int dtype = 0; dtype < TOTUM_DTYPES; dtype += SLOWNESS > 1 ? 3 : 1)
		for (size_t count = 1; count < 40000; count = 3 * count + 1)
			through(comm, count, (totum_dtype)dtype, turn++);
}
