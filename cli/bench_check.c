/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_check - what can be refused before any rank has begun, so that it is said once. */
#include "bench.h"
#include "bench_machine.h"
#include "output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <totum_lab.h>

enum { USAGE = 2 };

__attribute__((format(printf, 2, 3))) static int refuse(bool speak, const char *format, ...)
{
	va_list args;

	if (!speak)
		return USAGE;
	va_start(args, format);
	fputs("totum bench: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	return USAGE;
}

/* Is there such an algorithm, and does it run on that many ranks? */
static int check_algorithm(const struct bench_options *options, int nranks, bool speak)
{
	const char *algorithm = options->algorithm, *collective = options->formula->name;
	totum_schedule *schedule;
	char problem[256];

	if (!algorithm || !strcmp(algorithm, "auto"))
		return 0;
	if (!options->formula->forced)
		return refuse(speak, "--algorithm: %s is always done directly; leave it out",
			      collective);
	snprintf(problem, sizeof problem, "%s:n=%d:algo=%.150s", collective, nranks, algorithm);
	if (totum_schedule_build(problem, &schedule))
		return refuse(speak, "--algorithm: %s", totum_errmsg());
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
	return refuse(speak,
		      "%d ranks with buffers for %.4g GB need %.4g GB of memory, and %.4g GB are "
		      "free: give a smaller -e or fewer ranks",
		      nranks, total * 1e-9, need * 1e-9, have * 1e-9);
}

static int check_file(const char *name, bool speak)
{
	if (!name || output_possible(name))
		return 0;
	return refuse(speak, "cannot write %s: %s", name, strerror(errno));
}

int bench_check(const struct bench_options *options, int nranks, bool speak)
{
	if (options->nranks && options->nranks != nranks)
		return refuse(speak,
			      "-n %d, but this job was launched with %d ranks: leave -n out, or "
			      "set TOTUM_LAUNCHER=none to start others",
			      options->nranks, nranks);
	if (options->root >= nranks)
		return refuse(speak, "-r %d is no rank: 0 to %d is accepted", options->root,
			      nranks - 1);
	int code = check_algorithm(options, nranks, speak);

	if (!code)
		code = check_memory(options, nranks, speak);
	if (!code)
		code = check_file(options->csv, speak);
	return code ? code : check_file(options->json, speak);
}
