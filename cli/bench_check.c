/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_check - what can be refused before any rank has begun, so that it is said once.
 */
#include "bench.h"
#include "bench_machine.h"

#include <stdio.h>
#include <string.h>
#include <totum_lab.h>

enum { USAGE = 2 };

/* Is there such an algorithm, and does it run on that many ranks? */
static int check_algorithm(const struct bench_options *options, int nranks, bool speak)
{
	const char *algorithm = options->algorithm, *collective = options->formula->name;
	totum_schedule *schedule;
	char problem[256];

	if (!algorithm || !strcmp(algorithm, "auto"))
		return 0;
	if (!options->formula->forced) {
		if (speak)
			fprintf(stderr,
				"totum bench: --algorithm: %s is always done directly; "
				"leave the option out\n",
				collective);
		return USAGE;
	}
	snprintf(problem, sizeof problem, "%s:n=%d:algo=%.150s", collective, nranks, algorithm);
	if (totum_schedule_build(problem, &schedule)) {
		if (speak)
			fprintf(stderr, "totum bench: --algorithm: %s\n", totum_errmsg());
		return USAGE;
	}
	totum_schedule_free(schedule);
	return 0;
}

/* The buffers of all ranks, and the block that the limit copies from. */
static int check_memory(const struct bench_options *options, int nranks, bool speak)
{
	const struct bench_formula *formula = options->formula;
	size_t element = totum_dtype_size(options->dtype);
	size_t count = bench_count(formula, options->last, element, nranks);
	double total = (double)bench_total(formula, count, element, nranks);
	double send = (double)bench_elements(formula->send, count, nranks, true) * (double)element;
	double need = nranks * (total + send) + total, have = (double)bench_memory_available();

	if (need <= have)
		return 0;
	if (speak)
		fprintf(stderr,
			"totum bench: %d ranks with buffers for %.4g GB need %.4g GB of "
			"memory, and %.4g GB are free: give a smaller -e or fewer ranks\n",
			nranks, total * 1e-9, need * 1e-9, have * 1e-9);
	return USAGE;
}

int bench_check(const struct bench_options *options, int nranks, bool speak)
{
	if (options->nranks && options->nranks != nranks) {
		if (speak)
			fprintf(stderr,
				"totum bench: -n %d, but this job was launched with %d "
				"ranks: leave -n out\n",
				options->nranks, nranks);
		return USAGE;
	}
	if (options->root >= nranks) {
		if (speak)
			fprintf(stderr, "totum bench: -r %d is no rank: 0 to %d is accepted\n",
				options->root, nranks - 1);
		return USAGE;
	}
	int code = check_algorithm(options, nranks, speak);

	return code ? code : check_memory(options, nranks, speak);
}
