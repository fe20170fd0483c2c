/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * variants - parameter values worth a look: small ones, powers of two, the highest; in all
 * combinations.
 */
#include "planner/variants.h"

#include <stdbool.h>
#include <string.h>

enum { LOWEST = 4 };

/* Schedules of many ranks take their time to price. */
enum { MANY_RANKS = 64, FEW_VARIANTS = 16 };

/* The candidate that follows value, between low and top; top + 1 at the end. */
static int64_t next(int64_t value, int64_t low, int64_t top)
{
	int64_t result = value - low < LOWEST - 1 ? value + 1 : 1;

	while (result <= value)
		result *= 2;
	if (result > top && value < top)
		return top;
	return value < top ? result : top + 1;
}

/* Moves the values on like the digits of a counter, the last the fastest; false at the end. */
static bool advance(const struct tt_parameter *parameters, int64_t nranks, int64_t *values)
{
	for (int i = TT_PARAMETERS - 1; i >= 0; i--) {
		if (!parameters[i].name)
			continue;
		int64_t top = tt_parameter_top(&parameters[i], nranks);

		values[i] = next(values[i], parameters[i].low, top);
		if (values[i] <= top)
			return true;
		values[i] = parameters[i].low;
	}
	return false;
}

int64_t tt_variants(const struct tt_algorithm *algorithm, int64_t nranks,
		    int64_t values[static TT_VARIANTS][TT_PARAMETERS])
{
	const struct tt_parameter *parameters = algorithm->parameters;
	int64_t current[TT_PARAMETERS] = {0}, count = 1;
	int64_t most = nranks > MANY_RANKS ? FEW_VARIANTS : TT_VARIANTS;

	memset(values[0], 0, sizeof values[0]);
	for (int i = 0; i < TT_PARAMETERS && parameters[i].name; i++) {
		values[0][i] = parameters[i].fallback;
		current[i] = parameters[i].low;
	}
	if (!parameters[0].name)
		return 1;
	do {
		if (memcmp(current, values[0], sizeof current))
			memcpy(values[count++], current, sizeof current);
	} while (count < most && advance(parameters, nranks, current));
	return count;
}
