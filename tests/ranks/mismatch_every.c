/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mismatch_every - in every collective, a rank that counts otherwise than the rest is found by all,
 * by little or by much, in sizes small and large; and so are ranks that all count differently.
 *
 * ranks: 4
 *
 * Each case has a communicator of its own, and the parent works afterwards.  The sentence names the
 * odd rank.  (What else can differ: mismatch.c.)
 *
 * FAR=1 in the environment: the ranks are on several hosts.  Most is left out, since there to tell
 * of a failure takes its time.
 */
#include "ranks/chosen.h"

enum { LARGEST = (1 << 18) + 1 };

static const struct {
	size_t usual, odd;
} pairs[] = {{100, 200}, {1, 2}, {5, 0}, {0, 5}, {0, LARGEST}, {70000, 69999}, {1 << 18, LARGEST}};

static bool far(void)
{
	return getenv("FAR");
}

static struct call made(totum_comm *comm, int what, size_t count, int root)
{
	struct call c = call_chosen(comm, what, count, TOTUM_U8, 0);

	c.root = root;
	return c;
}

static totum_status call_on(struct call *c)
{
	totum_status status;

	c->send = memory_new(c->comm, (size_t)c->nranks * LARGEST, false, 0);
	c->recv = memory_new(c->comm, (size_t)c->nranks * LARGEST, false, 0);
	status = call_make(c, BLOCKING, NULL, NULL);
	call_release(c);
	return status;
}

/*
 * What this rank gets, at the latest from its next call: to or from a root a rank may have done its
 * part when the others' calls are compared, and counts of blocks are known to two ranks only; and
 * between hosts so may one that has nothing to send or get.
 */
static totum_status found(struct call *c)
{
	bool one_side = c->what == BROADCAST || c->what == REDUCE || c->what == GATHER ||
			c->what == GATHERV || c->what == SCATTER || c->what == SCATTERV ||
			c->what == ALLTOALLV || (far() && !c->count);
	totum_status status = call_on(c);

	return status || !one_side ? status : totum_barrier(c->comm);
}

static void one_mismatch(totum_comm *parent, int what, size_t usual, size_t odd_count, int odd)
{
	int rank = totum_comm_rank(parent), nranks = totum_comm_nranks(parent);
	totum_comm *comm;
	char root[32];

	if (!step("mismatch_every:n=%d:%s:usual=%zu:odd=%zu:rank=%d", nranks,
		  collective_names[what], usual, odd_count, odd))
		return;
	ok(totum_comm_dup(parent, &comm));
	struct call c = made(comm, what, rank == odd ? odd_count : usual, 1);
	const char *sentence = refused(found(&c), TOTUM_EMISMATCH);

	snprintf(root, sizeof root, "root %d", odd);
	if (!says_rank(sentence, odd) && !says(sentence, root))
		fail("does not name rank %d: %s", odd, sentence);
	refused(totum_barrier(comm), TOTUM_EMISMATCH);
	ok(totum_comm_free(comm));
	ok(totum_barrier(parent));
}

/* Counts 3, 0, 7, 1: right for the v-operations, and for nothing that has one count. */
static void all_different(totum_comm *parent, int what)
{
	static const size_t counts[] = {3, 0, 7, 1};
	int rank = totum_comm_rank(parent), nranks = totum_comm_nranks(parent);
	bool uneven = what == ALLGATHERV || what == REDUCE_SCATTERV || what == GATHERV ||
		      what == SCATTERV;
	totum_comm *comm;

	if (!step("mismatch_every:n=%d:%s:all different", nranks, collective_names[what]))
		return;
	ok(totum_comm_dup(parent, &comm));
	struct call c = made(comm, what, counts[rank % 4], 0);

	c.salt = 4; /* the data do not follow from a count that is not everybody's */
	for (int r = 0; r < nranks; r++)
		c.counts[r] = counts[r % 4];
	if (uneven && !call_through(&c))
		fail("refused");
	if (!uneven)
		refused(found(&c), TOTUM_EMISMATCH);
	ok(totum_comm_free(comm));
	ok(totum_barrier(parent));
}

/* Two requests, begun in another order on one rank. */
static void requests_crossed(totum_comm *parent, int odd)
{
	int32_t own = 1, sum, all[HARNESS_RANKS];
	totum_request *first, *second;
	totum_comm *comm;

	if (!step("mismatch_every:n=%d:requests crossed:rank=%d", totum_comm_nranks(parent), odd))
		return;
	ok(totum_comm_dup(parent, &comm));
	if (totum_comm_rank(parent) == odd) {
		ok(totum_iallreduce(&own, &sum, 1, TOTUM_I32, TOTUM_SUM, comm, &first));
		ok(totum_iallgather(&own, all, 1, TOTUM_I32, comm, &second));
	} else {
		ok(totum_iallgather(&own, all, 1, TOTUM_I32, comm, &first));
		ok(totum_iallreduce(&own, &sum, 1, TOTUM_I32, TOTUM_SUM, comm, &second));
	}
	const char *sentence = refused(totum_wait(first), TOTUM_EMISMATCH);

	if (!says_rank(sentence, odd) || !says(sentence, "allgather") ||
	    !says(sentence, "allreduce"))
		fail("does not name rank %d and both calls: %s", odd, sentence);
	refused(totum_wait(second), TOTUM_EMISMATCH);
	ok(totum_comm_free(comm));
	ok(totum_barrier(parent));
}

static void test(totum_comm *comm)
{
	int nranks = totum_comm_nranks(comm), first = far() ? nranks - 1 : 0;

	for (int what = 0; what < BARRIER; what++)
		for (size_t i = first ? 2 : 0; i < sizeof pairs / sizeof *pairs; i++)
			for (int odd = first; odd < nranks; odd += 1 + odd % 2)
				one_mismatch(comm, what, pairs[i].usual, pairs[i].odd, odd);
	for (int what = 0; what < BARRIER; what++)
		all_different(comm, what);
	for (int odd = first; odd < nranks; odd++)
		requests_crossed(comm, odd);
}
