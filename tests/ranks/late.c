/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * late - what is said of a message that does not come, and of a rank that is stopped.  ranks: 2 3
 *
 * The sentence of a message has its peer and its tag, and nothing of the last collective; a message
 * that is only tested has no deadline, but is lost with its peer; a rank that is stopped is called
 * so in the list of those who are absent.
 */
#include "ranks/buffers.h"

#include <errno.h>
#include <signal.h>

enum { LARGE = 8 << 20 };

/* The sentence has all of these words, and says nothing of collectives. */
static void expect(const char *sentence, const char *one, const char *two, const char *three)
{
	if (!strstr(sentence, one) || !strstr(sentence, two) || !strstr(sentence, three))
		fail("not \"%s\", \"%s\" and \"%s\" in: %s", one, two, three, sentence);
	if (strstr(sentence, "allgather") || strstr(sentence, "barrier"))
		fail("a collective in the sentence of a message: %s", sentence);
}

static totum_comm *impatient(totum_comm *parent)
{
	int all[HARNESS_RANKS], mine = 1;
	totum_comm *comm;

	ok(totum_comm_dup(parent, &comm));
	ok(totum_allgather(&mine, all, 1, TOTUM_I32, comm));
	ok(totum_comm_configure(comm, "timeout=300ms"));
	ok(totum_barrier(parent));
	return comm;
}

static totum_status test_until_done(totum_request *request)
{
	totum_status status = TOTUM_OK;

	for (int done = 0; !done && !status;)
		status = totum_test(request, &done);
	return status;
}

enum way { BLOCKING, WAITED, TESTED, WAYS };
static const char *const ways[] = {"blocking", "waited for", "tested"};

static totum_status receive(int *to, int peer, int tag, totum_comm *comm, enum way way)
{
	totum_request *request;

	if (way == BLOCKING)
		return totum_recv(to, 4, TOTUM_I32, peer, tag, comm, NULL);
	ok(totum_irecv(to, 4, TOTUM_I32, peer, tag, comm, NULL, &request));
	return way == WAITED ? totum_wait(request) : test_until_done(request);
}

static void receives(totum_comm *parent, int peer, int tag, enum way way)
{
	totum_comm *comm = impatient(parent);
	char from[48], with[48], call[64];
	int values[4];

	snprintf(from, sizeof from, peer < 0 ? "from any rank" : "from rank %d (in call 1", peer);
	snprintf(with, sizeof with, tag < 0 ? "with any tag" : "with tag %d", tag);
	snprintf(call, sizeof call, "recv(4 x i32, from %s, ", peer < 0 ? "any rank" : "rank 1");
	if (totum_comm_rank(comm) == 0)
		expect(refused(receive(values, peer, tag, comm, way), TOTUM_ETIMEOUT), from, with,
		       call);
	ok(totum_barrier(parent));
	ok(totum_comm_free(comm));
}

/* A test is no wait: the message may come after any time. */
static void tests(totum_comm *parent)
{
	totum_comm *comm = impatient(parent);
	totum_request *request;
	int values[4] = {0}, done = 0;

	if (totum_comm_rank(comm) == 0) {
		ok(totum_irecv(values, 4, TOTUM_I32, 1, 7, comm, NULL, &request));
		for (int i = 0; i < 5; i++) {
			ok(totum_test(request, &done));
			nap_us(100000);
		}
	}
	ok(totum_barrier(parent));
	if (totum_comm_rank(comm) == 0)
		ok(totum_wait(request));
	if (totum_comm_rank(comm) == 1)
		ok(totum_send(values, 4, TOTUM_I32, 0, 7, comm));
	ok(totum_barrier(parent));
	ok(totum_comm_free(comm));
}

/* Too large for the channel, so that the peer must take it, staged or not. */
static void sends(totum_comm *parent)
{
	totum_comm *comm = impatient(parent);
	unsigned char *large = calloc(1, LARGE);

	if (totum_comm_rank(comm) == 0)
		expect(refused(totum_send(large, LARGE, TOTUM_U8, 1, 7, comm), TOTUM_ETIMEOUT),
		       "message of 8388608 bytes with tag 7 to be received by rank 1 (in call 1",
		       "raise TOTUM_TIMEOUT", "[rank 0 of");
	ok(totum_barrier(parent));
	ok(totum_comm_free(comm));
	free(large);
}

/* Whoever has left cannot send any more, also to whom only tests. */
static void lost(totum_comm *parent, enum way way)
{
	totum_comm *comm = impatient(parent);
	int values[4];

	ok(totum_comm_configure(comm, "timeout=100s"));
	if (totum_comm_rank(comm) == 1)
		ok(totum_comm_free(comm));
	ok(totum_barrier(parent));
	if (totum_comm_rank(parent) == 0)
		expect(refused(receive(values, 1, 9, comm, way), TOTUM_ELOST), "rank 1 (process ",
		       "has freed", "recv(4 x i32, from rank 1, tag 9)");
	ok(totum_barrier(parent));
	if (totum_comm_rank(parent) != 1)
		ok(totum_comm_free(comm));
}

/* The last rank stops itself; the others name it, and rank 0 lets it go on. */
static void stopped(totum_comm *parent, bool message)
{
	int rank = totum_comm_rank(parent), last = totum_comm_nranks(parent) - 1, pid = getpid();
	int pids[HARNESS_RANKS], values[4];
	char what[64];
	totum_comm *comm = impatient(parent);

	ok(totum_allgather(&pid, pids, 1, TOTUM_I32, parent));
	if (last && pids[0] == pids[last])
		return; /* threads are stopped together */
	snprintf(what, sizeof what, "%d (in call 1, process %d is stopped", last, pids[last]);
	if (rank == last) {
		raise(SIGSTOP);
	} else if (rank == 0) {
		const char *sentence =
			message ? refused(receive(values, last, 3, comm, BLOCKING), TOTUM_ETIMEOUT)
				: refused(totum_barrier(comm), TOTUM_ETIMEOUT);
		if (!strstr(sentence, what))
			fail("not \"%s\" in: %s", what, sentence);
		if (kill(pids[last], SIGCONT))
			fail("cannot continue process %d: %s", pids[last], strerror(errno));
	}
	ok(totum_barrier(parent));
	ok(totum_comm_free(comm));
}

static void test(totum_comm *comm)
{
	for (enum way way = BLOCKING; way < WAYS; way++) {
		if (way != TESTED && step("receives, %s", ways[way]))
			receives(comm, 1, 7, way);
		if (way != TESTED && step("receives from anyone, %s", ways[way]))
			receives(comm, TOTUM_ANY, TOTUM_ANY, way);
		if (step("lost, %s", ways[way]))
			lost(comm, way);
	}
	if (step("tests"))
		tests(comm);
	if (step("sends"))
		sends(comm);
	if (step("stopped, call"))
		stopped(comm, false);
	if (step("stopped, message"))
		stopped(comm, true);
}
