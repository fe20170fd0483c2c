/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split - new communicators out of one.
 *
 * Three small all-gathers on the old one: everybody's color and key; the area that the first member
 * of each new one has claimed; and whether everybody could map it, so that all members get the
 * communicator or none.
 */
#include <stdlib.h>

#include "runtime/work.h"

struct wish {
	int32_t color, key;
};

struct claim {
	int32_t status, area;
};

static totum_status exchange(totum_comm *comm, const void *mine, void *all, size_t bytes, int step)
{
	struct tt_work work;

	tt_work_init(&work, comm, TT_OP_SPLIT, TOTUM_U8);
	work.task.call.count = (uint64_t)step;
	work.task.send = mine;
	work.task.recv = all;
	work.task.bytes = bytes;
	return tt_work_run(comm, &work);
}

/* The old ranks with this color, ordered by key, then rank; returns how many. */
static int members_of(const struct wish *wishes, int nranks, int color, int *members)
{
	int n = 0;

	for (int rank = 0; rank < nranks; rank++) {
		if (wishes[rank].color != color)
			continue;
		int at = n++;
		for (; at > 0 && wishes[members[at - 1]].key > wishes[rank].key; at--)
			members[at] = members[at - 1];
		members[at] = rank;
	}
	return n;
}

/* The first member claims an area for all. */
static struct claim claim_area(totum_comm *comm, int n)
{
	struct claim claim = {0};

	claim.status = tt_comm_claim(comm->job, n, &claim.area);
	return claim;
}

/*
 * Members that have it close it, which counts them out of the area; those that never had it are
 * counted out here, by the first who has it.  When nobody has it, the one who claimed the area
 * gives it back.
 */
static void count_out(totum_comm *comm, const struct claim *claims, const int *members, int n,
		      int area, totum_comm *made)
{
	int failed = 0, first = -1;

	for (int i = 0; i < n; i++) {
		failed += claims[members[i]].status != 0;
		if (first < 0 && !claims[members[i]].status)
			first = members[i];
	}
	if (first < 0 && members[0] == comm->rank)
		tt_segment_give(&comm->job->segment, area);
	else if (first == comm->rank && made)
		atomic_fetch_sub_explicit(&made->host.head->members, (uint32_t)failed,
					  memory_order_relaxed);
}

struct split {
	struct wish *wishes;
	struct claim *claims;
	int *members;
	int n;
};

static totum_status agree(totum_comm *comm, int color, int key, struct split *split,
			  totum_comm **out)
{
	struct wish wish = {color, key};
	totum_status status = exchange(comm, &wish, split->wishes, sizeof wish, 1);

	if (status)
		return status;
	bool joins = color >= 0;
	split->n = joins ? members_of(split->wishes, comm->nranks, color, split->members) : 0;
	struct claim claim = {0};
	if (joins && split->members[0] == comm->rank)
		claim = claim_area(comm, split->n);
	status = exchange(comm, &claim, split->claims, sizeof claim, 2);
	if (status)
		return status;
	struct claim of_new = joins ? split->claims[split->members[0]] : claim;
	bool claimed = joins && !of_new.status;
	if (claimed)
		of_new.status =
			tt_comm_open_members(comm, split->members, split->n, of_new.area, out);
	status = exchange(comm, &of_new, split->claims, sizeof of_new, 3);
	bool agreed = !status;
	for (int i = 0; i < split->n && !status; i++)
		if (split->claims[split->members[i]].status)
			status = tt_fail((totum_status)split->claims[split->members[i]].status,
					 "rank %d could not make the new communicator: no area or "
					 "no memory was left for it; free some communicators",
					 split->members[i]);
	if (agreed && status && claimed)
		count_out(comm, split->claims, split->members, split->n, of_new.area, *out);
	return status;
}

totum_status tt_comm_split(totum_comm *comm, int color, int key, totum_comm **out)
{
	size_t n = (size_t)comm->nranks;
	struct split split = {.wishes = malloc(n * sizeof *split.wishes),
			      .claims = malloc(n * sizeof *split.claims),
			      .members = malloc(n * sizeof *split.members)};
	totum_comm *made = NULL;
	totum_status status;

	if (split.wishes && split.claims && split.members)
		status = agree(comm, color, key, &split, &made);
	else /* the others would wait for this rank */
		status = tt_host_fail(&comm->host, TOTUM_EMEMORY, comm->rank,
				      "rank %d has no memory for %zu bytes of a split; free memory "
				      "or lower the sizes", comm->rank,
				      n * sizeof(struct wish));
	if (status && made)
		tt_comm_close(made);
	if (!status)
		*out = made;
	free(split.wishes);
	free(split.claims);
	free(split.members);
	return status;
}
