/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_table - the rows for people, which programs that read nccl-tests can read too.
 *
 * The first 13 columns are those of nccl-tests; what is ours follows.  A figure loses decimals as
 * it grows, so that columns stay where they are.  On a terminal that is too narrow the columns that
 * say least are left out.
 */
#include "bench_report.h"

#include <limits.h>
#include <string.h>

#include "lab.h"

enum { CELL = 96 };

enum column_id {
	SIZE,
	COUNT,
	TYPE,
	REDOP,
	ROOT,
	TIME,
	ALGBW,
	BUSBW,
	WRONG,
	SHARE,
	LIMIT,
	P99,
	RATIO,
	PREDICTED,
	ERROR,
	ALGORITHM
};

static const struct column {
	enum column_id id;
	const char *name, *unit;
	int width;
	int place;   /* that it is about; -1: both */
	int dispens; /* the higher, the sooner it is left out; 0: never */
} columns[] = {
	{SIZE, "size", "(B)", 11, -1, 0},    {COUNT, "count", "(elements)", 11, -1, 9},
	{TYPE, "type", "", 6, -1, 8},        {REDOP, "redop", "", 5, -1, 8},
	{ROOT, "root", "", 4, -1, 8},        {TIME, "time", "(us)", 9, 0, 0},
	{ALGBW, "algbw", "(GB/s)", 6, 0, 5}, {BUSBW, "busbw", "(GB/s)", 6, 0, 3},
	{WRONG, "#wrong", "", 6, 0, 0},      {TIME, "time", "(us)", 9, 1, 0},
	{ALGBW, "algbw", "(GB/s)", 6, 1, 5}, {BUSBW, "busbw", "(GB/s)", 6, 1, 4},
	{WRONG, "#wrong", "", 6, 1, 0},      {SHARE, "per rank", "(B)", 11, -1, 6},
	{LIMIT, "limit", "(us)", 9, -1, 1},  {P99, "p99", "(us)", 9, 0, 7},
	{RATIO, "ratio", "", 6, 0, 0},       {P99, "p99", "(us)", 9, 1, 7},
	{RATIO, "ratio", "", 6, 1, 2},       {PREDICTED, "predicted", "(us)", 9, -1, 3},
	{ERROR, "error", "(%)", 7, -1, 3},   {ALGORITHM, "algorithm", "", 9, -1, 1},
};

enum { COLUMNS = sizeof columns / sizeof *columns, ALL = 10 };

/* The columns that are shown, in order, and where each begins and ends in a line. */
struct layout {
	int n, width;
	const struct column *columns[COLUMNS];
	int begin[COLUMNS], end[COLUMNS];
};

/* Without the columns that are as dispensable as that. */
static void lay_out(int dispens, struct layout *out)
{
	out->n = 0;
	out->width = 1; /* for the # of headings */
	for (int i = 0; i < COLUMNS; i++) {
		const struct column *column = &columns[i];

		if (column->dispens >= dispens)
			continue;
		if (out->n)
			out->width += column->place == out->columns[out->n - 1]->place ? 1 : 2;
		out->columns[out->n] = column;
		out->begin[out->n] = out->width;
		out->width += column->width;
		out->end[out->n++] = out->width;
	}
}

static void fit(FILE *out, struct layout *layout)
{
	int room = out == stdout ? lab_width(INT_MAX) : INT_MAX;

	lay_out(ALL, layout);
	for (int dispens = ALL - 1; dispens > 0 && layout->width > room; dispens--)
		lay_out(dispens, layout);
}

/* With as many decimals as tell small figures apart, and leave large ones within the width. */
static void figure(double value, int width, char out[CELL])
{
	static const char *const formats[] = {"%.4f", "%.2f", "%.1f", "%.0f", "%.1e"};

	for (size_t i = value > 0 && value < 1 ? 0 : 1; i < sizeof formats / sizeof *formats; i++)
		if (snprintf(out, CELL, formats[i], value) <= width)
			return;
}

static void number(uint64_t value, char out[CELL])
{
	snprintf(out, CELL, "%llu", (unsigned long long)value);
}

