/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * circulant - round-optimal broadcast of n parts on a circulant graph.
 *
 * base(x) is the smallest skip (its index) in the greedy sum of skips that makes x: the label of
 * the part that place x receives first.  What place r receives in round k is found among the places
 * r-skip[k+1]+1 .. r-skip[k]: the largest of their labels that r has not got in an earlier round of
 * the phase.  Counting how many places up to x have each label makes that question O(q).
 */
#include "algorithms/circulant.h"

#include <stdlib.h>

#include "algorithms/claims.h"

static int64_t base(const struct tt_circulant *plan, int64_t x)
{
	int64_t smallest = plan->q;

	for (int64_t k = plan->q - 1; k >= 0 && x > 0; k--)
		if (plan->skip[k] <= x) {
			x -= plan->skip[k];
			smallest = k;
		}
	return smallest;
}

/* Is there a place with base b in low .. high, taken modulo n? -n < low <= high < n. */
static bool among(const struct tt_circulant *plan, int64_t b, int64_t low, int64_t high)
{
	const int32_t *before = plan->before + b * (plan->n + 1);

	if (high < 0)
		return before[high + plan->n + 1] > before[low + plan->n];
	if (low < 0)
		return before[plan->n] > before[low + plan->n] || before[high + 1] > 0;
	return before[high + 1] > before[low];
}

static void fill_place(struct tt_circulant *plan, int64_t r)
{
	int64_t own = base(plan, r);
	uint32_t used = 1u << own;

	for (int64_t k = 0; k < plan->q; k++) {
		int64_t from = r - plan->skip[k + 1], best = plan->q;

		while (best >= 0 &&
		       (used >> best & 1 || !among(plan, best, from + 1, r - plan->skip[k])))
			best--;
		if (best < 0)
			best = base(plan, (from + plan->n) % plan->n);
		used |= 1u << best;
		plan->part[r * plan->q + k] = (int32_t)(best == plan->q ? own : best - plan->q);
	}
}

bool tt_circulant_make(struct tt_circulant *plan, int64_t n)
{
	*plan = (struct tt_circulant){.n = n, .q = tt_log_ceil(2, n)};
	plan->skip[plan->q] = n;
	for (int64_t k = plan->q - 1; k >= 0; k--)
		plan->skip[k] = (plan->skip[k + 1] + 1) / 2;
	plan->before = calloc((size_t)((plan->q + 1) * (n + 1)), sizeof *plan->before);
	plan->part = calloc((size_t)(n * plan->q + 1), sizeof *plan->part);
	if (!plan->before || !plan->part)
		return false;
	for (int64_t x = 0; x < n; x++)
		plan->before[base(plan, x) * (n + 1) + x + 1] = 1;
	for (int64_t b = 0; b <= plan->q; b++)
		for (int64_t x = 0; x < n; x++)
			plan->before[b * (n + 1) + x + 1] += plan->before[b * (n + 1) + x];
	for (int64_t r = 0; r < n; r++)
		fill_place(plan, r);
	return true;
}

void tt_circulant_free(struct tt_circulant *plan)
{
	free(plan->before);
	free(plan->part);
}

int64_t tt_circulant_idle(const struct tt_circulant *plan, int64_t parts)
{
	return plan->q ? (plan->q - (parts - 1) % plan->q) % plan->q : 0;
}

int64_t tt_circulant_part(const struct tt_circulant *plan, int64_t r, int64_t i, int64_t parts)
{
	int64_t k = i % plan->q, to = r + plan->skip[k];

	if (to == plan->n)
		return -1; /* the root has everything */
	int64_t part =
		plan->part[to % plan->n * plan->q + k] + i - k - tt_circulant_idle(plan, parts);

	return part < parts ? part : parts - 1;
}
