/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * circulant - all shards are broadcast at once, each in n parts and in the fewest rounds.
 *
 * In every round each rank sends to one other, algorithms/circulant.h says to whom, and for every
 * root the part that this rank's place behind that root calls for.  All of them are one message of
 * about (M - one shard)/n bytes, however unequal the shards: no large shard travels alone while the
 * others wait.
 *
 * T = (n-1+q) alpha + (N-1) M/(N beta), q = ceil(log2 N), 1 port, equal shards: then n = 1 is best,
 * a relative of Bruck.  With any shards T is at most (n-1+q) (alpha + M/(n beta)): n = sqrt((q-1)
 * M/(alpha beta)).
 */
#include "algorithms/circulant.h"
#include "algorithms/claims.h"
#include "algorithms/moves.h"

enum { PARTS };

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	return nranks > 1 ? values[PARTS] - 1 + tt_rounds_log2(nranks, values) : 0;
}

/* Neighbouring places often send the same part: one record for the run of them. */
static void build_round(struct tt_schedule *schedule, const struct tt_circulant *plan,
			int64_t round, int64_t parts)
{
	int64_t i = round + tt_circulant_idle(plan, parts);

	for (int64_t r = 0, next; r < plan->n; r = next) {
		int64_t part = tt_circulant_part(plan, r, i, parts);

		for (next = r + 1; next < plan->n; next++)
			if (tt_circulant_part(plan, next, i, parts) != part)
				break;
		if (part < 0)
			continue;
		struct tt_record *shift =
			tt_shift(schedule, round, plan->skip[i % plan->q], r, next - r, 1);

		shift->piece = (int32_t)part;
		shift->npieces = 1;
	}
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	struct tt_circulant plan;

	if (!tt_circulant_make(&plan, schedule->nranks))
		schedule->failed = TOTUM_EMEMORY;
	for (int64_t round = 0; !schedule->failed && round < rounds(plan.n, values); round++)
		build_round(schedule, &plan, round, values[PARTS]);
	tt_circulant_free(&plan);
}

static int pieces(int64_t nranks, const int64_t *values)
{
	return nranks > 1 ? (int)values[PARTS] : 1;
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	return tt_too_many_records(nranks * rounds(nranks, values));
}

const struct tt_algorithm tt_allgather_circulant = {
	.summary = "every shard is broadcast in parts, all at once: for uneven shards",
	.parameters = {{"parts", "parts that each shard is cut in", 1, 4096, 1}},
	.refuses = refuses,
	.build = build,
	.pieces = pieces,
	.rounds = rounds,
	.volume = tt_volume_least,
	.ports = tt_ports_one,
};
