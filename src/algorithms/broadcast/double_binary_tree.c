/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * double_binary_tree - two trees, each with half of the buffer; who has children in one is a leaf
 * in the other.
 *
 *   tree 1, N = 8:     0         tree 2:     0         0 is the root.  In tree 1 even ranks have
 *                      4                     5         children; tree 2 is its mirror image
 *                    2   6                 3   7       (odd N) or shifted by one (even N).
 *                   1 3 5 7               2 4 6 1
 *
 * Each half goes down its tree in b parts: T = (q-1+b) (alpha + M/(2b beta)), q = ceil(log2 N), 2
 * ports; on one port about twice that.  For large buffers on many ranks; b = sqrt((q-1) M/(2 alpha
 * beta)). Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and
 * scan", 2009.
 */
#include "algorithms/claims.h"
#include "algorithms/moves.h"

enum { PARTS };

/* The parent of v > 0 in tree 1. */
static int64_t parent(int64_t v, int64_t n)
{
	int64_t bit = v & -v, above = (v ^ bit) | 2 * bit;

	return above < n ? above : v ^ bit;
}

/* Which rank, counted from the root, stands in tree 2 where v stands in tree 1. */
static int64_t other(int64_t v, int64_t n)
{
	if (v == 0)
		return 0;
	return n % 2 ? n - v : v % (n - 1) + 1;
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, root = schedule->root, parts = values[PARTS];

	for (int64_t v = 1; v < n; v++) {
		int64_t above = parent(v, n), depth = 0;

		for (int64_t u = above; u > 0; u = parent(u, n))
			depth++;
		for (int64_t i = 0; i < parts; i++) {
			tt_move_part(schedule, depth + i, (root + above) % n, (root + v) % n, i,
				     2 * parts);
			tt_move_part(schedule, depth + i, (root + other(above, n)) % n,
				     (root + other(v, n)) % n, parts + i, 2 * parts);
		}
	}
}

static int pieces(int64_t nranks, const int64_t *values)
{
	return tt_part_pieces(nranks, 2 * values[PARTS]);
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	return tt_too_many_records(2 * nranks * values[PARTS]);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	return nranks > 1 ? tt_rounds_log2(nranks, values) - 1 + values[PARTS] : 0;
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	/* Two ranks have one link, which carries both halves. */
	return tt_blocks_of(rounds(nranks, values) * nranks,
			    nranks == 2 ? values[PARTS] : 2 * values[PARTS]);
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks > 2 ? 2 : nranks - 1;
}

const struct tt_algorithm tt_broadcast_double_binary_tree = {
	.summary = "two trees with half of the buffer each; inner ranks of one are leaves of the "
		   "other",
	.parameters = {{"parts", "parts that each half of the buffer is cut in", 1, 4096, 8}},
	.refuses = refuses,
	.build = build,
	.pieces = pieces,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
};
