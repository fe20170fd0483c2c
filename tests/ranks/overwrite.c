/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overwrite - the send buffer belongs to the caller again the moment the call returns.
 *
 * ranks: 3 5 6 7
 * shared: 2 3
 *
 * Every rank spoils its buffer at once after the call while one rank, late on purpose, still reads;
 * sizes go over every switch between ways to move data.  Then very many tiny gathers back to back,
 * each with another value, so that a slot used again too early shows.
 */
#include "ranks/problem.h"

static const size_t sizes[] = {1, 8, 60, 1000, 4096, 20000, 65536, 300001, 1048576, 3000000};

enum { ROUNDS = 4, OPERATIONS = 4, TINY = 10000 };

static void late(int rank, int late_rank)
{
	if (rank == late_rank)
		nap_us(5000);
}

/* One call out of place into recv; the send buffer is spoilt before recv is looked at. */
static totum_status spoiled_call(totum_comm *comm, int operation, unsigned char *send, size_t bytes,
				 unsigned char *recv)
{
	size_t shard = bytes / (size_t)totum_comm_nranks(comm);
	totum_status status;

	if (operation == 0)
		status = totum_allgather(send, recv, bytes, TOTUM_U8, comm);
	else if (operation == 1)
		status = totum_broadcast(send, recv, bytes, TOTUM_U8, 0, comm);
	else if (operation == 2)
		status = totum_reduce_scatter(send, recv, shard, TOTUM_U8, TOTUM_BXOR, comm);
	else
		status = totum_allreduce(send, recv, bytes, TOTUM_U8, TOTUM_BXOR, comm);
	memset(send, 0xFF, bytes);
	return status;
}

/* Exclusive or of every rank's bytes [first, first + bytes): what the two reductions must give. */
static void check_xor(const unsigned char *got, size_t first, size_t bytes, int nranks,
		      size_t whole, uint64_t salt)
{
	unsigned char *sum = calloc(2, whole + 1), *one = sum + whole;

	if (!sum)
		fail("no memory for %zu bytes", 2 * whole);
	for (int r = 0; r < nranks; r++) {
		fill(one, whole, r, salt);
		for (size_t i = 0; i < whole; i++)
			sum[i] ^= one[i];
	}
	for (size_t i = 0; i < bytes; i++)
		if (got[i] != sum[first + i])
			fail("byte %zu of %zu is 0x%02X instead of 0x%02X", i, bytes, got[i],
			     sum[first + i]);
	free(sum);
}

static void check_outcome(totum_comm *comm, int operation, const unsigned char *recv, size_t bytes,
			  uint64_t salt)
{
	int nranks = totum_comm_nranks(comm);
	size_t shard = bytes / (size_t)nranks;

	if (operation == 0)
		for (int r = 0; r < nranks; r++)
			check(recv + bytes * (size_t)r, bytes, r, salt, "recv");
	else if (operation == 1)
		check(recv, bytes, 0, salt, "recv");
	else if (operation == 2)
		check_xor(recv, shard * (size_t)totum_comm_rank(comm), shard, nranks, bytes, salt);
	else
		check_xor(recv, 0, bytes, nranks, bytes, salt);
}

static void one_size(totum_comm *comm, const char *algorithm, int operation, size_t bytes)
{
	int rank = totum_comm_rank(comm), nranks = totum_comm_nranks(comm);
	struct buffer send = buffer_new(bytes, 0), recv = buffer_new(bytes * (size_t)nranks, 3);

	for (int i = 0; i < ROUNDS; i++) {
		if (!step("overwrite:n=%d:algo=%s:operation=%d:bytes=%zu:round=%d", nranks,
			  algorithm, operation, bytes, i))
			continue;
		uint64_t salt = hash_text(self->step);

		fill(send.data, bytes, rank, salt);
		late(rank, i % nranks);
		totum_status status = spoiled_call(comm, operation, send.data, bytes, recv.data);

		if (status == TOTUM_EUNSUPPORTED && strcmp(algorithm, "auto") != 0)
			break;
		ok(status);
		check_outcome(comm, operation, recv.data, bytes, salt);
	}
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
}

/* Tiny gathers with different values; a rank naps now and then around its call. */
static void tiny(totum_comm *comm, const char *algorithm, int calls)
{
	int rank = totum_comm_rank(comm), nranks = totum_comm_nranks(comm);
	uint64_t got[HARNESS_RANKS], naps = seed() + (uint64_t)rank;

	if (!step("overwrite:n=%d:algo=%s:tiny", nranks, algorithm))
		return;
	for (int i = 0; i < calls; i++) {
		uint64_t own = mix((uint64_t)i) ^ (uint64_t)rank;

		if (below(&naps, 400) == 0)
			nap_us((long)below(&naps, 300));
		totum_status status = totum_allgather(&own, got, 1, TOTUM_U64, comm);

		own = ~own;
		if (status == TOTUM_EUNSUPPORTED && strcmp(algorithm, "auto") != 0)
			return;
		ok(status);
		if (below(&naps, 400) == 0)
			nap_us((long)below(&naps, 300));
		for (int r = 0; r < nranks; r++)
			if (got[r] != (mix((uint64_t)i) ^ (uint64_t)r))
				fail("call %d: the value of rank %d is wrong", i, r);
	}
}

static void one_algorithm(totum_comm *comm, const char *name)
{
	bool direct = strcmp(name, "auto") == 0;
	size_t every = direct         ? 1
		       : SLOWNESS > 1 ? 7
				      : 3; /* they share one executor: each takes some sizes */

	configure_algorithm(comm, name);
	for (int operation = 0; operation < (direct ? OPERATIONS : 1); operation++)
		for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
			if (k % every == hash_text(name) % every &&
			    sizes[k] < (SLOWNESS > 1 ? 1u << 20 : SIZE_MAX))
				one_size(comm, name, operation, sizes[k]);
	tiny(comm, name, direct ? TINY : TINY / 10);
}

static void test(totum_comm *comm)
{
	char name[ALGORITHM_TEXT];

	for (int i = 0; algorithm_name("allgather", totum_comm_nranks(comm), i, name); i++)
		if (algorithm_is_plain(name))
			one_algorithm(comm, name);
	configure_algorithm(comm, "auto");
}
