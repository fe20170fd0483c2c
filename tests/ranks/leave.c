/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leave - ranks that finish early, come late, never come, or abort.  ranks: 2 3 5 40
 *
 * A rank that has left finishes what it owes; a call that it can no longer join fails with
 * TOTUM_ELOST; ranks that do not come in time are all named, and no other; an abort reaches those
 * who already wait.
 */
#include "ranks/buffers.h"

enum { BYTES = 3000000 };
static const uint64_t ODD = 0xAAAAAAAAAAAAAAAA; /* ranks 1, 3, .. as bits */

/* Rank 0 broadcasts, frees and is gone while the others have not even called: they get the data. */
static void leave_after_broadcast(totum_comm *parent)
{
	struct buffer send = buffer_new(BYTES, 0), recv = buffer_new(BYTES, 0);
	int rank = totum_comm_rank(parent);
	totum_comm *comm;

	step("leave:n=%d:after broadcast", totum_comm_nranks(parent));
	ok(totum_comm_dup(parent, &comm));
	if (rank == 0)
		fill(send.data, BYTES, 0, 5);
	else
		nap_us(100000);
	ok(totum_broadcast(send.data, recv.data, BYTES, TOTUM_U8, 0, comm));
	memset(send.data, 0xFF, BYTES);
	ok(totum_comm_free(comm));
	check(recv.data, BYTES, 0, 5, "recv");
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
	ok(totum_barrier(parent));
}

static void call_after_leave(totum_comm *parent)
{
	totum_comm *comm;

	step("leave:n=%d:then called", totum_comm_nranks(parent));
	ok(totum_comm_dup(parent, &comm));
	ok(totum_barrier(comm));
	if (totum_comm_rank(parent) == 0) {
		ok(totum_comm_free(comm));
	} else {
		const char *sentence = refused(totum_barrier(comm), TOTUM_ELOST);

		if (!says_rank(sentence, 0))
			fail("does not name rank 0: %s", sentence);
		refused(totum_barrier(comm), TOTUM_ELOST);
		ok(totum_comm_free(comm));
	}
	ok(totum_barrier(parent));
}

/*
 * The ranks that a timeout lists, "for rank 1 (in call 4, ..), 3 (..) and 9 more", as bits; and how
 * many it only counts.
 */
static uint64_t listed(const char *sentence, int *more)
{
	const char *at = strstr(sentence, "for rank ");
	uint64_t ranks = 0;

	*more = 0;

	for (at = at ? at + strlen("for rank ") : ""; *at >= '0' && *at <= '9';) {
		char *end;

		ranks |= UINT64_C(1) << strtoul(at, &end, 10);
		at = strncmp(end, " (", 2) == 0 && strchr(end, ')') ? strchr(end, ')') + 1 : end;
		sscanf(at, " and %d more", more);
		at += strncmp(at, ", ", 2) == 0 ? 2 : 0;
	}
	return ranks;
}

/*
 * Some ranks do not come; the others must name them, each of them, and nobody else: also the one
 * whose time is over first, which may wait for one that waits for an absent one.
 */
static void absent(totum_comm *parent, const char *algorithm, uint64_t away, int first)
{
	int rank = totum_comm_rank(parent), nranks = totum_comm_nranks(parent);
	const char *timeout = nranks > 8 ? "1s" : rank == first ? "800ms" : "850ms";
	char settings[96], got[HARNESS_RANKS];
	totum_comm *comm;
	int more;

	away &= (UINT64_C(1) << nranks) - 1;
	step("leave:n=%d:absent:algo=%s,away=%llx", nranks, algorithm, (unsigned long long)away);
	snprintf(settings, sizeof settings, "algo=%s:timeout=%s", algorithm, timeout);
	ok(totum_comm_dup(parent, &comm));
	ok(totum_comm_configure(comm, settings));
	ok(totum_allgather(&(char){1}, got, 1, TOTUM_U8, comm));
	ok(totum_barrier(parent)); /* nobody is late by himself */
	if (!(away >> rank & 1)) {
		const char *sentence = refused(totum_allgather(&(char){1}, got, 1, TOTUM_U8, comm),
					       TOTUM_ETIMEOUT);

		uint64_t names = listed(sentence, &more);

		if (!names || names & ~away ||
		    __builtin_popcountll(names) + more != __builtin_popcountll(away))
			fail("ranks %llx are absent, not: %s", (unsigned long long)away, sentence);
	}
	ok(totum_barrier(parent));
	ok(totum_comm_free(comm));
}

static void aborted(totum_comm *parent)
{
	totum_comm *comm;

	step("leave:n=%d:abort", totum_comm_nranks(parent));
	ok(totum_comm_dup(parent, &comm));
	ok(totum_barrier(comm));
	ok(totum_barrier(parent));
	if (totum_comm_rank(parent) == 0) {
		nap_us(50000);
		ok(totum_comm_abort(comm));
	}
	refused(totum_barrier(comm), TOTUM_EABORTED);
	refused(totum_allgather(NULL, NULL, 0, TOTUM_U8, comm), TOTUM_EABORTED);
	ok(totum_comm_free(comm));
	ok(totum_barrier(parent));
}

static void test(totum_comm *comm)
{
	leave_after_broadcast(comm);
	call_after_leave(comm);
	int last = totum_comm_nranks(comm) - 1;

	absent(comm, "auto", ODD, 0);
	absent(comm, "ring", ODD, 0);
	absent(comm, "auto", 1, last);
	absent(comm, "ring", 1, last);
	aborted(comm);
}
