/* SPDX-License-Identifier: BSD-3-Clause */
/* lab_algorithms - the list of algorithms, for users. */
#include <inttypes.h>
#include <stdio.h>

#include "algorithms/algorithm.h"
#include "draw/costs.h"
#include "totum_lab.h"

static size_t write_parameter(const struct tt_parameter *parameter, char *out, size_t size)
{
	char top[24] = "n";
	int length;

	if (parameter->high)
		snprintf(top, sizeof top, "%" PRId64, parameter->high);
	length = snprintf(out, size, "%s=%" PRId64 " (%" PRId64 " to %s): %s\n", parameter->name,
			  parameter->fallback, parameter->low, top, parameter->meaning);
	return length < 0 ? 0 : (size_t)length;
}

int totum_algorithm_at(int index, totum_algorithm *out)
{
	if (!out || index < 0 || index >= tt_nalgorithms)
		return 0;
	const struct tt_algorithm_entry *entry = &tt_algorithms[index];
	const struct tt_parameter *parameters = entry->algorithm->parameters;
	size_t used = 0;

	*out = (totum_algorithm){.collective = tt_collective_name(entry->collective),
				 .name = entry->name,
				 .summary = entry->algorithm->summary};
	for (int i = 0; i < TT_PARAMETERS && parameters[i].name && used < sizeof out->parameters;
	     i++)
		used += write_parameter(&parameters[i], out->parameters + used,
					sizeof out->parameters - used);
	return 1;
}

totum_status totum_costs_show(FILE *out)
{
	if (!out)
		return tt_fail(TOTUM_EINVAL, "totum_costs_show: out must not be NULL");
	return tt_draw_costs(out);
}
