/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sparbit - Bruck's rounds in the opposite order: far first, every message to one rank further on,
 * for any N.
 *
 *   before the round of distance d rank r has the blocks r, r-2d, r-4d .., no further than N-1, and
 *   sends those which rank r+d lacks.
 *
 *   0 --[0]--> 4       1 --[1]--> 5     ..    round 0, N = 6
 *   0 --[0]--> 2       1 --[1]--> 3     ..    round 1: block 0-4 = 2 is what rank 2 began with
 *   0 --[0 4 2]--> 1   1 --[1 5 3]--> 2 ..    round 2
 *
 * T = q alpha + (N-1) M/(N beta), q = ceil(log2 N), 1 port.
 * Most bytes stay near.  The blocks of a message are 2d apart, so that it is gathered from many
 * places. Loch, Koslovski, "Sparbit: a new logarithmic-cost and data locality-aware MPI allgather
 * algorithm", 2021.
 */
#include "algorithms/claims.h"

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, round = 0;

	for (int64_t d = (int64_t)1 << tt_rounds_log2(n, values) >> 1; d > 0; d /= 2) {
		int64_t count = (n - d + 2 * d - 1) / (2 * d);

		tt_shift(schedule, round++, d, 0, count, count > 1 ? 2 * d : 1);
	}
}

const struct tt_algorithm tt_allgather_sparbit = {
	.summary = "far ranks first, near ones last with most of the blocks, for any nranks",
	.build = build,
	.rounds = tt_rounds_log2,
	.volume = tt_volume_least,
	.ports = tt_ports_one,
};
