/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_text - the table for people, which programs that read nccl-tests can read too.
 *
 * The first 13 columns are those of nccl-tests; what is ours follows.  Figures lose decimals as
 * they grow, so that columns stay where they are.
 */
#include "bench_report.h"

#include <string.h>

enum { FIGURE = 16 };

/* At most `width` characters while the value allows. */
static const char *figure(double value, int width, char out[FIGURE])
{
	static const char *const formats[] = {"%.2f", "%.1f", "%.0f", "%.1e"};

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (snprintf(out, FIGURE, formats[i], value) <= width)
			break;
	return out;
}

static const char *bytes_text(uint64_t bytes, char out[FIGURE])
{
	static const char units[] = "KMGT";
	int unit = -1;

	for (; bytes && bytes % 1024 == 0 && unit < 3; unit++)
		bytes /= 1024;
	snprintf(out, FIGURE, "%llu%.1s", (unsigned long long)bytes, unit < 0 ? "" : units + unit);
	return out;
}

static void write_method(const struct bench_options *options, FILE *out)
{
	const struct bench_plan *plan = &options->plan;

	fprintf(out, "# time: median of ");
	if (plan->iterations)
		fprintf(out, "%ld iterations", plan->iterations);
	else
		fprintf(out, "%d to %d iterations", BENCH_LEAST, BENCH_MOST);
	fprintf(out, " after %ld warm-up calls, each that of the slowest rank", plan->warmup);
	if (plan->batch > 1)
		fprintf(out, ", of %ld calls back to back", plan->batch);
	else if (!plan->batch && !plan->fresh)
		fprintf(out,
			"; where a call is shorter than %.0f us, an iteration is a batch of "
			"calls back to back (clock and barrier cost as much as a small call)",
			BENCH_BATCH_TIME * 1e6);
	fprintf(out, "\n# inputs: %s, in %s memory\n",
		plan->fresh
			? "fresh, rewritten before each iteration outside the clock"
			: "the same in all iterations, so small ones stay in the cache (--fresh "
			  "rewrites them)",
		options->shared_buffers ? "shared" : "private");
}

void bench_text_begin(const struct bench_facts *facts, FILE *out)
{
	const struct bench_options *options = facts->options;
	const struct bench_machine *machine = &facts->machine;
	char first[FIGURE], last[FIGURE], step[FIGURE];

	fprintf(out, "# totum %s (commit %s) %s, %d rank%s\n", totum_version(), bench_commit,
		options->formula->name, facts->nranks, facts->nranks == 1 ? "" : "s");
	fprintf(out, "# host %s, %s, %d core%s, %s\n", machine->host, machine->cpu, machine->cores,
		machine->cores == 1 ? "" : "s", machine->kernel);
	fprintf(out, "# %s\n", options->command);
	if (!bench_moves_nothing(options->formula)) {
		fprintf(out, "# sizes: %s to %s total bytes M, ", bytes_text(options->first, first),
			bytes_text(options->last, last));
		if (options->step)
			fprintf(out, "step %s; ", bytes_text(options->step, step));
		else
			fprintf(out, "factor %ld; ", options->factor);
		fprintf(out, "check: %s\n",
			options->checks ? "every element, on a poisoned output" : "none");
	}
	write_method(options, out);
	if (!bench_moves_nothing(options->formula))
		fprintf(out, "# limit: every rank copies M bytes from one shared memory block at "
			     "the same time, measured in this run; ratio = time/limit\n");
	fprintf(out, "#\n# %11s %12s %6s %6s %4s  %31s  %31s\n", "size", "count", "type", "redop",
		"root", "out of place            ", "in place              ");
	fprintf(out, "# %11s %12s %6s %6s %4s", "(B)", "(elements)", "", "", "");
	for (int place = 0; place < BENCH_PLACES; place++)
		fprintf(out, "  %9s %7s %7s %6s", "time(us)", "algbw", "busbw", "#wrong");
	fprintf(out, " | %11s  %9s %9s  %9s %7s %7s  %s\n", "per rank(B)", "p99(us)", "in place",
		"limit(us)", "ratio", "in pl.", "algorithm");
	fflush(out);
}

static void write_place(const struct bench_facts *facts, const struct bench_row *row, int place,
			FILE *out)
{
	const struct bench_timing *timing = &row->timing[place];
	const struct bench_options *options = facts->options;
	char time[FIGURE], algbw[FIGURE], busbw[FIGURE], wrong[24] = "N/A";

	if (!timing->samples) {
		fprintf(out, "  %9s %7s %7s %6s", "N/A", "N/A", "N/A", "N/A");
		return;
	}
	if (options->checks && !bench_moves_nothing(options->formula))
		snprintf(wrong, sizeof wrong, "%llu", (unsigned long long)row->wrong[place]);
	fprintf(out, "  %9s %7s %7s %6s", figure(timing->median * 1e6, 9, time),
		figure(bench_algbw(row->total, timing->median) * 1e-9, 7, algbw),
		figure(bench_busbw(options->formula, row->total, timing->median, facts->nranks) *
			       1e-9,
		       7, busbw),
		wrong);
}

static const char *p99_text(const struct bench_timing *timing, char out[FIGURE])
{
	return timing->samples ? figure(timing->p99 * 1e6, 9, out) : "N/A";
}

static const char *ratio_text(const struct bench_row *row, int place, char out[FIGURE])
{
	const struct bench_timing *timing = &row->timing[place];

	return timing->samples && row->limit > 0 ? figure(timing->median / row->limit, 7, out)
						 : "N/A";
}

void bench_text_row(const struct bench_facts *facts, const struct bench_row *row, FILE *out)
{
	const struct bench_options *options = facts->options;
	char p99[FIGURE], p99_in[FIGURE], limit[FIGURE] = "N/A", ratio[FIGURE], ratio_in[FIGURE];

	if (row->limit > 0)
		figure(row->limit * 1e6, 9, limit);
	fprintf(out, "  %11llu %12llu %6s %6s %4d", (unsigned long long)row->total,
		(unsigned long long)row->count, totum_dtype_name(options->dtype),
		bench_op_text(options), bench_root_shown(options));
	for (int place = 0; place < BENCH_PLACES; place++)
		write_place(facts, row, place, out);
	fprintf(out, " | %11llu  %9s %9s  %9s %7s %7s  %s\n", (unsigned long long)row->share,
		p99_text(&row->timing[BENCH_OUT_OF_PLACE], p99),
		p99_text(&row->timing[BENCH_IN_PLACE], p99_in), limit,
		ratio_text(row, BENCH_OUT_OF_PLACE, ratio),
		ratio_text(row, BENCH_IN_PLACE, ratio_in), row->algorithm);
	fflush(out);
}

void bench_text_end(const struct bench_report *report, FILE *out)
{
	fprintf(out, "# Out of bounds values : %llu %s\n", (unsigned long long)report->wrong,
		report->wrong                   ? "FAILED"
		: report->facts.options->checks ? "OK"
						: "(unchecked)");
	fprintf(out, "# Avg bus bandwidth    : %g\n", bench_average(report) * 1e-9);
}
