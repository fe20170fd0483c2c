/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mix - a long random sequence of every collective, size, dtype, algorithm and place, on
 * communicators that come and go, with naps.  ranks: 2 3 4 5 8
 *
 * SEED chooses the sequence, and is printed with a failure.
 */
#include "ranks/calls.h"

enum { CALLS = 1000, COMMS = 3 };

static const struct sweep kinds[] = {
	{"allgather", "", 1, false, call_allgather},
	{"allgatherv", "shape", GATHERV_SHAPES, false, call_allgatherv},
	{"broadcast", "root", 0, false, call_broadcast},
	{"reduce_scatter", "", 1, true, call_reduce_scatter},
	{"allreduce", "", 1, true, call_allreduce},
};

/* Mostly small, sometimes large: the exponent is uniform. */
static size_t random_count(uint64_t *random)
{
	return (size_t)below(random, (uint64_t)1 << below(random, 17));
}

static void random_call(totum_comm *comm, int number, uint64_t *random)
{
	const struct sweep *kind = &kinds[below(random, sizeof kinds / sizeof *kinds)];
	struct problem p = {.comm = comm,
			    .collective = kind->collective,
			    .rank = totum_comm_rank(comm),
			    .nranks = totum_comm_nranks(comm),
			    .count = random_count(random),
			    .in_place = below(random, 2)};
	int variants = kind->variants ? kind->variants : p.nranks, algorithms = 0;
	char name[ALGORITHM_TEXT];

	p.variant = (int)below(random, (uint64_t)variants);
	do {
		p.dtype = (totum_dtype)below(random, TOTUM_DTYPES);
		p.op = (totum_op)below(random, TOTUM_OPS);
	} while (kind->reduces && !reducible(p.dtype, p.op));
	while (algorithm_name(kind->collective, p.nranks, algorithms, name))
		algorithms++;
	/* half of the calls by the direct path */
	bool forced = below(random, 2);

	algorithm_name(kind->collective, p.nranks,
		       forced ? (int)below(random, (uint64_t)algorithms) : 0, name);
	p.algorithm = name;
	p.salt = mix(*random);
	step("mix:n=%d:call=%d:%s:count=%zu:dtype=%s:op=%s:variant=%d:place=%s:algo=%s", p.nranks,
	     number, p.collective, p.count, totum_dtype_name(p.dtype), totum_op_name(p.op),
	     p.variant, p.in_place ? "in" : "out", p.algorithm);
	configure_algorithm(comm, name);
	kind->run(&p);
}

/* Replaces a communicator by a copy or by a reversed one. */
static void renew(totum_comm *comm, totum_comm **slot, uint64_t *random)
{
	int key = below(random, 2) ? totum_comm_rank(comm) : -totum_comm_rank(comm);

	ok(totum_comm_free(*slot));
	*slot = NULL;
	if (below(random, 2))
		ok(totum_comm_dup(comm, slot));
	else
		ok(totum_comm_split(comm, 0, key, slot));
}

static void test(totum_comm *comm)
{
	uint64_t random = seed(), naps = seed() + 1 + (uint64_t)totum_comm_rank(comm);
	totum_comm *comms[COMMS] = {NULL};

	for (int i = 0; i < COMMS; i++)
		renew(comm, &comms[i], &random);
	for (int i = 0; i < CALLS / (1 + SLOWNESS); i++) {
		if (below(&random, 100) == 0)
			renew(comm, &comms[below(&random, COMMS)], &random);
		if (below(&naps, 100) == 0)
			nap_us((long)below(&naps, 3000));
		random_call(comms[below(&random, COMMS)], i, &random);
	}
	for (int i = 0; i < COMMS; i++)
		ok(totum_comm_free(comms[i]));
}
