/* SPDX-License-Identifier: BSD-3-Clause */
/* claims - formulas that several algorithms state about themselves. */
#include "algorithms/claims.h"

int64_t tt_log_ceil(int64_t base, int64_t n)
{
	int64_t k = 0;

	for (int64_t power = 1; power < n; power *= base)
		k++;
	return k;
}

bool tt_is_power(int64_t base, int64_t n)
{
	int64_t power = 1;

	while (power < n)
		power *= base;
	return power == n;
}

int64_t tt_root_floor(int64_t n)
{
	int64_t k = 1;

	while ((k + 1) * (k + 1) <= n)
		k++;
	return k;
}

struct tt_fraction tt_blocks_of(int64_t over, int64_t under)
{
	int64_t a = over, b = under;

	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return (struct tt_fraction){over / a, under / a};
}

int64_t tt_rounds_log2(int64_t nranks, const int64_t *values)
{
	(void)values;
	return tt_log_ceil(2, nranks);
}

struct tt_fraction tt_volume_least(int64_t nranks, const int64_t *values)
{
	(void)values;
	return tt_blocks_of(nranks - 1, 1);
}

int64_t tt_ports_one(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks > 1;
}

const char *tt_needs_power_of_two(int64_t nranks, const int64_t *values)
{
	(void)values;
	return tt_is_power(2, nranks) ? NULL : "needs a power of two of ranks";
}
