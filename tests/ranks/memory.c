/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory - large messages out of shared and private memory, and windows.  ranks: 1 2 3 5
 * shared: 2 3
 *
 * Whether a rank's buffer is shared is its own affair, so every mixture must work.  The send buffer
 * is overwritten the moment a call returns, while a peer is held up: nobody may still read it.
 */
#include "ranks/buffers.h"

#include <sys/mman.h>

enum { ROUNDS = 24 };

static unsigned char byte_of(uint32_t salt, int rank, size_t i)
{
	return (unsigned char)mix((uint64_t)salt << 32 ^ (uint64_t)rank << 24 ^ i);
}

/* A buffer from the heap or from malloc, as the rank likes. */
static unsigned char *memory_new(totum_comm *comm, bool shared, size_t bytes)
{
	void *memory = NULL;

	if (!shared)
		return malloc(bytes + 1);
	ok(totum_alloc(comm, bytes, &memory));
	for (size_t i = 0; i < bytes; i += 4096)
		if (((unsigned char *)memory)[i])
			fail("fresh memory holds %02x at %zu", ((unsigned char *)memory)[i], i);
	return memory;
}

static void memory_free(totum_comm *comm, bool shared, void *memory)
{
	if (shared)
		ok(totum_free(comm, memory));
	else
		free(memory);
}

static void expect_bytes(const unsigned char *bytes, size_t count, uint32_t salt, int rank,
			 size_t skip)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i] != byte_of(salt, rank, skip + i))
			fail("byte %zu of rank %d's %zu is %02x, not %02x", i, rank, count,
			     bytes[i], byte_of(salt, rank, skip + i));
}

static void gather_once(totum_comm *comm, uint64_t *random, uint64_t *own, uint32_t salt)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	size_t counts[16], places[16], total = 0;
	bool shared = below(own, 2), shared_out = below(own, 2);

	for (int r = 0; r < n; r++) {
		counts[r] = below(random, 3) ? below(random, 400000) : below(random, 3);
		places[r] = total;
		total += counts[r];
	}
	unsigned char *send = memory_new(comm, shared, counts[rank]),
		      *recv = memory_new(comm, shared_out, total);
	for (size_t i = 0; i < counts[rank]; i++)
		send[i] = byte_of(salt, rank, i);
	memset(recv, POISON, total);
	if (below(own, 3) == 0)
		nap_us((long)below(own, 3000));
	ok(totum_allgatherv(send, counts[rank], recv, counts, NULL, TOTUM_U8, comm));
	memset(send, 0xff, counts[rank]);
	for (int r = 0; r < n; r++)
		expect_bytes(recv + places[r], counts[r], salt, r, 0);
	memory_free(comm, shared, send);
	memory_free(comm, shared_out, recv);
}

static void spread(totum_comm *comm, uint64_t *random, uint64_t *own, uint32_t salt)
{
	int root = (int)below(random, (uint64_t)totum_comm_nranks(comm));
	size_t count = below(random, 500000);
	bool shared = below(own, 2);
	unsigned char *buffer = memory_new(comm, shared, count);

	for (size_t i = 0; i < count; i++)
		buffer[i] = totum_comm_rank(comm) == root ? byte_of(salt, root, i) : POISON;
	if (below(own, 3) == 0)
		nap_us((long)below(own, 3000));
	ok(totum_broadcast(buffer, buffer, count, TOTUM_U8, root, comm));
	expect_bytes(buffer, count, salt, root, 0);
	memset(buffer, 0xee, count);
	memory_free(comm, shared, buffer);
}

static void window(totum_comm *comm, uint64_t *random, uint32_t salt)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	size_t count = below(random, 100000);
	unsigned char *mine = malloc(count + 1);
	totum_window *window;

	ok(totum_window_create(comm, (size_t)n * count, &window));
	unsigned char *all = totum_window_data(window);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < count; i++)
			mine[i] = byte_of(salt, rank, i + (size_t)round);
		bool in_place = round == 2;
		if (in_place)
			memcpy(all + (size_t)rank * count, mine, count);
		ok(totum_allgather(in_place ? TOTUM_IN_PLACE : mine, all, count, TOTUM_U8, comm));
		for (int r = 0; r < n; r++)
			expect_bytes(all + (size_t)r * count, count, salt, r, (size_t)round);
		ok(totum_barrier(comm)); /* nobody may gather again while others read */
	}
	ok(totum_window_free(window));
	free(mine);
}