/* What a place has of its own. */
static void write_place(const struct bench_facts *facts, const struct bench_row *row,
			const struct column *column, char out[CELL])
{
	const struct bench_options *options = facts->options;
	const struct bench_timing *timing = &row->timing[column->place];
	double time = timing->median;

	strcpy(out, "N/A");
	if (!timing->samples)
		return;
	if (column->id == TIME)
		figure(time * 1e6, column->width, out);
	if (column->id == P99)
		figure(timing->p99 * 1e6, column->width, out);
	if (column->id == ALGBW)
		figure(bench_algbw(row->total, time) * 1e-9, column->width, out);
	if (column->id == BUSBW)
		figure(bench_busbw(options->formula, row->total, time, facts->nranks) * 1e-9,
		       column->width, out);
	if (column->id == WRONG && bench_is_checked(options))
		number(row->wrong[column->place], out);
	if (column->id == RATIO && row->limit > 0)
		figure(time / row->limit, column->width, out);
}

static void write_prediction(const struct bench_row *row, const struct column *column,
			     char out[CELL])
{
	strcpy(out, "N/A");
	if (!(row->predicted > 0))
		return;
	if (column->id == PREDICTED)
		figure(row->predicted * 1e6, column->width, out);
	else
		snprintf(out, CELL, "%+.0f", 100 * bench_error(row));
}

static void write_cell(const struct bench_facts *facts, const struct bench_row *row,
		       const struct column *column, char out[CELL])
{
	const struct bench_options *options = facts->options;

	switch (column->id) {
	case SIZE:
		number(row->total, out);
		return;
	case COUNT:
		number(row->count, out);
		return;
	case TYPE:
		snprintf(out, CELL, "%s", totum_dtype_name(options->dtype));
		return;
	case REDOP:
		snprintf(out, CELL, "%s", bench_op_text(options));
		return;
	case ROOT:
		snprintf(out, CELL, "%d", bench_root_shown(options));
		return;
	case SHARE:
		number(row->share, out);
		return;
	case LIMIT:
		strcpy(out, "N/A");
		if (row->limit > 0)
			figure(row->limit * 1e6, column->width, out);
		return;
	case PREDICTED:
	case ERROR:
		write_prediction(row, column, out);
		return;
	case ALGORITHM:
		snprintf(out, CELL, "%s", row->algorithm);
		return;
	default:
		write_place(facts, row, column, out);
	}
}

/* Adds a cell to a line that holds those before it; numbers to the right, the name to the left. */
static void put_cell(const struct layout *layout, int index, const char *text, FILE *out)
{
	int from = index ? layout->end[index - 1] : 1;

	if (layout->columns[index]->id == ALGORITHM)
		fprintf(out, "%*s%s", *text ? layout->begin[index] - from : 0, "", text);
	else
		fprintf(out, "%*s", layout->end[index] - from, text);
}

/* The line above the names: what place a group of columns is about. */
static void write_groups(const struct layout *layout, FILE *out)
{
	static const char *const titles[] = {"out of place", "in place"}, *const brief[] = {"out",
											    "in"};
	int at = 1;

	for (int i = 0; i < layout->n; i++) {
		int place = layout->columns[i]->place, last = i;

		if (place < 0 || layout->columns[i - 1]->place == place)
			continue;
		while (last + 1 < layout->n && layout->columns[last + 1]->place == place)
			last++;
		int width = layout->end[last] - layout->begin[i];
		const char *title =
			(int)strlen(titles[place]) <= width ? titles[place] : brief[place];

		fprintf(out, "%*s%*s", layout->begin[i] - at, "", width, title);
		at = layout->end[last];
	}
}

void bench_table_begin(FILE *out)
{
	struct layout layout;

	fit(out, &layout);
	fputc('#', out);
	write_groups(&layout, out);
	fputs("\n#", out);
	for (int i = 0; i < layout.n; i++)
		put_cell(&layout, i, layout.columns[i]->name, out);
	fputs("\n#", out);
	for (int i = 0; i < layout.n; i++)
		put_cell(&layout, i, layout.columns[i]->unit, out);
	fputc('\n', out);
	fflush(out);
}

void bench_table_row(const struct bench_facts *facts, const struct bench_row *row, FILE *out)
{
	struct layout layout;
	char cell[CELL];

	fit(out, &layout);
	fputc(' ', out);
	for (int i = 0; i < layout.n; i++) {
		write_cell(facts, row, layout.columns[i], cell);
		put_cell(&layout, i, cell, out);
	}
	fputc('\n', out);
	fflush(out);
}
