/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_predict - a row's problem as a string, priced by the library.
 *
 * On one host the direct path is no schedule: it is priced as the messages that would do the same.
 */
#include "bench_predict.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_RANKS = 128, PROBLEM = 320 }; /* beyond, schedules take long to price */

bool bench_predict_open(totum_tuning **out)
{
	const char *file = getenv("TOTUM_TUNING");

	*out = NULL;
	if (!file || !*file || !totum_tuning_open(file, out))
		return true;
	fprintf(stderr, "totum bench: %s\n", totum_errmsg());
	return false;
}

void bench_predict(const struct bench_options *options, int nranks, const int hosts[],
		   const totum_tuning *tuning, struct bench_row *row)
{
	char problem[PROBLEM], root[24] = "";
	totum_prediction prediction;

	if (nranks > MOST_RANKS || bench_moves_nothing(options->formula))
		return;
	if (options->formula->rooted)
		snprintf(root, sizeof root, ":root=%d", options->root);
	snprintf(problem, sizeof problem, "%s:n=%d:bytes=%llu:dtype=%s%s:algo=%s",
		 options->formula->name, nranks, (unsigned long long)row->total,
		 totum_dtype_name(options->dtype), root, row->algorithm);
	if (totum_predict(problem, hosts, tuning, &prediction))
		return;
	row->predicted = prediction.seconds;
	row->bound = prediction.bound;
}

double bench_error(const struct bench_row *row)
{
	return row->timing[BENCH_OUT_OF_PLACE].median / row->predicted - 1;
}
