/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mismatch - ranks that make different calls all get TOTUM_EMISMATCH, and a sentence with two ranks
 * and both calls; of a broadcast perhaps in the next call.  ranks: 2 3 5
 * shared: 3
 *
 * In each case one odd rank does something else than the others, on a communicator of its own;
 * afterwards the parent communicator must work as before.
 */
#include "ranks/buffers.h"

enum { ROOM = 1 << 21 };

/* One call, small enough to be written down in a table. */
struct call {
	enum { ALLGATHER, ALLGATHERV, REDUCE_SCATTER, ALLREDUCE, BROADCAST, BARRIER } what;
	size_t count;
	totum_dtype dtype;
	totum_op op;
	int root;
};

struct mismatch {
	const char *name;
	struct call usual, odd;
	const char *words[4]; /* that the sentence must hold */
};

static const struct mismatch mismatches[] = {
	{"count",
	 {ALLGATHER, 100, TOTUM_U8, 0, 0},
	 {ALLGATHER, 200, TOTUM_U8, 0, 0},
	 {"100 x u8", "200 x u8"}},
	{"count 1",
	 {ALLGATHER, 1, TOTUM_U8, 0, 0},
	 {ALLGATHER, 2, TOTUM_U8, 0, 0},
	 {"(1 x u8", "(2 x u8"}},
	{"count 0",
	 {ALLGATHER, 5, TOTUM_F32, 0, 0},
	 {ALLGATHER, 0, TOTUM_F32, 0, 0},
	 {"5 x f32", "0 x f32"}},
	{"big count",
	 {ALLGATHER, 1 << 18, TOTUM_U8, 0, 0},
	 {ALLGATHER, (1 << 18) + 1, TOTUM_U8, 0, 0},
	 {"262144 x u8", "262145 x u8"}},
	{"counts[]",
	 {ALLGATHERV, 10, TOTUM_U8, 0, 0},
	 {ALLGATHERV, 11, TOTUM_U8, 0, 0},
	 {"allgatherv"}},
	{"dtype",
	 {ALLGATHER, 100, TOTUM_F32, 0, 0},
	 {ALLGATHER, 100, TOTUM_I32, 0, 0},
	 {"f32", "i32"}},
	{"dtype, same bytes",
	 {ALLGATHER, 100, TOTUM_F32, 0, 0},
	 {ALLGATHER, 200, TOTUM_F16, 0, 0},
	 {"f32", "f16"}},
	{"op",
	 {ALLREDUCE, 10, TOTUM_I32, TOTUM_SUM, 0},
	 {ALLREDUCE, 10, TOTUM_I32, TOTUM_MAX, 0},
	 {"sum", "max"}},
	{"op of reduce_scatter",
	 {REDUCE_SCATTER, 10, TOTUM_I32, TOTUM_SUM, 0},
	 {REDUCE_SCATTER, 10, TOTUM_I32, TOTUM_AVG, 0},
	 {"sum", "avg"}},
	{"root",
	 {BROADCAST, 10, TOTUM_I32, 0, 0},
	 {BROADCAST, 10, TOTUM_I32, 0, 1},
	 {"root 0", "root 1", "broadcast"}},
	{"operation",
	 {ALLGATHER, 10, TOTUM_I32, 0, 0},
	 {ALLREDUCE, 10, TOTUM_I32, TOTUM_SUM, 0},
	 {"allgather", "allreduce"}},
	{"barrier against gather",
	 {BARRIER, 0, TOTUM_U8, 0, 0},
	 {ALLGATHER, 10, TOTUM_U8, 0, 0},
	 {"barrier", "allgather"}},
	{"barrier against a big broadcast",
	 {BROADCAST, 1000000, TOTUM_U8, 0, 0},
	 {BARRIER, 0, TOTUM_U8, 0, 0},
	 {"barrier", "broadcast"}},
	{"allgather against allgatherv",
	 {ALLGATHER, 10, TOTUM_U8, 0, 0},
	 {ALLGATHERV, 10, TOTUM_U8, 0, 0},
	 {"allgather", "allgatherv"}},
};

