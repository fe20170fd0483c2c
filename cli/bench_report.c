/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_report - opens the outputs, hands every row to each, and closes them. */
#include "bench_report.h"

#include <errno.h>
#include <string.h>

const char *bench_op_text(const struct bench_options *options)
{
	return options->formula->reduces ? totum_op_name(options->op) : "none";
}

int bench_root_shown(const struct bench_options *options)
{
	return options->formula->rooted ? options->root : -1;
}

bool bench_is_checked(const struct bench_options *options)
{
	return options->checks && !bench_moves_nothing(options->formula);
}

double bench_average(const struct bench_report *report)
{
	return report->timings ? report->busbw / report->timings : 0;
}

static bool complain(const char *file)
{
	fprintf(stderr, "totum bench: cannot write %s: %s\n", file, strerror(errno));
	return false;
}

/* *ok turns false where the file cannot be written. */
static void open_output(const char *name, struct output *output, bool *ok)
{
	if (name && !output_open(output, name))
		*ok = complain(name);
}

static bool close_output(const char *name, struct output *output, bool complete)
{
	if (output_close(output, complete))
		return true;
	return complain(strcmp(name, "-") ? name : "the standard output");
}

bool bench_report_open(const struct bench_facts *facts, struct bench_report *out)
{
	const struct bench_options *options = facts->options;
	bool ok = true;

	*out = (struct bench_report){.facts = *facts};
	if (!bench_predict_open(&out->tuning))
		return false;
	open_output(options->csv, &out->csv, &ok);
	open_output(options->json, &out->json_file, &ok);
	if (out->csv.stream != stdout && out->json_file.stream != stdout)
		out->text = stdout;
	if (!ok)
		return false;
	if (out->json_file.stream)
		out->json = bench_json_begin(facts);
	if (out->csv.stream)
		bench_csv_begin(out->csv.stream);
	if (out->text)
		bench_text_begin(facts, out->text);
	return true;
}

void bench_report_row(struct bench_report *report, struct bench_row *row)
{
	const struct bench_facts *facts = &report->facts;

	bench_predict(facts->options, facts->nranks, facts->hosts, report->tuning, row);

	for (int place = 0; place < BENCH_PLACES; place++) {
		report->wrong += row->wrong[place];
		if (!row->timing[place].samples)
			continue;
		report->timings++;
		report->busbw += bench_busbw(facts->options->formula, row->total,
					     row->timing[place].median, facts->nranks);
	}
	if (report->json)
		bench_json_row(facts, row, report->json);
	if (report->csv.stream)
		bench_csv_row(facts, row, report->csv.stream);
	if (report->text)
		bench_table_row(facts, row, report->text);
}

bool bench_report_close(struct bench_report *report, bool complete)
{
	const struct bench_options *options = report->facts.options;
	bool ok = true;

	if (!options) /* never opened */
		return true;
	if (report->text && complete)
		bench_text_end(report, report->text);
	if (report->json && complete) {
		bench_json_end(report, report->json);
		json_dumpf(report->json, report->json_file.stream,
			   JSON_INDENT(2) | JSON_REAL_PRECISION(6));
		fputc('\n', report->json_file.stream);
	}
	json_decref(report->json);
	totum_tuning_free(report->tuning);
	ok &= close_output(options->csv, &report->csv, complete);
	ok &= close_output(options->json, &report->json_file, complete);
	return ok;
}
