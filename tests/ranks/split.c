/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split - communicators made from communicators: odd splits, reversed keys, negative colors,
 * nested, and two used in turn.  ranks: 1 2 3 4 5 7
 *
 * The expected members are computed on each rank by itself, then a gather on the new communicator
 * must bring exactly their numbers in exactly their order.
 */
#include "ranks/buffers.h"

struct choice {
	int color, key;
};

typedef struct choice chooser(int rank, int nranks);

static struct choice by_parity(int rank, int nranks)
{
	(void)nranks;
	return (struct choice){rank % 2, rank};
}

static struct choice reversed(int rank, int nranks)
{
	return (struct choice){0, nranks - rank};
}

static struct choice first_alone(int rank, int nranks)
{
	(void)nranks;
	return (struct choice){rank == 0 ? 1000000 : 7, -rank};
}

static struct choice some_absent(int rank, int nranks)
{
	(void)nranks;
	return (struct choice){rank % 3 == 1 ? -1 - rank : 5, 0};
}

static struct choice all_absent(int rank, int nranks)
{
	(void)rank;
	(void)nranks;
	return (struct choice){-1, 0};
}

static struct choice outer_and_inner(int rank, int nranks)
{
	bool outer = rank == 0 || rank == nranks - 1;

	return (struct choice){outer ? 3 : 2, rank % 2 ? INT32_MIN : INT32_MAX};
}

static struct choice each_alone(int rank, int nranks)
{
	(void)nranks;
	return (struct choice){rank, 0};
}

static const struct {
	const char *name;
	chooser *choose;
} splits[] = {
	{"parity", by_parity},        {"reversed", reversed},
	{"first_alone", first_alone}, {"some_absent", some_absent},
	{"all_absent", all_absent},   {"outer_and_inner", outer_and_inner},
	{"each_alone", each_alone},
};

/* Fills members (ranks of the parent, in the order of the new communicator), returns how many. */
static int expected_members(chooser *choose, int rank, int nranks, int *members)
{
	struct choice own = choose(rank, nranks);
	int count = 0;

	for (int r = 0; r < nranks; r++) {
		struct choice other = choose(r, nranks);
		int at = count;

		if (other.color != own.color)
			continue;
		while (at > 0 && choose(members[at - 1], nranks).key > other.key) {
			members[at] = members[at - 1];
			at--;
		}
		members[at] = r;
		count++;
	}
	return count;
}

static void check_members(totum_comm *comm, int label, const int *members, int count)
{
	int labels[HARNESS_RANKS];

	if (totum_comm_nranks(comm) != count)
		fail("%d ranks instead of %d", totum_comm_nranks(comm), count);
	ok(totum_allgather(&label, labels, 1, TOTUM_I32, comm));
	for (int i = 0; i < count; i++)
		if (labels[i] != members[i])
			fail("place %d holds rank %d instead of %d", i, labels[i], members[i]);
	if (labels[totum_comm_rank(comm)] != label)
		fail("the new rank %d is not this one", totum_comm_rank(comm));
}

static void one_split(totum_comm *comm, size_t which)
{
	int rank = totum_comm_rank(comm), nranks = totum_comm_nranks(comm), members[HARNESS_RANKS];
	struct choice own = splits[which].choose(rank, nranks);
	int count = expected_members(splits[which].choose, rank, nranks, members);
	totum_comm *part = NULL, *twin = NULL;

	step("split:n=%d:by=%s", nranks, splits[which].name);
	ok(totum_comm_split(comm, own.color, own.key, &part));
	if (own.color < 0) {
		if (part)
			fail("a negative color got a communicator");
		return;
	}
	check_members(part, rank, members, count);
	ok(totum_comm_dup(part, &twin));
	ok(totum_comm_free(part)); /* the copy must not need its origin */
	check_members(twin, rank, members, count);
	ok(totum_comm_free(twin));
}

/* Halves of halves down to one rank, every level still open while the deeper ones are used. */
static void nested(totum_comm *comm)
{
	int nranks = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	totum_comm *half = NULL;

	if (nranks == 1)
		return;
	ok(totum_comm_split(comm, rank < nranks / 2, rank, &half));
	int wanted = rank < nranks / 2 ? nranks / 2 : nranks - nranks / 2, sum = 0;

	ok(totum_allreduce(&(int){1}, &sum, 1, TOTUM_I32, TOTUM_SUM, half));
	if (sum != wanted)
		fail("%d ranks in a half instead of %d", sum, wanted);
	nested(half);
	ok(totum_barrier(half));
	ok(totum_comm_free(half));
	ok(totum_barrier(comm));
}

/* Two communicators in turn, with naps, in a random order alike on all ranks. */
static void interleaved(totum_comm *comm)
{
	uint64_t order = seed(), naps = seed() + 1 + (uint64_t)totum_comm_rank(comm);
	int nranks = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	totum_comm *two[2] = {comm, NULL};
	uint64_t got[HARNESS_RANKS];

	ok(totum_comm_split(comm, 0, nranks - rank, &two[1]));
	for (uint64_t i = 0; i < 500; i++) {
		uint64_t which = below(&order, 2), own = mix(i) + (uint64_t)rank;

		if (below(&naps, 50) == 0)
			nap_us((long)below(&naps, 1000));
		ok(totum_allgather(&own, got, 1, TOTUM_U64, two[which]));
		for (int r = 0; r < nranks; r++)
			if (got[r] != mix(i) + (uint64_t)(which ? nranks - 1 - r : r))
				fail("call %d on communicator %d: place %d is wrong", (int)i,
				     (int)which, r);
	}
	ok(totum_comm_free(two[1]));
}

static void test(totum_comm *comm)
{
	for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
		one_split(comm, i);
	step("split:n=%d:nested", totum_comm_nranks(comm));
	nested(comm);
	step("split:n=%d:interleaved", totum_comm_nranks(comm));
	interleaved(comm);
	step("split:n=%d:free of NULL", totum_comm_nranks(comm));
	ok(totum_comm_free(NULL));
}
