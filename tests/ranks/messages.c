/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * messages - sends and receives of any size and order: matching, order, anyone, oneself, refusals.
 * ranks: 1 2 3 5
 * shared: 3
 */
#include "ranks/buffers.h"

enum { MANY = 40, LARGEST = 300000 };

static unsigned char byte_of(int from, int tag, size_t i)
{
	return (unsigned char)mix((uint64_t)from << 40 ^ (uint64_t)tag << 20 ^ i);
}

static void fill_bytes(unsigned char *bytes, size_t count, int from, int tag)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = byte_of(from, tag, i);
}

static void expect_bytes(const unsigned char *bytes, size_t count, int from, int tag)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i] != byte_of(from, tag, i))
			fail("byte %zu of %zu from rank %d with tag %d is wrong", i, count, from,
			     tag);
}

/* The length of the message with this tag: known to both sides. */
static size_t length_of(int from, int to, int tag)
{
	uint64_t random = mix((uint64_t)from << 32 ^ (uint64_t)to << 16 ^ (uint64_t)tag);

	return below(&random, 4) ? below(&random, 200) : below(&random, LARGEST);
}

/* Everybody sends MANY messages to everybody and receives them in another order. */
static void storm(totum_comm *comm, uint64_t *own)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm), requests = 0;
	totum_request **pending = calloc((size_t)(2 * n * MANY), sizeof(totum_request *));
	unsigned char **buffers = calloc((size_t)(2 * n * MANY), sizeof *buffers);

	for (int tag = 0; tag < MANY; tag++)
		for (int peer = 0; peer < n; peer++) {
			size_t count = length_of(rank, peer, tag);
			buffers[requests] = malloc(count + 1);
			fill_bytes(buffers[requests], count, rank, tag);
			ok(totum_isend(buffers[requests], count, TOTUM_U8, peer, tag, comm,
				       &pending[requests]));
			requests++;
			if (below(own, 50) == 0)
				nap_us((long)below(own, 500));
		}
	int sends = requests;
	for (int i = 0; i < MANY; i++)
		for (int peer = 0; peer < n; peer++) {
			int tag = (i * 7 + 3) % MANY; /* another order than that of the sends */
			size_t count = length_of(peer, rank, tag);
			buffers[requests] = malloc(count + 1);
			ok(totum_irecv(buffers[requests], count, TOTUM_U8, peer, tag, comm, NULL,
				       &pending[requests]));
			requests++;
		}
	for (int i = requests - 1; i >= 0; i--)
		ok(totum_wait(pending[i]));
	for (int i = 0; i < MANY * n; i++) {
		int tag = (i / n * 7 + 3) % MANY, peer = i % n;
		expect_bytes(buffers[sends + i], length_of(peer, rank, tag), peer, tag);
	}
	for (int i = 0; i < requests; i++)
		free(buffers[i]);
	free(buffers);
	free(pending);
}

/* Messages of one tag keep their order; a receive from anyone says whom it got. */
static void anyone(totum_comm *comm)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm), last[16] = {0};

	for (int i = 1; i <= MANY && rank; i++)
		ok(totum_send(&i, 1, TOTUM_I32, 0, rank, comm));
	for (int i = 0; i < MANY * (n - 1) && !rank; i++) {
		totum_message message = {0};
		int value = 0;
		ok(totum_recv(&value, 1, TOTUM_I32, TOTUM_ANY, TOTUM_ANY, comm, &message));
		if (message.tag != message.peer || message.count != 1 ||
		    value != ++last[message.peer])
			fail("from %d with tag %d: %d after %d", message.peer, message.tag, value,
			     last[message.peer] - 1);
	}
	ok(totum_barrier(comm)); /* the next messages are not for anyone */
}

/* Messages and collectives under way together. */
static void together(totum_comm *comm)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm), right = (rank + 1) % n,
	    left = (rank + n - 1) % n;
	unsigned char *out = malloc(LARGEST), *in = malloc(LARGEST),
		      *all = malloc((size_t)n * LARGEST);
	totum_request *gather, *send;

	fill_bytes(out, LARGEST, rank, 1);
	ok(totum_iallgather(out, all, LARGEST, TOTUM_U8, comm, &gather));
	ok(totum_isend(out, LARGEST, TOTUM_U8, right, 9, comm, &send));
	ok(totum_recv(in, LARGEST, TOTUM_U8, left, 9, comm, NULL));
	expect_bytes(in, LARGEST, left, 1);
	ok(totum_wait(gather));
	ok(totum_wait(send));
	for (int r = 0; r < n; r++)
		expect_bytes(all + (size_t)r * LARGEST, LARGEST, r, 1);
	free(out);
	free(in);
	free(all);
}

static void refusals(totum_comm *comm)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm), right = (rank + 1) % n,
	    left = (rank + n - 1) % n;
	int out[4] = {1, 2, 3, 4}, in[4] = {0};
	totum_request *send[3];

	refused(totum_send(out, 1, TOTUM_I32, n, 0, comm), TOTUM_EINVAL);
	refused(totum_send(out, 1, TOTUM_I32, 0, -1, comm), TOTUM_EINVAL);
	refused(totum_send(NULL, 1, TOTUM_I32, 0, 0, comm), TOTUM_EINVAL);
	refused(totum_recv(in, 1, TOTUM_I32, -2, 0, comm, NULL), TOTUM_EINVAL);
	ok(totum_isend(out, 4, TOTUM_I32, right, 5, comm, &send[0]));
	ok(totum_isend(out, 4, TOTUM_I32, right, 6, comm, &send[1]));
	ok(totum_isend(out, 4, TOTUM_I32, right, 7, comm, &send[2]));
	refused(totum_recv(in, 3, TOTUM_I32, left, 5, comm, NULL), TOTUM_EMISMATCH);
	refused(totum_recv(in, 4, TOTUM_F32, left, 6, comm, NULL), TOTUM_EMISMATCH);
	if (in[0] || in[3])
		fail("a refused message was written");
	ok(totum_recv(in, 4, TOTUM_I32, left, 7, comm, NULL)); /* the channel is as it was */
	for (int i = 0; i < 3; i++)
		ok(totum_wait(send[i]));
	if (in[0] != 1 || in[3] != 4)
		fail("%d .. %d arrived", in[0], in[3]);
}

static void test(totum_comm *comm)
{
	uint64_t own = mix(seed() + (uint64_t)totum_comm_rank(comm));

	for (int i = 0; i < 3; i++)
		if (step("storm %d", i))
			storm(comm, &own);
	if (step("anyone"))
		anyone(comm);
	if (step("together"))
		together(comm);
	if (step("refusals"))
		refusals(comm);
	ok(totum_barrier(comm));
}
