/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ignored - arguments that a rank's part in a call does not need are not looked at: buffers and
 * counts of the root given elsewhere, counts of what lies in place, buffers of nothing.
 *
 * ranks: 1 2 3 5
 *
 * All of them are wild here.  By every algorithm, since deciding and running may look too.
 */
#include "ranks/algorithms.h"
#include "ranks/buffers.h"

enum { COUNT = 9 };

/* Points nowhere, which the compiler is not to know. */
static void *volatile wild = (void *)8;

struct place {
	totum_comm *comm;
	int rank, nranks, root;
	bool is_root;
	void *wild;
	size_t counts[HARNESS_RANKS]; /* COUNT each */
	int32_t own[COUNT], all[COUNT * HARNESS_RANKS];
};

typedef totum_status wild_call(struct place *p);

static totum_status allgatherv_in_place(struct place *p)
{
	memcpy(p->all + p->rank * COUNT, p->own, sizeof p->own);
	return totum_allgatherv(TOTUM_IN_PLACE, SIZE_MAX, p->all, p->counts, NULL, TOTUM_I32,
				p->comm);
}

static totum_status allgatherv_at_its_address(struct place *p)
{
	memcpy(p->all + p->rank * COUNT, p->own, sizeof p->own);
	return totum_allgatherv(p->all + p->rank * COUNT, SIZE_MAX, p->all, p->counts, NULL,
				TOTUM_I32, p->comm);
}

static totum_status broadcast(struct place *p)
{
	return totum_broadcast(p->is_root ? p->own : p->wild, p->all, COUNT, TOTUM_I32, p->root,
			       p->comm);
}

static totum_status reduce(struct place *p)
{
	return totum_reduce(p->own, p->is_root ? p->all : p->wild, COUNT, TOTUM_I32, TOTUM_SUM,
			    p->root, p->comm);
}

static totum_status gather(struct place *p)
{
	return totum_gather(p->own, p->is_root ? p->all : p->wild, COUNT, TOTUM_I32, p->root,
			    p->comm);
}

static totum_status gatherv(struct place *p)
{
	const size_t *counts = p->is_root ? p->counts : p->wild;

	return totum_gatherv(p->own, COUNT, p->is_root ? p->all : p->wild, counts,
			     p->is_root ? NULL : p->wild, TOTUM_I32, p->root, p->comm);
}

static totum_status gatherv_in_place(struct place *p)
{
	const size_t *counts = p->is_root ? p->counts : p->wild;

	if (p->is_root)
		memcpy(p->all + p->rank * COUNT, p->own, sizeof p->own);
	return totum_gatherv(p->is_root ? TOTUM_IN_PLACE : p->own, p->is_root ? SIZE_MAX : COUNT,
			     p->is_root ? p->all : p->wild, counts, p->is_root ? NULL : p->wild,
			     TOTUM_I32, p->root, p->comm);
}

static totum_status scatter(struct place *p)
{
	return totum_scatter(p->is_root ? p->all : p->wild, p->own, COUNT, TOTUM_I32, p->root,
			     p->comm);
}

static totum_status scatterv(struct place *p)
{
	const size_t *counts = p->is_root ? p->counts : p->wild;

	return totum_scatterv(p->is_root ? p->all : p->wild, counts, p->is_root ? NULL : p->wild,
			      p->own, COUNT, TOTUM_I32, p->root, p->comm);
}

static totum_status scatterv_in_place(struct place *p)
{
	const size_t *counts = p->is_root ? p->counts : p->wild;
	void *recv = p->is_root ? (void *)(uintptr_t)TOTUM_IN_PLACE : p->own;

	return totum_scatterv(p->is_root ? p->all : p->wild, counts, p->is_root ? NULL : p->wild,
			      recv, p->is_root ? SIZE_MAX : COUNT, TOTUM_I32, p->root, p->comm);
}

