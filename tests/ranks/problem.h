/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * problem.h - one call of a collective as data, its problem string, and the sweep over all of them.
 *
 * A sweep goes through every algorithm, count, dtype, op, place and variant (a root, a pattern of
 * counts).  The data of a case derive from its string: cases depend on nothing that ran before.
 */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "ranks/algorithms.h"
#include "ranks/oracle.h"

struct problem {
	totum_comm *comm;
	const char *collective, *algorithm;
	int rank, nranks;
	size_t count;
	totum_dtype dtype;
	totum_op op;
	bool in_place;
	int variant;
	uint64_t salt;
};

/* Makes the call and checks everything that it may and may not write. */
typedef void problem_run(const struct problem *problem);

struct sweep {
	const char *collective;
	const char *variant; /* what the variants are: "root" */
	int variants;
	bool reduces;
	problem_run *run;
};

/*
 * The direct path and one algorithm are swept with every op and variant.  The others move the same
 * bytes by the same executor through the same arithmetic: each takes one op and one variant for a
 * dtype and a count, and the next ones for the next.
 */
static inline bool thorough(const char *algorithm)
{
	return strcmp(algorithm, "auto") == 0 || strcmp(algorithm, "ring") == 0;
}

/* Too big to be combined with everything else: more than the private caches and every slot. */
enum { BIG = 1000003 };

/* Runs the problem, unless it is not the one that is asked for. */
static inline void problem_try(struct problem problem, const struct sweep *sweep)
{
	char op[32] = "", variant[32] = "";

	if (sweep->reduces)
		snprintf(op, sizeof op, ":op=%s", totum_op_name(problem.op));
	if (sweep->variants > 1)
		snprintf(variant, sizeof variant, ":%s=%d", sweep->variant, problem.variant);
	if (!step("%s:n=%d:count=%zu:dtype=%s%s%s:place=%s:algo=%s", sweep->collective,
		  problem.nranks, problem.count, totum_dtype_name(problem.dtype), op, variant,
		  problem.in_place ? "in" : "out", problem.algorithm))
		return;
	problem.salt = hash_text(self->step);
	sweep->run(&problem);
}

/*
 * Out of place and in place, for every variant; or, where the algorithm is not `thorough`, for the
 * variant whose turn it is.
 */
static inline void sweep_places(struct problem problem, const struct sweep *sweep, size_t turn)
{
	bool every = thorough(problem.algorithm) && (SLOWNESS < 2 || problem.count < BIG);
	size_t next = (turn + (size_t)problem.dtype) % (size_t)sweep->variants;
	int first = every ? 0 : (int)next, last = every ? sweep->variants - 1 : first;

	for (problem.variant = first; problem.variant <= last; problem.variant++)
		for (size_t place = 0; place < 2; place++) {
			problem.in_place = place;
			/* big reductions are slow to check: there one place is enough */
			if (problem.count < BIG || !sweep->reduces || place == turn % 2)
				problem_try(problem, sweep);
		}
}

static inline void sweep_ops(struct problem problem, const struct sweep *sweep, size_t turn)
{
	bool every = thorough(problem.algorithm);

	if (!sweep->reduces) {
		sweep_places(problem, sweep, turn);
		return;
	}
	for (size_t i = 0, done = 0; i < TOTUM_OPS && (every || !done); i++) {
		problem.op = (totum_op)((i + turn) % TOTUM_OPS);
		if (!reducible(problem.dtype, problem.op))
			continue;
		sweep_places(problem, sweep, turn);
		done++;
	}
}

/*
 * Is the combination of a dtype and a count left out?  Algorithms with parameters, and all but the
 * thorough ones in the builds of the sanitizers, meet every dtype and every count, but not each
 * with each.
 */
static inline bool left_out(const char *algorithm, size_t turn)
{
	return (SLOWNESS || !algorithm_is_plain(algorithm)) && !thorough(algorithm) &&
	       turn % 5 != 0;
}

/* The thread sanitizer looks at each byte of what is big: there only the thorough ones. */
static inline bool big_left_out(const char *algorithm)
{
	return !algorithm_is_plain(algorithm) || (SLOWNESS > 1 && !thorough(algorithm));
}

static inline void sweep_algorithm(struct problem problem, const struct sweep *sweep)
{
	size_t n = (size_t)problem.nranks, counts[] = {0, 1, 2, n - 1, n, n + 1};
	size_t turn = hash_text(problem.algorithm) % TOTUM_OPS;

	for (int dtype = 0; dtype < TOTUM_DTYPES; dtype++) {
		problem.dtype = (totum_dtype)dtype;
		for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
			problem.count = counts[i];
			if (!left_out(problem.algorithm, ++turn))
				sweep_ops(problem, sweep, turn);
		}
	}
	if (big_left_out(problem.algorithm))
		return;
	problem.count = BIG;
	problem.op = TOTUM_SUM;
	problem.dtype = TOTUM_U8;
	sweep_places(problem, sweep, turn);
	if (!thorough(problem.algorithm) || SLOWNESS > 1)
		return;
	sweep_places(problem, sweep, turn + 1);
	problem.dtype = TOTUM_F32;
	sweep_places(problem, sweep, turn);
}

static inline void configure_algorithm(totum_comm *comm, const char *algorithm)
{
	char setting[128];

	snprintf(setting, sizeof setting, "algo=%s", algorithm);
	ok(totum_comm_configure(comm, setting));
}

/* Every problem of one collective on comm. */
static inline void sweep(totum_comm *comm, const struct sweep *sweep)
{
	struct problem problem = {.comm = comm,
				  .collective = sweep->collective,
				  .rank = totum_comm_rank(comm),
				  .nranks = totum_comm_nranks(comm)};
	char name[ALGORITHM_TEXT];

	for (int i = 0; algorithm_name(sweep->collective, problem.nranks, i, name); i++) {
		problem.algorithm = name;
		configure_algorithm(comm, name);
		sweep_algorithm(problem, sweep);
		configure_algorithm(comm, "auto");
		ok(totum_barrier(comm)); /* also after calls that an algorithm refused */
	}
}

/*
 * Did the call run?  A forced algorithm may refuse a number of ranks or a reduction, and never
 * becomes another one; every other failure ends the test.
 */
static inline bool ran(const struct problem *problem, totum_status status)
{
	bool forced = strcmp(problem->algorithm, "auto") != 0;

	if (forced && status == TOTUM_EUNSUPPORTED) {
		refused(status, TOTUM_EUNSUPPORTED);
		return false;
	}
	ok(status);
	const char *used = totum_comm_algorithm(problem->comm);

	if (forced && strcmp(used, problem->algorithm) != 0)
		fail("asked for %s, ran %s", problem->algorithm, used);
	return true;
}

#endif
