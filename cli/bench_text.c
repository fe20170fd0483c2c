/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_text - what stands around the table: what was measured, on what, and how; and the verdict.
 *
 * Every line begins with #, as those of nccl-tests do.
 */
#include "bench_report.h"
#include "bench_counters.h"

#include <stdlib.h>

enum { BYTES = 32 };

static const char *bytes_text(uint64_t bytes, char out[BYTES])
{
	static const char units[] = "KMGT";
	int unit = -1;

	for (; bytes && bytes % 1024 == 0 && unit < 3; unit++)
		bytes /= 1024;
	snprintf(out, BYTES, "%llu%.1s", (unsigned long long)bytes, unit < 0 ? "" : units + unit);
	return out;
}

static void write_sizes(const struct bench_options *options, FILE *out)
{
	char first[BYTES], last[BYTES], step[BYTES];

	fprintf(out, "# sizes: %s to %s total bytes M, ", bytes_text(options->first, first),
		bytes_text(options->last, last));
	if (options->step)
		fprintf(out, "step %s; ", bytes_text(options->step, step));
	else
		fprintf(out, "factor %ld; ", options->factor);
	if (options->checks)
		fprintf(out, "every element is checked, on a poisoned output\n");
	else
		fprintf(out, "results are not checked\n");
	fprintf(out, "# inputs: %s, in %s memory\n",
		options->plan.fresh ? "fresh, rewritten before each iteration outside the clock"
				    : "the same each time, in the cache if small (--fresh: not)",
		options->shared_buffers ? "shared" : "private");
}

static void write_method(const struct bench_plan *plan, FILE *out)
{
	fprintf(out, "# time: the slowest rank's, median of ");
	if (plan->iterations)
		fprintf(out, "%ld", plan->iterations);
	else
		fprintf(out, "%d to %d", BENCH_LEAST, BENCH_MOST);
	fprintf(out, " iterations after %ld warm-up calls\n", plan->warmup);
	if (plan->batch)
		fprintf(out, "# iteration: %ld calls back to back\n", plan->batch);
	else if (plan->fresh)
		fprintf(out, "# iteration: one call; of less than 1 us, the clock is a part\n");
	else
		fprintf(out,
			"# iteration: of calls below %.0f us a batch, back to back: clock and "
			"barrier cost as much\n",
			BENCH_BATCH_TIME * 1e6);
}

static void write_prediction(const struct bench_facts *facts, FILE *out)
{
	const char *file = getenv("TOTUM_TUNING");

	if (bench_moves_nothing(facts->options->formula))
		return;
	fprintf(out, "# predicted: the algorithm's messages by the links' costs, %s%s\n",
		file && *file ? "as measured: " : "built in (totum tune measures them)",
		file && *file ? file : "");
	fprintf(out, "# error: time / predicted - 1, out of place\n");
}

/* Which ranks are where, when not all are on the host of rank 0. */
static void write_seats(const struct bench_facts *facts, FILE *out)
{
	const struct bench_seat *seats = facts->seats;
	int n = facts->nranks;

	for (int rank = 1; rank <= n; rank++) {
		if (rank == n)
			return;
		if (facts->hosts[rank] != facts->hosts[0])
			break;
	}
	fputs("# ranks:", out);
	for (int first = 0, last; first < n; first = last + 1) {
		for (last = first; last + 1 < n; last++)
			if (facts->hosts[last + 1] != facts->hosts[first])
				break;
		fprintf(out, "%s %d", first ? "," : "", first);
		if (last > first)
			fprintf(out, "-%d", last);
		fprintf(out, " on %s", seats[first].host);
	}
	fputs("\n", out);
}

void bench_text_begin(const struct bench_facts *facts, FILE *out)
{
	const struct bench_options *options = facts->options;
	const struct bench_machine *machine = &facts->machine;

	fprintf(out, "# totum %s (commit %s) %s, %d rank%s\n", totum_version(), bench_commit,
		options->formula->name, facts->nranks, facts->nranks == 1 ? "" : "s");
	fprintf(out, "# host %s, %s, %d core%s, %s, load %.1f\n", machine->host, machine->cpu,
		machine->cores, machine->cores == 1 ? "" : "s", machine->kernel, machine->load);
	write_seats(facts, out);
	fprintf(out, "# command: %s\n", options->command);
	if (!bench_moves_nothing(options->formula))
		write_sizes(options, out);
	write_method(&options->plan, out);
	if (!bench_moves_nothing(options->formula))
		fprintf(out, "# limit: the least in which every rank copied M bytes from one "
			     "shared memory "
			     "block, all at once; none on several hosts\n# ratio: time / limit, "
			     "both of this run\n");
	write_prediction(facts, out);
	fputs("#\n", out);
	bench_table_begin(out);
}

void bench_text_end(const struct bench_report *report, FILE *out)
{
	fprintf(out, "# Out of bounds values : %llu %s\n", (unsigned long long)report->wrong,
		report->wrong                             ? "FAILED"
		: bench_is_checked(report->facts.options) ? "OK"
							  : "(unchecked)");
	fprintf(out, "# Avg bus bandwidth    : %g\n", bench_average(report) * 1e-9);
	if (report->facts.options->stats && report->counters)
		bench_counters_text(report->counters, report->facts.nranks, out);
}