static totum_status of_nothing(struct place *p)
{
	static const size_t none[2 * HARNESS_RANKS];
	totum_status status = totum_allgather(p->wild, p->wild, 0, TOTUM_F64, p->comm);

	if (!status)
		status = totum_allgatherv(p->wild, 0, p->wild, none, NULL, TOTUM_U8, p->comm);
	if (!status)
		status = totum_alltoall(p->wild, p->wild, 0, TOTUM_U8, p->comm);
	if (!status)
		status = totum_alltoallv(p->wild, none, none, p->wild, none, none, TOTUM_U8,
					 p->comm);
	if (!status)
		status = totum_allreduce(p->wild, p->wild, 0, TOTUM_F16, TOTUM_SUM, p->comm);
	return status ? status
		      : totum_reduce_scatterv(p->wild, p->wild, none, TOTUM_F16, TOTUM_SUM,
					      p->comm);
}

/* What recv holds afterwards is other tests' business, but for one element that says it came. */
enum outcome { ALL_BLOCKS, ROOT_BLOCKS, ROOT_SUM, ROOT_VECTOR, OWN_BLOCK, NOTHING };

static const struct {
	const char *name;
	wild_call *call;
	enum outcome outcome;
} wild_calls[] = {
	{"allgatherv in place", allgatherv_in_place, ALL_BLOCKS},
	{"allgatherv at its address", allgatherv_at_its_address, ALL_BLOCKS},
	{"broadcast", broadcast, ROOT_VECTOR},
	{"reduce", reduce, ROOT_SUM},
	{"gather", gather, ROOT_BLOCKS},
	{"gatherv", gatherv, ROOT_BLOCKS},
	{"gatherv in place", gatherv_in_place, ROOT_BLOCKS},
	{"scatter", scatter, OWN_BLOCK},
	{"scatterv", scatterv, OWN_BLOCK},
	{"scatterv in place", scatterv_in_place, NOTHING},
	{"of nothing", of_nothing, NOTHING},
};

static void expect(int32_t got, int32_t wanted)
{
	if (got != wanted)
		fail("%d came instead of %d", got, wanted);
}

static void check_outcome(const struct place *p, enum outcome outcome)
{
	if (outcome == ALL_BLOCKS || (outcome == ROOT_BLOCKS && p->is_root))
		for (int r = 0; r < p->nranks; r++)
			expect(p->all[r * COUNT + COUNT - 1], r + 100);
	if (outcome == ROOT_SUM && p->is_root)
		expect(p->all[COUNT - 1], p->nranks * (p->nranks - 1) / 2 + 100 * p->nranks);
	if (outcome == ROOT_VECTOR)
		expect(p->all[COUNT - 1], p->root + 100);
	if (outcome == OWN_BLOCK)
		expect(p->own[COUNT - 1], 1000 + p->rank * COUNT + COUNT - 1);
}

static void one_call(totum_comm *comm, const char *algorithm, size_t which, int root)
{
	struct place p = {.comm = comm, .root = root, .wild = wild};

	p.rank = totum_comm_rank(comm);
	p.nranks = totum_comm_nranks(comm);
	p.is_root = p.rank == root;
	step("ignored:n=%d:algo=%s:%s:root=%d", p.nranks, algorithm, wild_calls[which].name, root);
	for (int r = 0; r < p.nranks; r++)
		p.counts[r] = COUNT;
	for (int i = 0; i < COUNT; i++)
		p.own[i] = p.rank + 100;
	for (int i = 0; i < COUNT * p.nranks; i++)
		p.all[i] = 1000 + i;
	totum_status status = wild_calls[which].call(&p);

	if (status == TOTUM_EUNSUPPORTED && strcmp(algorithm, "auto") != 0)
		return;
	ok(status);
	check_outcome(&p, wild_calls[which].outcome);
}

static void by_algorithm(totum_comm *comm, const char *algorithm)
{
	char setting[ALGORITHM_TEXT + 8];

	snprintf(setting, sizeof setting, "algo=%s", algorithm);
	ok(totum_comm_configure(comm, setting));
	for (size_t which = 0; which < sizeof wild_calls / sizeof *wild_calls; which++)
		for (int root = 0; root < totum_comm_nranks(comm); root++)
			one_call(comm, algorithm, which, root);
}

static void test(totum_comm *comm)
{
	totum_algorithm algorithm;

	by_algorithm(comm, "auto");
	for (int at = 0; totum_algorithm_at(at, &algorithm); at++)
		by_algorithm(comm, algorithm.name);
	ok(totum_comm_configure(comm, "algo=auto"));
}
