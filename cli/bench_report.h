/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_report.h - the figures as text, CSV and JSON, written by rank 0.
 *
 * Text goes to stdout, unless CSV or JSON was asked for there.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "bench.h"
#include "bench_machine.h"
#include "bench_predict.h"
#include "output.h"

/* What is known before the first row. */
struct bench_facts {
	const struct bench_options *options;
	struct bench_machine machine;
	int nranks;
	const struct bench_seat *seats; /* of the ranks */
	const int *hosts;               /* by number */
};

struct bench_report {
	struct bench_facts facts;
	FILE *text;                            /* NULL: none */
	struct output csv, json_file;          /* not open: none */
	json_t *json;                          /* NULL: none */
	totum_tuning *tuning;                  /* NULL: built-in costs */
	const struct totum_counters *counters; /* of all ranks; NULL: not known */
	uint64_t wrong;
	double busbw; /* sum over `timings` */
	int timings;
};

/* Opens the files, so that one that cannot be written is known before the work; begins them. */
bool bench_report_open(const struct bench_facts *facts, struct bench_report *out);
/* Also fills in what was predicted. */
void bench_report_row(struct bench_report *report, struct bench_row *row);
/*
 * Ends the files, which appear only when the figures are complete, and frees all.  False: something
 * could not be written, and that was said.
 */
bool bench_report_close(struct bench_report *report, bool complete);

/* "none" where the collective does not reduce, -1 where it has no root. */
const char *bench_op_text(const struct bench_options *options);
int bench_root_shown(const struct bench_options *options);
/* Is there anything to be wrong, and was it asked for? */
bool bench_is_checked(const struct bench_options *options);
/* The average bus bandwidth in bytes per second, over sizes and places. */
double bench_average(const struct bench_report *report);

void bench_text_begin(const struct bench_facts *facts, FILE *out);
void bench_text_end(const struct bench_report *report, FILE *out);
void bench_table_begin(FILE *out);
void bench_table_row(const struct bench_facts *facts, const struct bench_row *row, FILE *out);
void bench_csv_begin(FILE *out);
void bench_csv_row(const struct bench_facts *facts, const struct bench_row *row, FILE *out);
json_t *bench_json_begin(const struct bench_facts *facts);
void bench_json_row(const struct bench_facts *facts, const struct bench_row *row, json_t *json);
void bench_json_end(const struct bench_report *report, json_t *json);

#endif