static totum_status make(totum_comm *comm, struct call call, unsigned char *send,
			 unsigned char *recv)
{
	int nranks = totum_comm_nranks(comm);
	size_t counts[HARNESS_RANKS];

	switch (call.what) {
	case ALLGATHER:
		return totum_allgather(send, recv, call.count, call.dtype, comm);
	case ALLGATHERV: /* equal but for the last rank's: only another rank's shard differs */
		for (int r = 0; r < nranks; r++)
			counts[r] = r == nranks - 1 ? call.count : 10;
		return totum_allgatherv(send, counts[totum_comm_rank(comm)], recv, counts, NULL,
					call.dtype, comm);
	case REDUCE_SCATTER:
		return totum_reduce_scatter(send, recv, call.count, call.dtype, call.op, comm);
	case ALLREDUCE:
		return totum_allreduce(send, recv, call.count, call.dtype, call.op, comm);
	case BROADCAST:
		return totum_broadcast(send, recv, call.count, call.dtype, call.root, comm);
	default:
		return totum_barrier(comm);
	}
}

static void check_sentence(const char *sentence, int nranks, int odd, const char *const *words)
{
	bool another = false;

	for (int r = 0; r < nranks; r++)
		another = another || (r != odd && says_rank(sentence, r));
	if (!says_rank(sentence, odd) || !another)
		fail("does not name rank %d and another one: %s", odd, sentence);
	for (int i = 0; i < 4 && words[i]; i++)
		if (!says(sentence, words[i]))
			fail("does not say \"%s\": %s", words[i], sentence);
}

static void one_mismatch(totum_comm *parent, const struct mismatch *mismatch, int odd)
{
	int rank = totum_comm_rank(parent), nranks = totum_comm_nranks(parent);
	struct buffer send = buffer_new(ROOM, 0), recv = buffer_new(ROOM, 0);
	struct call call = rank == odd ? mismatch->odd : mismatch->usual;
	totum_comm *comm;

	step("mismatch:n=%d:%s:odd=%d", nranks, mismatch->name, odd);
	ok(totum_comm_dup(parent, &comm));
	ok(make(comm, (struct call){ALLGATHER, 3, TOTUM_U8, 0, 0}, send.data, recv.data));
	ok(totum_barrier(parent)); /* all have left the good call: a failure would reach into it */
	totum_status status = make(comm, call, send.data, recv.data);
	/* nobody waits but for the root: the next call tells */
	if (call.what == BROADCAST && !status)
		status = totum_barrier(comm);
	check_sentence(refused(status, TOTUM_EMISMATCH), nranks, odd, mismatch->words);
	/* it fails for good, and stays the same failure */
	refused(totum_barrier(comm), TOTUM_EMISMATCH);
	ok(totum_comm_free(comm));
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
	ok(totum_barrier(parent));
}

/* The same two calls, in another order on one rank. */
static void other_order(totum_comm *parent, int odd)
{
	static const char *const words[] = {"allgather", "allreduce", NULL};
	int nranks = totum_comm_nranks(parent);
	unsigned char send[64] = {0}, recv[64 * HARNESS_RANKS];
	struct call first = {ALLGATHER, 4, TOTUM_I32, 0, 0};
	totum_comm *comm;

	step("mismatch:n=%d:order:odd=%d", nranks, odd);
	ok(totum_comm_dup(parent, &comm));
	if (totum_comm_rank(parent) == odd)
		first = (struct call){ALLREDUCE, 4, TOTUM_I32, TOTUM_SUM, 0};
	check_sentence(refused(make(comm, first, send, recv), TOTUM_EMISMATCH), nranks, odd, words);
	ok(totum_comm_free(comm));
	ok(totum_barrier(parent));
}

/* The same call with another forced algorithm on one rank. */
static void other_algorithm(totum_comm *parent, int odd)
{
	static const char *const words[] = {"algorithm", NULL};
	int nranks = totum_comm_nranks(parent);
	unsigned char send[64] = {0}, recv[64 * HARNESS_RANKS];
	totum_comm *comm;

	step("mismatch:n=%d:algorithm:odd=%d", nranks, odd);
	ok(totum_comm_dup(parent, &comm));
	ok(totum_comm_configure(comm, totum_comm_rank(parent) == odd ? "algo=bruck" : "algo=ring"));
	check_sentence(refused(totum_allgather(send, recv, 8, TOTUM_U8, comm), TOTUM_EMISMATCH),
		       nranks, odd, words);
	ok(totum_comm_free(comm));
	ok(totum_barrier(parent));
}

static void test(totum_comm *comm)
{
	int nranks = totum_comm_nranks(comm);

	for (size_t i = 0; i < sizeof mismatches / sizeof *mismatches; i++)
		for (int odd = 0; odd < nranks; odd++)
			one_mismatch(comm, &mismatches[i], odd);
	for (int odd = 0; odd < nranks; odd++) {
		other_order(comm, odd);
		other_algorithm(comm, odd);
	}
}
