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

/* NULL for no name; *ok turns false where the file cannot be written. */
static FILE *open_output(const char *name, bool *ok)
{
	if (!name)
		return NULL;
	FILE *file = strcmp(name, "-") ? fopen(name, "w") : stdout;

	if (!file)
		*ok = complain(name);
	return file;
}

static bool close_output(const char *name, FILE *file)
{
	if (!file)
		return true;
	bool failed = fflush(file) || ferror(file);

	if (file != stdout)
		failed |= fclose(file) != 0;
	return failed ? complain(strcmp(name, "-") ? name : "the standard output") : true;
}

bool bench_report_open(const struct bench_facts *facts, struct bench_report *out)
{
	const struct bench_options *options = facts->options;
	bool ok = true;

	*out = (struct bench_report){.facts = *facts};
	out->csv = open_output(options->csv, &ok);
	out->json_file = open_output(options->json, &ok);
	if (out->csv != stdout && out->json_file != stdout)
		out->text = stdout;
	if (!ok)
		return false;
	if (out->json_file)
		out->json = bench_json_begin(facts);
	if (out->csv)
		bench_csv_begin(out->csv);
	if (out->text)
		bench_text_begin(facts, out->text);
	return true;
}

void bench_report_row(struct bench_report *report, const struct bench_row *row)
{
	const struct bench_facts *facts = &report->facts;

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
	if (report->csv)
		bench_csv_row(facts, row, report->csv);
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
		json_dumpf(report->json, report->json_file,
			   JSON_INDENT(2) | JSON_REAL_PRECISION(6));
		fputc('\n', report->json_file);
	}
	json_decref(report->json);
	ok &= close_output(options->csv, report->csv);
	ok &= close_output(options->json, report->json_file);
	return ok;
}
