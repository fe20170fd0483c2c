/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split - new communicators out of one.
 *
 * Some small all-gathers on the old one: everybody's color and key; the area that the first member
 * of each new one on each host has claimed; between hosts everybody's addresses; and whether
 * everybody has opened its end, so that all members get the communicator or none.
 */
#include <stdlib.h>

#include "runtime/spread.h"
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
	return tt_work_exchange(comm, &work, mine, all, bytes);
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

/* The new communicator that a rank joins: its members, and those of them on this host. */
struct split {
	struct wish *wishes;
	struct claim *claims;
	int *members, *mates;
	int n, nmates;
	struct tt_spread *spread; /* NULL: all members are on this host */
};

static void find_mates(const totum_comm *comm, struct split *split)
{
	for (int i = 0; i < split->n; i++)
		if (!tt_comm_far(comm, split->members[i]))
			split->mates[split->nmates++] = split->members[i];
}

/* The first member on a host claims an area for those there. */
static struct claim claim_area(totum_comm *comm, const struct split *split)
{
	struct claim claim = {0};

	if (split->nmates && split->mates[0] == comm->rank)
		claim.status = tt_comm_claim(comm->job, split->nmates, &claim.area);
	return claim;
}

/*
 * Members that have it close it, which counts them out of the area; those that never had it are
 * counted out here, by the first who has it.  When nobody has it, the one who claimed the area
 * gives it back.
 */
static void count_out(totum_comm *comm, const struct split *split, int area, totum_comm *made)
{
	int failed = 0, first = -1;

	for (int i = 0; i < split->nmates; i++) {
		failed += split->claims[split->mates[i]].status != 0;
		if (first < 0 && !split->claims[split->mates[i]].status)
			first = split->mates[i];
	}
	if (first < 0 && split->mates[0] == comm->rank)
		tt_segment_give(&comm->job->segment, area);
	else if (first == comm->rank && made)
		atomic_fetch_sub_explicit(&made->host.head->members, (uint32_t)failed,
					  memory_order_relaxed);
}

/* Of all ranks' cards those of the members, and where these are. */
static totum_status spread_members(totum_comm *comm, struct split *split, struct tt_card *all,
				   struct tt_doors *doors)
{
	size_t n = (size_t)split->n;
	struct tt_card *cards = malloc(n * sizeof *cards);
	int *hosts = malloc(n * sizeof *hosts), rank = 0;

	if (!cards || !hosts) {
		free(cards);
		free(hosts);
		return tt_fail_memory(n * sizeof *cards, "the addresses of all members");
	}
	for (int i = 0; i < split->n; i++) {
		cards[i] = all[split->members[i]];
		hosts[i] = comm->spread->host_of[split->members[i]];
		rank = split->members[i] == comm->rank ? i : rank;
	}
	totum_status status = tt_spread_new(rank, split->n, hosts, cards, doors, &split->spread);
	free(hosts);
	return status;
}

/* Between hosts the members need each other's addresses.  *own: what keeps this rank from it. */
static totum_status exchange_cards(totum_comm *comm, struct split *split, totum_status *own)
{
	struct tt_card mine = {0}, *all = malloc((size_t)comm->nranks * sizeof *all);
	struct tt_doors doors = {0};
	bool apart = split->n > split->nmates;

	if (!all)
		return tt_host_fail(&comm->host, TOTUM_EMEMORY, comm->rank,
				    "rank %d has no memory for %zu bytes of a split; free memory "
				    "or lower the sizes", comm->rank,
				    (size_t)comm->nranks * sizeof *all);
	if (apart)
		tt_spread_listen(comm->job, &doors, &mine);
	totum_status status = exchange(comm, &mine, all, sizeof mine, 3);
	if (!status && apart)
		*own = spread_members(comm, split, all, &doors);
	tt_spread_unlisten(&doors);
	free(all);
	return status;
}

/* The same end for all members: the first failure among them. */
static totum_status conclude(const struct split *split)
{
	for (int i = 0; i < split->n; i++)
		if (split->claims[split->members[i]].status)
			return tt_fail((totum_status)split->claims[split->members[i]].status,
				       "rank %d could not make the new communicator: no area, no "
				       "memory or no descriptor was left for it; free some "
				       "communicators", split->members[i]);
	return TOTUM_OK;
}

static totum_status agree(totum_comm *comm, int color, int key, struct split *split,
			  totum_comm **out)
{
	struct wish wish = {color, key};
	totum_status status = exchange(comm, &wish, split->wishes, sizeof wish, 1);

	if (status)
		return status;
	if (color >= 0)
		split->n = members_of(split->wishes, comm->nranks, color, split->members);
	find_mates(comm, split);
	struct claim claim = claim_area(comm, split);
	status = exchange(comm, &claim, split->claims, sizeof claim, 2);
	struct claim of_new = split->nmates ? split->claims[split->mates[0]] : claim;
	bool claimed = !status && split->nmates && !of_new.status;
	if (!status && comm->spread)
		status = exchange_cards(comm, split, &of_new.status);
	if (status)
		return status;
	if (claimed && !of_new.status) {
		of_new.status = tt_comm_open_members(comm, split->mates, split->nmates, of_new.area,
						     split->spread, out);
		split->spread = NULL;
	}
	status = exchange(comm, &of_new, split->claims, sizeof of_new, 4);
	if (status)
		return status;
	status = conclude(split);
	if (status && claimed)
		count_out(comm, split, of_new.area, *out);
	return status;
}

totum_status tt_comm_split(totum_comm *comm, int color, int key, totum_comm **out)
{
	size_t n = (size_t)comm->nranks;
	struct split split = {.wishes = malloc(n * sizeof *split.wishes),
			      .claims = malloc(n * sizeof *split.claims),
			      .members = malloc(n * sizeof *split.members),
			      .mates = malloc(n * sizeof *split.mates)};
	totum_comm *made = NULL;
	totum_status status;

	if (split.wishes && split.claims && split.members && split.mates)
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
	free(split.mates);
	tt_spread_free(split.spread);
	return status;
}
