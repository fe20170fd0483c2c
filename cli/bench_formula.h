/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_formula.h - the collectives that can be timed: how big their buffers are, how they are
 * called, and what bandwidth a time stands for.
 *
 * S, the total bytes M of a call, is the larger of what a rank sends and what it receives.
 * Bandwidths are those of the field's benchmarks:
 *
 *	algbw = S / t			what the caller gets
 *	busbw = algbw * factor		comparable with a link, whatever the number of ranks
 *
 *	allgather, reduce_scatter, alltoall, gather, scatter  (n-1)/n
 *	allreduce  2(n-1)/n		broadcast, reduce  1		barrier  0
 */
#ifndef BENCH_FORMULA_H
#define BENCH_FORMULA_H

#include <stdbool.h>
#include <totum.h>

/* The arguments of one call; what a collective has no use for is ignored. */
struct bench_call {
	const void *send;
	void *recv;
	size_t count;
	totum_dtype dtype;
	totum_op op;
	int root;
	totum_comm *comm;
};

/* Who has a buffer on this side of a call, and of how much. */
enum bench_side {
	BENCH_NOBODY,
	BENCH_ALL_ONE,    /* every rank, of one shard: count elements */
	BENCH_ALL_WHOLE,  /* every rank, of nranks shards */
	BENCH_ROOT_ONE,   /* the root alone */
	BENCH_ROOT_WHOLE, /* the root alone, of nranks shards */
};

struct bench_formula {
	const char *name;
	bool reduces, rooted;
	enum bench_side send, recv;
	int busy; /* factor = busy, or busy*(n-1)/n with `others_only` */
	bool others_only;
	bool forced; /* takes a forced algorithm */
	totum_status (*call)(const struct bench_call *call);
};

/* Ends with a NULL name. */
extern const struct bench_formula bench_formulas[];
/* NULL when there is no such collective. */
const struct bench_formula *bench_formula_find(const char *name);

/* Has the call no data at all? */
bool bench_moves_nothing(const struct bench_formula *formula);
/* The pairs that reductions take. */
bool bench_reducible(totum_dtype dtype, totum_op op);

/* The count of a call of about `bytes` in total: rounded down, but 1 at least unless bytes is 0. */
size_t bench_count(const struct bench_formula *formula, uint64_t bytes, size_t element, int nranks);
/* S for that count, and the part of it that is one rank's. */
uint64_t bench_total(const struct bench_formula *formula, size_t count, size_t element, int nranks);
uint64_t bench_share(const struct bench_formula *formula, size_t count, size_t element);

/* Elements on a side of the call on a rank; 0 where the rank has none. */
size_t bench_elements(enum bench_side side, size_t count, int nranks, bool is_root);
/*
 * Where in the one buffer of a call in place each side begins, in elements: where one is a shard
 * and the other the whole, the shard lies where it belongs.
 */
size_t bench_send_offset(const struct bench_formula *formula, size_t count, int rank);
size_t bench_recv_offset(const struct bench_formula *formula, size_t count, int rank);

/* Bytes per second; 0 where nothing moves or no time passed. */
double bench_algbw(uint64_t total, double seconds);
double bench_busbw(const struct bench_formula *formula, uint64_t total, double seconds, int nranks);

#endif