static void books(totum_comm *comm)
{
	struct totum_memory before = {.size = sizeof before}, after = {.size = sizeof after};
	void *a, *b, *c;

	ok(totum_memory_stats(comm, &before));
	ok(totum_alloc(comm, 1, &a));
	ok(totum_alloc(comm, 3 << 20, &b));
	ok(totum_free(comm, a));
	ok(totum_alloc(comm, 100, &c));
	ok(totum_memory_stats(comm, &after));
	if (after.shared != before.shared + (3 << 20) + 4096)
		fail("%llu bytes in use, %llu before", (unsigned long long)after.shared,
		     (unsigned long long)before.shared);
	refused(totum_free(comm, (char *)b + 4096), TOTUM_EINVAL);
	ok(totum_free(comm, b));
	ok(totum_free(comm, c));
	refused(totum_free(comm, c), TOTUM_EINVAL);
	refused(totum_alloc(comm, (size_t)1 << 50, &a), TOTUM_EMEMORY);
	ok(totum_memory_stats(comm, &after));
	if (after.shared != before.shared)
		fail("%llu bytes leak", (unsigned long long)(after.shared - before.shared));
}

/* The bytes of shared memory that a core dump of this process would hold. */
static uint64_t dumped(void)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	char line[512], access[5];
	uint64_t total = 0;
	unsigned long long kilobytes = 0;
	bool ours = false;

	while (maps && fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%*x-%*x %4s", access) == 1)
			ours = access[1] == 'w' && strstr(line, "memfd:totum");
		sscanf(line, "Size: %llu kB", &kilobytes);
		if (ours && !strncmp(line, "VmFlags:", 8) && !strstr(line, " dd"))
			total += kilobytes << 10;
	}
	if (maps)
		fclose(maps);
	return total;
}

/* A heap has room for far more than there is memory: a core dump has only what is allocated. */
static void dumps(totum_comm *comm)
{
	uint64_t before = dumped(), most = 64 << 20;
	void *memory;

	if (totum_comm_rank(comm) > 0) /* ranks may be threads of one process */
		return;
	ok(totum_alloc(comm, most, &memory));
	uint64_t with = dumped();
	ok(totum_free(comm, memory));
	uint64_t after = dumped();
	if (before > most || with < before + most || with > before + 2 * most || after > before)
		fail("a core dump would hold %llu bytes, then %llu with %llu allocated, then %llu",
		     (unsigned long long)before, (unsigned long long)with, (unsigned long long)most,
		     (unsigned long long)after);
}

/* Is the mapping that holds this address locked? */
static bool is_locked(const void *memory)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	unsigned long first, end, at = (unsigned long)(uintptr_t)memory;
	char line[512];
	bool inside = false, locked = false;

	while (maps && fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
			inside = at >= first && at < end;
		if (inside && !strncmp(line, "VmFlags:", 8))
			locked = strstr(line, " lo") != NULL;
	}
	if (maps)
		fclose(maps);
	return locked;
}

/*
 * A program that locks all its memory does not mean the heap, whose places would all be filled.
 * Here they would be filled when touched only, so that the test can fail and the host stands.
 */
static void locked(totum_comm *comm)
{
	void *memory;

	if (totum_comm_rank(comm) > 0)
		return;
	if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) {
		puts("memory cannot be locked here, so that part was left out");
		return;
	}
	totum_comm *other; /* whose heap is not mapped yet */
	ok(totum_comm_create(0, 1, "local:locked", NULL, &other));
	totum_status status = totum_alloc(other, 1000, &memory);
	bool is = !status && is_locked(memory);
	munlockall();
	ok(status);
	ok(totum_comm_free(other));
	if (is)
		fail("the heap is locked");
}

static void test(totum_comm *comm)
{
	uint64_t random = seed(), own = mix(seed() + (uint64_t)totum_comm_rank(comm));

	if (step("books"))
		books(comm);
	ok(totum_barrier(comm));
	if (step("dumps"))
		dumps(comm);
	if (step("locked"))
		locked(comm);
	ok(totum_barrier(comm));
	for (int i = 0; i < ROUNDS; i++) {
		if (step("gather %d", i))
			gather_once(comm, &random, &own, (uint32_t)i);
		if (step("broadcast %d", i))
			spread(comm, &random, &own, (uint32_t)i + 1000);
		if (i % 4 == 0 && step("window %d", i))
			window(comm, &random, (uint32_t)i + 2000);
	}
}
