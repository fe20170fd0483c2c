/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz problem - any bytes are refused with a sentence, or are a problem that survives being
 * written and read again.  A small one also has its algorithm built, when it names one.
 */
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithm.h"
#include "planner/problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_RANKS = 24 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tt_problem problem, again;
	char text[TT_PROBLEM_TEXT], twice[TT_PROBLEM_TEXT], *copy = malloc(size + 1);
	struct tt_schedule *schedule;

	memcpy(copy, data, size);
	copy[size] = 0;
	totum_status status = tt_problem_parse(copy, &problem);
	free(copy);
	if (status) {
		if (strlen(totum_errmsg()) < 10)
			abort();
		return 0;
	}
	tt_problem_format(&problem, text);
	if (tt_problem_parse(text, &again) || strcmp(tt_problem_format(&again, twice), text))
		abort();
	if (problem.nranks > 0 && problem.nranks <= MOST_RANKS && problem.algorithm[0] &&
	    !tt_algorithm_build(problem.collective, problem.algorithm, problem.nranks, problem.root,
				&schedule))
		tt_schedule_free(schedule);
	return 0;
}
