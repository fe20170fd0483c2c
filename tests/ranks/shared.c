/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared - malloc under an allocator that shares it, and without one.  ranks: 1 2 3 5
 * shared: 1 2 3 5
 *
 * Where the ranks can map each other's allocations, large ones are read where they lie, which the
 * count of totum_memory_stats shows; where they cannot, the same calls give the same bytes.  A rank
 * whose call has failed may give its buffer back while another one is still reading it: that one
 * gets an error too, never a signal.
 */
#include "ranks/buffers.h"

#include <dlfcn.h>
#include <totum_share.h>

enum { LARGE = (1 << 20) + 4099, SMALL = 1000, ROUNDS = 10 };

/* From which size on malloc shares; without such an allocator, from none. */
static uint64_t shared_from(void)
{
	struct totum_share share = {.size = sizeof share};
	totum_share_function *function;
	void *symbol = dlsym(RTLD_DEFAULT, TOTUM_SHARE_FUNCTION);

	memcpy(&function, &symbol, sizeof function);
	return symbol && !function(&share) ? share.from : UINT64_MAX;
}

static struct totum_memory stats(totum_comm *comm)
{
	struct totum_memory memory = {.size = sizeof memory};

	ok(totum_memory_stats(comm, &memory));
	return memory;
}

/* How many buffers of peers an all-gather of so many bytes a rank has read where they lie. */
static uint64_t gather(totum_comm *comm, size_t bytes, size_t inside)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	unsigned char *send = malloc(inside + bytes), *recv = malloc((size_t)n * bytes);
	uint64_t before = stats(comm).read;

	for (size_t i = 0; i < bytes; i++)
		send[inside + i] =
			(unsigned char)mix(i ^ (uint64_t)rank << 32 ^ (uint64_t)inside << 40);
	ok(totum_allgather(send + inside, recv, bytes, TOTUM_U8, comm));
	memset(send, POISON, inside + bytes);
	free(send); /* at once: nobody reads it any more */
	for (int r = 0; r < n; r++)
		for (size_t i = 0; i < bytes; i++)
			if (recv[(size_t)r * bytes + i] !=
			    (unsigned char)mix(i ^ (uint64_t)r << 32 ^ (uint64_t)inside << 40))
				fail("byte %zu of rank %d is wrong", i, r);
	free(recv);
	return stats(comm).read - before;
}

static void counts(totum_comm *comm)
{
	uint64_t peers = (uint64_t)totum_comm_nranks(comm) - 1;
	bool shares = shared_from() <= LARGE;
	uint64_t direct = shares && !getenv("FORBIDDEN") ? peers : 0;
	void *volatile memory = malloc(LARGE); /* volatile: it must not be optimised away */
	uint64_t held = stats(comm).preloaded;

	if (shares ? held < LARGE : held >= LARGE)
		fail("%llu bytes are said to be shared", (unsigned long long)held);
	free(memory);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t large = gather(comm, LARGE, (size_t)round * 977),
			 small = gather(comm, SMALL, (size_t)round);
		if (large != direct || small)
			fail("round %d: %llu large and %llu small buffers were read where they "
			     "lie, not %llu and 0",
			     round, (unsigned long long)large, (unsigned long long)small,
			     (unsigned long long)direct);
	}
}

static void message(totum_comm *comm)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	unsigned char *memory = malloc(LARGE);

	for (int from = 0; from + 1 < n; from++) {
		memset(memory, rank == from ? from + 1 : POISON, LARGE);
		if (rank == from)
			ok(totum_send(memory, LARGE, TOTUM_U8, from + 1, 7, comm));
		if (rank == from + 1)
			ok(totum_recv(memory, LARGE, TOTUM_U8, from, 7, comm, NULL));
		for (size_t i = 0; rank == from + 1 && i < LARGE; i++)
			if (memory[i] != from + 1)
				fail("byte %zu of rank %d's message is wrong", i, from);
		ok(totum_barrier(comm));
	}
	free(memory);
}

/* One rank makes another call; all give their buffers back to the system in the moment in which
 * they hear of it. */
static void hasty(totum_comm *parent, int odd)
{
	int n = totum_comm_nranks(parent), rank = totum_comm_rank(parent);
	size_t bytes = (size_t)LARGE * 4;
	unsigned char *send = malloc(bytes), *recv = malloc((size_t)n * bytes);
	totum_comm *comm;

	ok(totum_comm_dup(parent, &comm));
	memset(send, rank, bytes);
	ok(totum_barrier(parent));
	if (rank == odd)
		refused(totum_barrier(comm), TOTUM_EMISMATCH);
	else
		refused(totum_allgather(send, recv, bytes, TOTUM_U8, comm), TOTUM_EMISMATCH);
	free(send);
	give_memory_back();
	free(recv);
	ok(totum_comm_free(comm));
	ok(totum_barrier(parent));
}

static void test(totum_comm *comm)
{
	if (step("counts"))
		counts(comm);
	if (step("message"))
		message(comm);
	for (int i = 0; totum_comm_nranks(comm) > 1 && i < ROUNDS; i++)
		if (step("hasty %d", i))
			hasty(comm, i % totum_comm_nranks(comm));
}
