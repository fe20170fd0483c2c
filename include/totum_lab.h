/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totum_lab.h - the lab: algorithms as data, to read, prove, price and draw.
 *
 * Nothing here needs a communicator or a second process.  Functions return a totum_status as those
 * of totum.h do, with a sentence in totum_errmsg().  What they write goes to a stream of the
 * caller's, who also notices when that stream fails.
 *
 * A problem string says what is to be done: "allgather:n=8:bytes=64K:algo=bruck,radix=3".  The
 * collective comes first, then fields in any order: n ranks; bytes, the size M of the result (1M);
 * algo, the algorithm (the planner's choice); root; topo; alpha, beta, links of the machine.
 */
#ifndef TOTUM_LAB_H
#define TOTUM_LAB_H

#include <stdio.h>

#include "totum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- algorithms ---------------------------------------------------------------------------- */

typedef struct totum_algorithm {
	const char *collective; /* the one that it was written for; others are derived from it */
	const char *name;
	const char *summary;  /* half a sentence */
	char parameters[400]; /* a line for each: "radix=2 (2 to n): growth .."; "" without */
} totum_algorithm;

/* The index-th algorithm, ordered by collective and name; 0 when there are no more, else 1. */
TOTUM_API int totum_algorithm_at(int index, totum_algorithm *out);
/* What every algorithm costs, as formulas in the number of ranks: a page in Markdown. */
TOTUM_API totum_status totum_costs_show(FILE *out);

/* --- schedules ----------------------------------------------------------------------------- */

/* Which blocks move from whom to whom in which round: pure data. */
typedef struct totum_schedule totum_schedule;

/* The schedule that solves a problem.  The caller frees it. */
TOTUM_API totum_status totum_schedule_build(const char *problem, totum_schedule **out);
/*
 * From its text form; name is the file that errors name, with a line.  Parsing does not prove: see
 * totum_schedule_verify.  The caller frees it.
 */
TOTUM_API totum_status totum_schedule_parse(const char *text, size_t length, const char *name,
					    totum_schedule **out);
/* The text form, which parses to an equal schedule. */
TOTUM_API totum_status totum_schedule_write(const totum_schedule *schedule, FILE *out);
TOTUM_API void totum_schedule_free(totum_schedule *schedule); /* NULL is legal */

/* Names are valid as long as the schedule is. */
typedef struct totum_facts {
	const char *collective, *algorithm;
	int64_t nranks, nblocks;
	int root, pieces; /* pieces: into how many each block is cut */
	int64_t rounds;
	int64_t ports; /* the most messages that a rank sends, or receives, in a round */
	/* Blocks on the busiest link, summed over rounds: a fraction. */
	int64_t volume_over, volume_under;
} totum_facts;

TOTUM_API totum_status totum_schedule_facts(const totum_schedule *schedule, totum_facts *out);
/*
 * Proves that the schedule does what its collective promises, and writes the verdict, with one
 * sentence for each violation, to report (which may be NULL).  TOTUM_EINVAL with the first
 * violation when it does not.
 */
TOTUM_API totum_status totum_schedule_verify(const totum_schedule *schedule, FILE *report);

/* --- for the eye --------------------------------------------------------------------------- */

typedef enum totum_format { TOTUM_TEXT, TOTUM_JSON, TOTUM_SVG } totum_format;

/* How to write it.  All zero is the plain text form without limits. */
typedef struct totum_view {
	totum_format format;
	int width;            /* columns of text to stay within; 0: no limit */
	int moves;            /* of schedules: list every move too */
	int explain;          /* of candidates: say where the bound and the choice come from */
	int all;              /* of candidates: every parameter value that has a price of its own */
	const char *machine;  /* "alpha=1us,beta=10GB/s,gamma=20GB/s,overhead=200ns,links=1", goes
				 before what the problem says; NULL: none */
	const char *topology; /* a SPEC like "ring:8" or a file; of a problem that names none; NULL:
				 none */
	const char *command;  /* the command line, which pictures show; NULL: none */
	const char *tuning;   /* of candidates: a tuning file, whose links the machine has where
				 neither its settings nor the problem say otherwise; NULL: none */
	const char *links;    /* which of them: "inside" a host, "between" hosts; NULL: between hosts
				 where the file knows of these */
} totum_view;

/*
 * The step table: a row a round, a column a rank, the blocks that it has then; facts and verdict
 * below.  With a topology, also the links' loads in each round; as a picture, those instead of the
 * table.
 */
TOTUM_API totum_status totum_schedule_show(const totum_schedule *schedule, const totum_view *view,
					   FILE *out);
/*
 * Every algorithm for a problem, with some values of its parameters: rounds, volume, predicted
 * time, the bound, their ratio; the choice marked; those that do not apply with the reason.
 */
TOTUM_API totum_status totum_candidates_show(const char *problem, const totum_view *view,
					     FILE *out);
/*
 * The same over a range of sizes, "64:1G": which algorithm is the choice from which size on; as a
 * picture, time against size.
 */
TOTUM_API totum_status totum_sweep_show(const char *problem, const char *sizes,
					const totum_view *view, FILE *out);
/*
 * The choice over a range of sizes and one of numbers of ranks, "2:64", which replace what the
 * problem says.
 */
TOTUM_API totum_status totum_heatmap_show(const char *problem, const char *sizes, const char *ranks,
					  const totum_view *view, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
