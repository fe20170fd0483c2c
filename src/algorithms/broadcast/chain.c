/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chain - the buffer goes from rank to rank in c parts, one behind the other.
 *
 *   root --[part 2]--> 1 --[part 1]--> 2 --[part 0]--> 3 ..     round 2
 *
 * T = (N-2+c) (alpha + M/(c beta)), 1 port; the best c is sqrt((N-2) M/(alpha beta)).
 * For large buffers on few ranks: with many parts it costs hardly more than one transfer of the
 * buffer.
 */
#include "algorithms/claims.h"
#include "algorithms/moves.h"

enum { PARTS };

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, root = schedule->root;

	for (int64_t v = 0; v < n - 1; v++)
		for (int64_t part = 0; part < values[PARTS]; part++)
			tt_move_part(schedule, v + part, (root + v) % n, (root + v + 1) % n, part,
				     values[PARTS]);
}

static int pieces(int64_t nranks, const int64_t *values)
{
	return tt_part_pieces(nranks, values[PARTS]);
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	return tt_too_many_records(nranks * values[PARTS]);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	return nranks > 1 ? nranks - 2 + values[PARTS] : 0;
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	return tt_blocks_of(rounds(nranks, values) * nranks, values[PARTS]);
}

const struct tt_algorithm tt_broadcast_chain = {
	.summary = "from rank to rank in parts, one behind the other",
	.parameters = {{"parts", "parts that the buffer is cut in", 1, 4096, 16}},
	.refuses = refuses,
	.build = build,
	.pieces = pieces,
	.rounds = rounds,
	.volume = volume,
	.ports = tt_ports_one,
};
