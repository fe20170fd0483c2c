/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * empty - calls that move nothing, for everybody or for one rank, are calls like others: they end,
 * and what comes after them arrives.  ranks: 1 2 3 5 8
 */
#include "ranks/chosen.h"

enum { ROUNDS = 100 };

static const totum_dtype dtypes[] = {TOTUM_U8, TOTUM_I32, TOTUM_F64, TOTUM_BF16};

/* Nothing, then at once something, by an algorithm. */
static void nothing_then_five(totum_comm *comm, const char *algorithm)
{
	char setting[ALGORITHM_TEXT + 8];

	snprintf(setting, sizeof setting, "algo=%s", algorithm);
	ok(totum_comm_configure(comm, setting));
	for (int what = 0; what < COLLECTIVES; what++)
		for (int i = 0; i < 4; i++) {
			struct call none = call_chosen(comm, what, 0, dtypes[i], i);
			struct call five = call_chosen(comm, what, 5, dtypes[i], i + what);

			if (!call_through(&none))
				break;
			call_through(&five);
		}
}

static void by_every_algorithm(totum_comm *comm)
{
	totum_algorithm algorithm;

	nothing_then_five(comm, "auto");
	for (int at = 0; totum_algorithm_at(at, &algorithm); at++)
		nothing_then_five(comm, algorithm.name);
	ok(totum_comm_configure(comm, "algo=auto"));
}

/* One rank has nothing, in turn each one, while the others have different amounts. */
static void nothing_from_one(totum_comm *comm, int turn)
{
	static const int whats[] = {ALLGATHERV, REDUCE_SCATTERV, GATHERV, SCATTERV, ALLTOALLV};

	for (size_t k = 0; k < sizeof whats / sizeof *whats; k++) {
		struct call c = call_chosen(comm, whats[k], 0, dtypes[turn % 4], turn);

		for (int r = 0; r < c.nranks; r++)
			c.counts[r] = r == turn % c.nranks ? 0 : (size_t)(turn + r);
		for (int r = 0; r < c.nranks; r++)
			c.out[r] = c.in[r] = c.counts[(r + c.rank) % c.nranks];
		call_through(&c);
	}
	ok(totum_barrier(comm));
}

static void test(totum_comm *comm)
{
	by_every_algorithm(comm);
	for (int turn = 0; turn < ROUNDS; turn++)
		nothing_from_one(comm, turn);
}
