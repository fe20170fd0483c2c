/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * in_place - every collective that can work in place does, told by the sentinel or by the exact
 * address, on every rank and root, and changes nothing but its result.  ranks: 1 2 4
 */
#include "ranks/chosen.h"

static bool gathers(const struct call *c)
{
	return c->what == ALLGATHER || c->what == ALLGATHERV || c->what == GATHER ||
	       c->what == GATHERV;
}

static bool scatters(const struct call *c)
{
	return c->what == SCATTER || c->what == SCATTERV || c->what == REDUCE_SCATTER ||
	       c->what == REDUCE_SCATTERV;
}

/* In place concerns this rank: of collectives with a root, that one alone. */
static bool concerns(const struct call *c)
{
	bool rooted = c->what >= REDUCE && c->what <= SCATTERV;

	return !rooted || c->rank == c->root;
}

/* Bytes before this rank's block. */
static size_t place_of(const struct call *c)
{
	bool uneven = c->what == ALLGATHERV || c->what == GATHERV || c->what == SCATTERV ||
		      c->what == REDUCE_SCATTERV;

	return c->size * (uneven ? call_sum(c->counts, c->rank) : c->count * (size_t)c->rank);
}

static unsigned char *copy_of(const unsigned char *data, size_t bytes)
{
	unsigned char *copy = malloc(bytes + 1);

	if (!copy)
		fail("no memory for %zu bytes", bytes);
	return memcpy(copy, data, bytes);
}

static void check_unchanged(const unsigned char *now, const unsigned char *before, size_t from,
			    size_t to)
{
	for (size_t i = from; i < to; i++)
		if (now[i] != before[i])
			fail("byte %zu of the one buffer was changed", i);
}

/* The call with the buffers as the caller gives them. */
static totum_status make(struct call c, unsigned char *both, bool sentinel)
{
	if (sentinel && (c.what == SCATTER || c.what == SCATTERV)) {
		c.recv.data = (unsigned char *)(uintptr_t)TOTUM_IN_PLACE;
	} else if (sentinel) {
		c.send.data = (unsigned char *)(uintptr_t)TOTUM_IN_PLACE;
		c.recv.data = both;
	}
	return call_make(&c, BLOCKING, NULL, NULL);
}

static void one_buffer(struct call c, bool sentinel)
{
	size_t elements = c.send_elements > c.recv_elements ? c.send_elements : c.recv_elements;
	size_t bytes = elements * c.size, place = place_of(&c), result = c.recv_elements * c.size;
	struct buffer both = buffer_new(bytes, c.salt & 63);

	c.send.data = both.data + (gathers(&c) ? place : 0);
	c.recv.data = both.data + (scatters(&c) ? place : 0);
	call_fill(&c);
	unsigned char *before = copy_of(both.data, bytes);
	totum_status status = make(c, both.data, sentinel);

	if (status != TOTUM_EUNSUPPORTED) {
		ok(status);
		call_check_all(&c);
	}
	if (status || scatters(&c)) {
		check_unchanged(both.data, before, 0, status ? bytes : place);
		check_unchanged(both.data, before, status ? bytes : place + result, bytes);
	}
	free(before);
	buffer_free(&both, "the one buffer");
}

static void one_call(totum_comm *comm, const char *algorithm, int what, size_t count, int turn)
{
	totum_dtype dtype = (totum_dtype)(turn % (TOTUM_BOOL + 1));
	struct call c = call_chosen(comm, what, count, dtype, turn);
	bool sentinel = turn / c.nranks % 2;

	for (int r = 0; r < c.nranks; r++)
		c.counts[r] = count + (size_t)((r + turn) % 3);
	if (!concerns(&c)) {
		call_through(&c);
		return;
	}
	draw_elements(&c);
	step("in_place:n=%d:algo=%s:%s:count=%zu:dtype=%s:root=%d:by=%s", c.nranks, algorithm,
	     collective_names[what], count, totum_dtype_name(dtype), c.root,
	     sentinel ? "sentinel" : "address");
	one_buffer(c, sentinel);
}

static void by_algorithm(totum_comm *comm, const char *algorithm)
{
	static const size_t counts[] = {0, 1, 7, 1000, 70001};
	bool direct = strcmp(algorithm, "auto") == 0;
	char setting[ALGORITHM_TEXT + 8];
	int rounds = direct ? 2 * totum_comm_nranks(comm) : 2;

	snprintf(setting, sizeof setting, "algo=%s", algorithm);
	ok(totum_comm_configure(comm, setting));
	for (size_t i = 0; i < sizeof counts / sizeof *counts - !direct; i++)
		for (int turn = 0; turn < rounds; turn++)
			for (int what = 0; what < ALLTOALLV; what++)
				one_call(comm, algorithm, what, counts[i],
					 direct ? turn : turn * totum_comm_nranks(comm) + (int)i);
}

static void test(totum_comm *comm)
{
	totum_algorithm algorithm;

	by_algorithm(comm, "auto");
	for (int at = 0; totum_algorithm_at(at, &algorithm); at += 1 + 2 * SLOWNESS)
		by_algorithm(comm, algorithm.name);
	ok(totum_comm_configure(comm, "algo=auto"));
}
