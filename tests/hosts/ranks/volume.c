/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * volume - bytes that enter each host, by the ranks' counters.
 *
 * With EXACT=1 an all-gather must bring into a host what the ranks of the others have, once: S
 * minus the host's own shards, (m-1)/m S where m hosts have as many bytes each, for equal and for
 * uneven shards, over sizes, also where one host has nothing.  Without, as for the other
 * collectives, it may not bring less, and what all have sent, all have received.
 *
 * A host is known by its name.
 */
#include <totum.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 64, NAME = 64, MOST = 1 << 20 };

struct seat {
	char host[NAME];
	uint64_t sent, received; /* between hosts, in the call that is looked at */
};

static totum_comm *comm;
static int rank, nranks, wrong;
static struct seat seats[RANKS];
static size_t counts[RANKS];
static unsigned char *send_buffer, *recv_buffer;

static void ok(totum_status status)
{
	if (!status)
		return;
	fprintf(stderr, "volume: rank %d: %s: %s\n", rank, totum_strerror(status), totum_errmsg());
	exit(1);
}

static struct totum_counters counters(void)
{
	struct totum_counters now = {.size = sizeof now};

	ok(totum_stats(comm, &now));
	return now;
}

/* Tells everybody what the call has cost this rank. */
static void count(struct totum_counters before)
{
	struct totum_counters after = counters();
	struct seat mine = {.sent = after.sent_between - before.sent_between,
			    .received = after.received_between - before.received_between};

	gethostname(mine.host, NAME - 1);
	ok(totum_allgather(&mine, seats, sizeof mine, TOTUM_U8, comm));
}

/* Of the ranks on the host of one rank: bytes that came in, and their shards. */
static void host_sums(int of, uint64_t *entered, uint64_t *shards)
{
	*entered = *shards = 0;
	for (int r = 0; r < nranks; r++) {
		if (strcmp(seats[r].host, seats[of].host) != 0)
			continue;
		*entered += seats[r].received;
		*shards += counts[r];
	}
}

static uint64_t total(void)
{
	uint64_t sum = 0;

	for (int r = 0; r < nranks; r++)
		sum += counts[r];
	return sum;
}

/*
 * Rank 0 looks at every host, at its first rank.  Whatever is gathered has to come in; of sums and
 * of a root's own bytes fewer may.
 */
static void judge(const char *what, bool gathers)
{
	bool exact = gathers && getenv("EXACT");
	uint64_t sent = 0, received = 0;

	for (int r = 0; r < nranks; r++) {
		uint64_t entered, shards;
		int first = 0;

		sent += seats[r].sent;
		received += seats[r].received;
		while (strcmp(seats[first].host, seats[r].host) != 0)
			first++;
		if (rank || first != r)
			continue;
		host_sums(r, &entered, &shards);
		uint64_t least = gathers ? total() - shards : 0;
		bool right = exact ? entered == total() - shards : entered >= least;

		printf("%-16s S %8llu  %s: own %8llu, entered %8llu%s\n", what,
		       (unsigned long long)total(), seats[r].host, (unsigned long long)shards,
		       (unsigned long long)entered, right ? "" : "  WRONG");
		wrong += !right;
	}
	if (sent == received)
		return;
	printf("%s: %llu bytes were sent between hosts and %llu received\n", what,
	       (unsigned long long)sent, (unsigned long long)received);
	wrong++;
}

static void gather(const char *what)
{
	struct totum_counters before = counters();

	ok(totum_allgatherv(send_buffer, counts[rank], recv_buffer, counts, NULL, TOTUM_U8, comm));
	count(before);
	judge(what, true);
}

static void equal(size_t each)
{
	for (int r = 0; r < nranks; r++)
		counts[r] = each;
	struct totum_counters before = counters();

	ok(totum_allgather(send_buffer, recv_buffer, each, TOTUM_U8, comm));
	count(before);
	judge("allgather", true);
	before = counters();
	ok(totum_reduce_scatter(send_buffer, recv_buffer, each, TOTUM_U8, TOTUM_SUM, comm));
	count(before);
	judge("reduce_scatter", false);
	before = counters();
	ok(totum_allreduce(send_buffer, recv_buffer, each * (size_t)nranks, TOTUM_U8, TOTUM_SUM,
			   comm));
	count(before);
	judge("allreduce", false);
	before = counters();
	ok(totum_broadcast(send_buffer, recv_buffer, each * (size_t)nranks, TOTUM_U8, 0, comm));
	count(before);
	judge("broadcast", false);
}

static void uneven(size_t unit)
{
	for (int r = 0; r < nranks; r++)
		counts[r] = unit * (size_t)((r * 7 + 3) % 5) + (size_t)r;
	gather("allgatherv");
	for (int r = 0; r < nranks; r++)
		counts[r] = strcmp(seats[r].host, seats[0].host) == 0 ? 0 : unit;
	gather("allgatherv, holes");
}

int main(void)
{
	static const size_t sizes[] = {1, 1000, 65536, 300001};

	ok(totum_init(&comm));
	rank = totum_comm_rank(comm);
	nranks = totum_comm_nranks(comm);
	send_buffer = calloc(RANKS, MOST);
	recv_buffer = calloc(RANKS, MOST);
	if (!send_buffer || !recv_buffer || nranks > RANKS)
		return 2;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		equal(sizes[i]);
		uneven(sizes[i]);
	}
	free(send_buffer);
	free(recv_buffer);
	ok(totum_comm_free(comm));
	return wrong ? 1 : 0;
}
