/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record - counters equal the formulas, and the flight record tells the last calls.
 * ranks: 1 2 3 5
 */
#include "ranks/buffers.h"

static struct totum_counters stats_of(totum_comm *comm)
{
	struct totum_counters stats = {.size = sizeof stats};

	ok(totum_stats(comm, &stats));
	return stats;
}

static void expect_traffic(totum_comm *comm, struct totum_counters before, uint64_t sent,
			   uint64_t received)
{
	struct totum_counters after = stats_of(comm);

	if (after.calls != before.calls + 1 || after.sent_inside - before.sent_inside != sent ||
	    after.received_inside - before.received_inside != received)
		fail("%llu calls, %llu bytes sent and %llu received, not 1, %llu and %llu",
		     (unsigned long long)(after.calls - before.calls),
		     (unsigned long long)(after.sent_inside - before.sent_inside),
		     (unsigned long long)(after.received_inside - before.received_inside),
		     (unsigned long long)sent, (unsigned long long)received);
	if (after.sent_between || after.received_between)
		fail("bytes between hosts on one host");
}

static void counters(totum_comm *comm, const char *algorithm)
{
	size_t n = (size_t)totum_comm_nranks(comm), rank = (size_t)totum_comm_rank(comm),
	       count = 5040;
	int32_t *send = calloc(n * count, sizeof *send), *recv = calloc(n * count, sizeof *recv);
	uint64_t shard = count * sizeof *send;

	ok(totum_comm_configure(comm, algorithm));
	struct totum_counters before = stats_of(comm);
	ok(totum_allgather(send, recv, count, TOTUM_I32, comm));
	struct totum_counters after = stats_of(comm);
	if (after.received_inside - before.received_inside != (n - 1) * shard)
		fail("an all-gather receives %llu bytes",
		     (unsigned long long)(after.received_inside - before.received_inside));
	expect_traffic(comm, before, (n - 1) * shard, (n - 1) * shard);
	before = stats_of(comm);
	ok(totum_reduce_scatter(send, recv, count, TOTUM_I32, TOTUM_SUM, comm));
	expect_traffic(comm, before, (n - 1) * shard, (n - 1) * shard);
	before = stats_of(comm);
	ok(totum_gather(send, recv, count, TOTUM_I32, 0, comm));
	expect_traffic(comm, before, rank ? shard : 0, rank ? 0 : (n - 1) * shard);
	free(send);
	free(recv);
}

/* What all ranks send is what all receive: everybody's to everybody, or each part twice. */
static void expect_reduction(totum_comm *comm, struct totum_counters before, uint64_t bytes,
			     bool all)
{
	struct totum_counters after = stats_of(comm);
	uint64_t n = (uint64_t)totum_comm_nranks(comm), sums[2],
		 mine[2] = {after.sent_inside - before.sent_inside,
			    after.received_inside - before.received_inside};

	ok(totum_allreduce(mine, sums, 2, TOTUM_U64, TOTUM_SUM, comm));
	if (sums[0] != sums[1] ||
	    (all && sums[0] != n * (n - 1) * bytes && sums[0] != 2 * (n - 1) * bytes))
		fail("%s of %llu bytes: %llu bytes sent, %llu received",
		     all ? "all-reduce" : "reduce", (unsigned long long)bytes,
		     (unsigned long long)sums[0], (unsigned long long)sums[1]);
}

static void reductions(totum_comm *comm)
{
	const size_t counts[] = {0, 1, 7, 1000, 30000, 65536, 100001, 500000};
	enum { MOST = 500000 };
	int32_t *send = calloc(MOST, sizeof *send), *recv = calloc(MOST, sizeof *recv);

	ok(totum_comm_configure(comm, "algo=auto"));
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct totum_counters before = stats_of(comm);
		ok(totum_allreduce(send, recv, counts[i], TOTUM_I32, TOTUM_SUM, comm));
		expect_reduction(comm, before, counts[i] * sizeof *send, true);
		before = stats_of(comm);
		ok(totum_reduce(send, recv, counts[i], TOTUM_I32, TOTUM_SUM, 0, comm));
		expect_reduction(comm, before, counts[i] * sizeof *send, false);
	}
	free(send);
	free(recv);
}

static void flight(totum_comm *comm)
{
	char path[] = "/tmp/totum-test-XXXXXX", text[1 << 16];
	int fd = mkstemp(path);

	for (int i = 0; i < 100; i++)
		ok(totum_barrier(comm));
	ok(totum_flight_record(comm, path));
	ssize_t got = read(fd, text, sizeof text - 1);
	close(fd);
	unlink(path);
	text[got > 0 ? got : 0] = 0;
	int entries = 0;
	for (const char *at = text; (at = strstr(at, "\"record_id\"")); at++)
		entries++;
	if (entries != 64 || !strstr(text, "\"profiling_name\": \"totum:barrier\"") ||
	    strstr(text, "\"started\""))
		fail("%d entries in\n%s", entries, text);
	refused(totum_flight_record(comm, "/nonexistent/record"), TOTUM_ESYSTEM);
}

static void test(totum_comm *comm)
{
	if (step("direct"))
		counters(comm, "algo=auto");
	if (step("ring"))
		counters(comm, "algo=ring");
	if (step("reductions"))
		reductions(comm);
	if (step("flight"))
		flight(comm);
}
