/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * problem.h - the one way to write down what is to be done: on the command line, in tests, tuning
 * files, errors.
 *
 *     allgather:n=8:bytes=64K:topo=torus:2x4:algo=bruck,radix=3
 *
 * The collective, then fields KEY=VALUE in any order, separated by colons.  A part that does not
 * begin with letters and "=" belongs to the topology before it, whose own text may hold colons.
 *
 *     n      ranks; may be left out where topo is given
 *     bytes  total bytes M, as in "64K"; 1M when left out
 *     topo   a topology: a SPEC or a file
 *     algo   an algorithm with its parameters; left out or "auto": the planner's choice
 *     dtype  left out: f32 in reductions, u8 else
 *     op     left out: sum; reductions only
 *     root   left out: 0; rooted collectives only
 *     alpha  the time that a message takes apart from its bytes: "1.5us"
 *     beta   the bandwidth of a link: "10GB/s"
 *     links  how many links a rank drives at once
 */
#ifndef TT_PROBLEM_H
#define TT_PROBLEM_H

#include "schedule/ir.h"

enum { TT_PROBLEM_TOPOLOGY = 256, TT_PROBLEM_ALGORITHM = 96, TT_PROBLEM_TEXT = 640 };

struct tt_problem {
	enum tt_collective collective;
	int64_t nranks;                       /* 0: as many as the topology has */
	uint64_t bytes;                       /* a multiple of the dtype's size */
	char topology[TT_PROBLEM_TOPOLOGY];   /* "": none */
	char algorithm[TT_PROBLEM_ALGORITHM]; /* "": the planner's choice */
	totum_dtype dtype;
	totum_op op;
	int root;
	double alpha;  /* seconds; negative: not given */
	double beta;   /* B/s; 0: not given */
	int64_t links; /* 0: not given */
};

/*
 * Reads a whole text.  TOTUM_EPARSE with a sentence that names the part and what is accepted there;
 * whether the topology and the algorithm exist is asked by who opens them.
 */
totum_status tt_problem_parse(const char *text, struct tt_problem *out);
/* The shortest text that reads as this problem, with n and bytes always in it. */
const char *tt_problem_format(const struct tt_problem *problem, char out[static TT_PROBLEM_TEXT]);

#endif
