/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench.h - what the parts of `totum bench` know in common.
 *
 *	commands/bench.c   starts the ranks, or is one
 *	bench_arguments.c  the command line
 *	bench_check.c      what is refused before any rank begins
 *	bench_rank.c       one rank's job: the sweep over sizes
 *	bench_measure.c    one size: time, then check
 *	bench_timing.c     samples of one call, and their statistics
 *	bench_limit.c      what copying alone costs
 *	bench_predict.c    what the planner expects
 *	bench_counters.c   calls, bytes and waits of every rank
 *	bench_report.c     header, rows and footer, to bench_{text,csv,json}.c
 *	bench_formula.c    sizes and bandwidths
 *	bench_data.c       what is sent, and whether it came
 *	bench_machine.c    host, processor, kernel
 *
 * Times are seconds.  A size is the total bytes M of a call.
 */
#ifndef BENCH_H
#define BENCH_H

#include "bench_data.h"
#include "bench_timing.h"
#include "launch.h"
#include "run_hosts.h"

struct bench_options {
	const struct bench_formula *formula;
	int nranks; /* 0: as many as launched */
	struct run_hosts hosts;
	enum launch_bind bind;
	uint64_t first, last; /* total bytes */
	uint64_t step;        /* bytes to the next size; 0: factor */
	long factor;
	struct bench_plan plan;
	long checks; /* checked calls for each size and place */
	totum_dtype dtype;
	totum_op op;
	int root;
	double timeout;         /* of a wait in a measured call; 0: the library's */
	bool shared_buffers;    /* from totum_alloc */
	bool stats;             /* print the ranks' counters */
	const char *algorithm;  /* NULL: the library's choice */
	const char *json, *csv; /* files, "-": stdout; NULL: none */
	const char *command;    /* the line that was typed */
};

enum bench_place { BENCH_OUT_OF_PLACE, BENCH_IN_PLACE, BENCH_PLACES };

/* What came out for a size. */
struct bench_row {
	uint64_t total, share; /* bytes: M, and one rank's part */
	uint64_t count;
	struct bench_timing timing[BENCH_PLACES];
	uint64_t wrong[BENCH_PLACES];
	double limit;       /* what copying M bytes takes; 0: nothing to copy */
	bool limit_streams; /* past the cache */
	double predicted, bound; /* seconds; 0: not known */
	char algorithm[96];
};

/* Where a rank runs. */
struct bench_seat {
	int32_t pid;
	char host[60];
};

/* A rank at work. */
struct bench_job {
	const struct bench_options *options;
	totum_comm *comm;    /* what is measured */
	totum_comm *control; /* barriers, clocks and verdicts: never by a forced algorithm */
	int rank, nranks;
	int *hosts; /* [nranks]: on which each is */
	struct bench_data data;
	unsigned char *send;  /* of calls out of place */
	unsigned char *whole; /* their output, and the one buffer of calls in place */
	totum_window *window; /* what the copies of the limit read; NULL: no limit, on several hosts */
	double *times;        /* room for samples */
};

/* The whole life of a rank.  Returns its exit code. */
int bench_rank(const struct bench_options *options);
/*
 * Refuses, with one sentence on stderr if `speak`, what does not go with that number of ranks.
 * Returns the exit code.
 */
int bench_check(const struct bench_options *options, int nranks, bool speak);

/* Both fill their part of the row; collective. */
totum_status bench_measure(struct bench_job *job, size_t count, enum bench_place place,
			   struct bench_row *row);
totum_status bench_limit(struct bench_job *job, struct bench_row *row);

#endif
