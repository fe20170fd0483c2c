/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mismatch_random - random calls, of which one rank changes, leaves out or repeats one: nobody
 * waits for the deadline, nobody is given wrong bytes, and in the end everybody has been told.
 *
 * ranks: 2 3 5
 *
 * What comes before the change is checked.  A rank may hear of it as of a peer that has left, since
 * that one was told before; one at least must hear of the mismatch.  SEED chooses everything.
 */
#include "ranks/chosen.h"

enum { CASES = 40, CALLS = 4, CHANGES = 6 };

static size_t draw_count(uint64_t *random)
{
	static const size_t counts[] = {0, 1, 5, 1000, 30000};

	return counts[below(random, sizeof counts / sizeof *counts)];
}

/* The same on all ranks. */
static struct call draw(totum_comm *comm, uint64_t *random, int turn)
{
	static const totum_dtype dtypes[] = {TOTUM_U8, TOTUM_I32, TOTUM_U64};
	int what = (int)below(random, BARRIER);
	totum_dtype dtype = dtypes[below(random, 3)];
	struct call c = call_chosen(comm, what, draw_count(random), dtype, turn);

	for (int r = 0; r < c.nranks; r++)
		c.counts[r] = draw_count(random);
	if (what != ALLTOALLV)
		return c;
	for (int from = 0; from < c.nranks; from++)
		for (int to = 0; to < c.nranks; to++) {
			size_t count = draw_count(random);
			c.out[to] = from == c.rank ? count : c.out[to];
			c.in[from] = to == c.rank ? count : c.in[from];
		}
	return c;
}

static bool has_root(const struct call *c)
{
	return c->what == BROADCAST || c->what == REDUCE || c->what == GATHER ||
	       c->what == GATHERV || c->what == SCATTER || c->what == SCATTERV;
}

/* Another count of something that this rank shares with another one. */
static void change_count(struct call *c)
{
	int other = (c->rank + 1) % c->nranks;
	bool at_root = (c->what == GATHERV || c->what == SCATTERV) && c->rank == c->root;

	c->count += 3;
	if (c->what == ALLTOALLV)
		c->out[other] += 3;
	else
		c->counts[at_root ? other : c->rank] += 3;
	for (int r = 0; r < c->nranks && c->what == ALLTOALL; r++)
		c->out[r] = c->in[r] = c->count;
}

/* What the odd rank does instead; how often. */
static int change(struct call *c, uint64_t how)
{
	switch (how) {
	case 0:
		return 0;
	case 1:
		return 2;
	case 2:
		if (has_root(c)) {
			c->root = (c->root + 1) % c->nranks;
			return 1;
		}
		break;
	case 3:
		c->what = (enum collective)((c->what + 1) % BARRIER);
		for (int r = 0; r < c->nranks; r++)
			c->out[r] = c->in[r] = c->counts[r] = c->count;
		return 1;
	case 4:
		if (c->dtype == TOTUM_I32) {
			c->dtype = TOTUM_F32;
			return 1;
		}
		break;
	}
	change_count(c);
	return 1;
}

static totum_status make(struct call *c, bool checked)
{
	call_ready(c);
	totum_status status = call_make(c, BLOCKING, NULL, NULL);

	if (!status && checked)
		call_check_all(c);
	call_release(c);
	return status;
}

static totum_status play(totum_comm *comm, uint64_t random, int odd, int when, uint64_t how)
{
	totum_status status = TOTUM_OK;

	for (int i = 0; i < CALLS && !status; i++) {
		struct call c = draw(comm, &random, i);
		int times = i == when && c.rank == odd ? change(&c, how) : 1;

		while (times-- > 0 && !status)
			status = make(&c, i < when);
	}
	/* one whom the change does not concern hears of it when those have found it whom it does */
	for (int i = 0; i < 3 && !status; i++)
		status = totum_barrier(comm);
	return status;
}

static void one_case(totum_comm *parent, uint64_t random)
{
	int nranks = totum_comm_nranks(parent), odd = (int)below(&random, (uint64_t)nranks);
	int when = (int)below(&random, CALLS), all[HARNESS_RANKS], told = 0;
	uint64_t how = below(&random, CHANGES);
	totum_comm *comm;

	ok(totum_comm_dup(parent, &comm));
	ok(totum_comm_configure(comm, "timeout=20s"));
	int status = play(comm, random, odd, when, how);
	if (status != TOTUM_EMISMATCH && status != TOTUM_ELOST)
		fail("rank %d changes call %d in way %d: %s%s%s", odd, when, (int)how,
		     totum_strerror((totum_status)status), status ? ": " : "",
		     status ? totum_errmsg() : "");
	ok(totum_comm_free(comm));
	ok(totum_allgather(&status, all, 1, TOTUM_I32, parent));
	for (int r = 0; r < nranks; r++)
		told += all[r] == TOTUM_EMISMATCH;
	if (!told)
		fail("rank %d changes call %d in way %d: nobody hears of a mismatch", odd, when,
		     (int)how);
}

static void test(totum_comm *comm)
{
	const char *more = getenv("CASES");
	uint64_t cases = more ? strtoull(more, NULL, 10) : CASES;

	for (uint64_t i = 0; i < cases; i++)
		if (step("mismatch_random:n=%d:%d", totum_comm_nranks(comm), (int)i))
			one_case(comm, mix(seed() + i));
}
