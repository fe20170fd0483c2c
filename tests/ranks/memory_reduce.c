/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory_reduce - reductions out of shared and private memory.  ranks: 1 2 3 4 7
 *
 * Whether a rank's vector is shared, and whether it is in place, is its own affair, so every
 * mixture must work.  A vector is overwritten the moment a call returns, while a peer is held up:
 * nobody may still read it.
 */
#include "ranks/buffers.h"

enum { ROUNDS = 40 };

static uint32_t value_of(uint32_t salt, int rank, size_t i)
{
	return (uint32_t)mix((uint64_t)salt << 32 ^ (uint64_t)rank << 24 ^ i);
}

/* Zeros and more behind them, from the heap or from malloc, as the rank likes. */
static uint32_t *vector_new(totum_comm *comm, bool shared, size_t count)
{
	size_t bytes = (count + 1) * sizeof(uint32_t);
	void *memory = NULL;

	if (shared)
		ok(totum_alloc(comm, bytes, &memory));
	else if (!(memory = malloc(bytes)))
		fail("no memory for %zu bytes", bytes);
	return memory;
}

static void vector_free(totum_comm *comm, bool shared, void *memory)
{
	if (shared)
		ok(totum_free(comm, memory));
	else
		free(memory);
}

static void fill_vector(uint32_t *vector, size_t count, uint32_t salt, int rank)
{
	for (size_t i = 0; i < count; i++)
		vector[i] = value_of(salt, rank, i);
}

/* The sum over all ranks of elements [first, first + count) of their vectors. */
static void expect_sums(const uint32_t *got, size_t first, size_t count, int nranks, uint32_t salt)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t sum = 0;

		for (int rank = 0; rank < nranks; rank++)
			sum += value_of(salt, rank, first + i);
		if (got[i] != sum)
			fail("element %zu of %zu is %u instead of %u", i, count, got[i], sum);
	}
}

static void late_sometimes(uint64_t *own)
{
	if (below(own, 3) == 0)
		nap_us((long)below(own, 3000));
}

/* All get the result, or the root alone. */
static void reduce_once(totum_comm *comm, uint64_t *random, uint64_t *own, uint32_t salt)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	int root = (int)below(random, 2 * (uint64_t)n); /* n and more: all */
	size_t count = below(random, 4) ? below(random, 200000) : below(random, 5000);
	bool shared = below(own, 3) > 0, shared_out = below(own, 2), in_place = below(own, 3) == 0;
	uint32_t *send = vector_new(comm, shared, count),
		 *recv = in_place ? send : vector_new(comm, shared_out, count);

	fill_vector(send, count, salt, rank);
	send[count] = 77; /* a guard */
	late_sometimes(own);
	if (root >= n)
		ok(totum_allreduce(send, recv, count, TOTUM_U32, TOTUM_SUM, comm));
	else
		ok(totum_reduce(send, recv, count, TOTUM_U32, TOTUM_SUM, root, comm));
	if (send[count] != 77)
		fail("the guard behind the vector is %u", send[count]);
	if (!in_place)
		memset(send, 0xff, count * sizeof *send);
	if (root >= n || root == rank)
		expect_sums(recv, 0, count, n, salt);
	memset(recv, 0xee, count * sizeof *recv);
	if (!in_place)
		vector_free(comm, shared_out, recv);
	vector_free(comm, shared, send);
}

static void scatter_once(totum_comm *comm, uint64_t *random, uint64_t *own, uint32_t salt)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	bool equal = below(random, 2), shared = below(own, 3) > 0, shared_out = below(own, 2),
	     in_place = below(own, 3) == 0;
	size_t counts[16], all = below(random, 60000), total = 0, first = 0;

	for (int r = 0; r < n; r++) {
		counts[r] = equal ? all : below(random, 3) ? below(random, 60000) : 0;
		first += r < rank ? counts[r] : 0;
		total += counts[r];
	}
	uint32_t *send = vector_new(comm, shared, total),
		 *recv = in_place ? send + first : vector_new(comm, shared_out, counts[rank]);

	fill_vector(send, total, salt, rank);
	late_sometimes(own);
	if (equal)
		ok(totum_reduce_scatter(send, recv, all, TOTUM_U32, TOTUM_SUM, comm));
	else
		ok(totum_reduce_scatterv(send, recv, counts, TOTUM_U32, TOTUM_SUM, comm));
	for (size_t i = 0; i < total; i++) /* what lies before and behind the own block */
		send[i] = &send[i] < recv || &send[i] >= recv + counts[rank] ? UINT32_MAX : send[i];
	expect_sums(recv, first, counts[rank], n, salt);
	memset(recv, 0xee, counts[rank] * sizeof *recv);
	if (!in_place)
		vector_free(comm, shared_out, recv);
	vector_free(comm, shared, send);
}

static void test(totum_comm *comm)
{
	uint64_t random = seed(), own = mix(seed() + (uint64_t)totum_comm_rank(comm));

	for (int i = 0; i < ROUNDS; i++) {
		if (step("reduce %d", i))
			reduce_once(comm, &random, &own, (uint32_t)i);
		if (step("scatter %d", i))
			scatter_once(comm, &random, &own, (uint32_t)i + 1000);
	}
}
