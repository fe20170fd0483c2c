/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_csv - one row for each size and place, units in the names of the columns, and in every row
 * what it was measured on: rows of many runs can be put into one table.
 */
#include "bench_report.h"

#include <string.h>

static const char columns[] =
	"collective,nranks,place,size_total_B,size_rank_B,count,type,redop,root,algorithm,time_us,"
	"p95_us,p99_us,min_us,max_us,mean_us,stdev_us,algbw_GBps,busbw_GBps,limit_us,"
	"time_over_limit,predicted_us,bound_us,wrong,iterations,calls_per_iteration,fresh,shared_buffers,version,commit,"
	"host,cpu,cores,kernel,load";

static void quoted(const char *text, FILE *out)
{
	fputs(",\"", out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void bench_csv_begin(FILE *out)
{
	fprintf(out, "%s\n", columns);
	fflush(out);
}

static void write_figures(const struct bench_facts *facts, const struct bench_row *row, int place,
			  FILE *out)
{
	const struct bench_options *options = facts->options;
	const struct bench_timing *timing = &row->timing[place];
	const double us[] = {timing->median, timing->p95,  timing->p99,      timing->least,
			     timing->most,   timing->mean, timing->deviation};

	for (size_t i = 0; i < sizeof us / sizeof *us; i++)
		fprintf(out, ",%.6g", us[i] * 1e6);
	fprintf(out, ",%.6g,%.6g", bench_algbw(row->total, timing->median) * 1e-9,
		bench_busbw(options->formula, row->total, timing->median, facts->nranks) * 1e-9);
	if (row->limit > 0)
		fprintf(out, ",%.6g,%.6g", row->limit * 1e6, timing->median / row->limit);
	else
		fputs(",,", out);
	if (row->predicted > 0)
		fprintf(out, ",%.6g,%.6g", row->predicted * 1e6, row->bound * 1e6);
	else
		fputs(",,", out);
	if (bench_is_checked(options))
		fprintf(out, ",%llu", (unsigned long long)row->wrong[place]);
	else
		fputc(',', out);
	fprintf(out, ",%ld,%ld", timing->samples, timing->batch);
}

void bench_csv_row(const struct bench_facts *facts, const struct bench_row *row, FILE *out)
{
	static const char *const places[] = {"out_of_place", "in_place"};
	const struct bench_options *options = facts->options;

	for (int place = 0; place < BENCH_PLACES; place++) {
		if (!row->timing[place].samples)
			continue;
		fprintf(out, "%s,%d,%s,%llu,%llu,%llu,%s,%s,%d", options->formula->name,
			facts->nranks, places[place], (unsigned long long)row->total,
			(unsigned long long)row->share, (unsigned long long)row->count,
			totum_dtype_name(options->dtype), bench_op_text(options),
			bench_root_shown(options));
		quoted(row->algorithm, out);
		write_figures(facts, row, place, out);
		fprintf(out, ",%d,%d,%s,%s", options->plan.fresh, options->shared_buffers,
			totum_version(), bench_commit);
		quoted(facts->machine.host, out);
		quoted(facts->machine.cpu, out);
		fprintf(out, ",%d", facts->machine.cores);
		quoted(facts->machine.kernel, out);
		fprintf(out, ",%.2f\n", facts->machine.load);
	}
	fflush(out);
}
