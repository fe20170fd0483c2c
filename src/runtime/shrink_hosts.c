/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shrink_hosts - the survivors of several hosts make a new communicator.
 *
 * First those of each host find each other, as on one host; the lowest of them then trades names
 * and cards with the lowest ones elsewhere, and tells its own.  Who dies meanwhile is found by the
 * first barrier of the new communicator, whose survivors shrink it once more.  A rank that has not
 * come so far when somebody dies gives up, and says so: whether others have, it cannot know.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/notice.h"
#include "runtime/shrink_parts.h"
#include "runtime/spread.h"

struct regroup {
	totum_comm *comm, *here; /* here: the survivors of this host */
	int *mates;              /* [here->nranks], ranks of comm */
	struct tt_doors doors;
	struct tt_survivors all;
	int area;
	bool gave_up;            /* the trade has failed, and said so */
};

/* Among the survivors of this host: a small all-gather. */
static totum_status gather(totum_comm *here, const void *mine, void *all, size_t bytes)
{
	struct tt_work work;

	tt_work_init(&work, here, TT_OP_SPLIT, TOTUM_U8);
	return tt_work_exchange(here, &work, mine, all, bytes);
}

/* From the lowest survivor of this host to the others. */
static totum_status spread_word(totum_comm *here, void *word, size_t bytes)
{
	struct tt_work work;

	tt_work_init(&work, here, TT_OP_BROADCAST, TOTUM_U8);
	work.task.call.count = bytes;
	work.task.send = word;
	work.task.recv = word;
	work.task.bytes = bytes;
	return tt_work_run(here, &work);
}

static void name_mates(struct regroup *regroup)
{
	const totum_comm *comm = regroup->comm, *here = regroup->here;

	for (int i = 0, place = 0; i < here->nranks; i++) {
		while (comm->job_ranks[place] != here->job_ranks[i])
			place++;
		regroup->mates[i] = comm->spread->named[place];
	}
}

/* What the lowest survivor finds out: status, the area it took, how many live in all. */
struct word {
	int32_t status, area, n;
};

static totum_status find_all(struct regroup *regroup, struct tt_card *cards, struct word *word)
{
	struct tt_survivors mine = {regroup->here->nranks, regroup->mates, cards};
	totum_status status = tt_notices_trade(regroup->comm, &mine, &regroup->all);

	regroup->gave_up = status != TOTUM_OK;
	if (!status)
		status = tt_comm_claim(regroup->comm->job, regroup->here->nranks, &regroup->area);
	*word = (struct word){status, regroup->area, regroup->all.n};
	return status;
}

/* The others of the host get what the lowest one has. */
static totum_status share_all(struct regroup *regroup, struct word *word)
{
	totum_comm *here = regroup->here;
	struct tt_survivors *all = &regroup->all;
	totum_status status = spread_word(here, word, sizeof *word);

	if (status || word->status)
		return status ? status
			      : tt_fail((totum_status)word->status,
					"rank %d could not find the survivors on other hosts; its "
					"own error says why", regroup->mates[0]);
	size_t n = (size_t)word->n;
	if (here->rank > 0)
		*all = (struct tt_survivors){word->n, malloc(n * sizeof *all->ranks),
					     malloc(n * sizeof *all->cards)};
	if (!all->ranks || !all->cards)
		return tt_host_fail(&here->host, TOTUM_EMEMORY, here->rank,
				    "rank %d has no memory for the survivors", here->rank);
	regroup->area = word->area;
	status = spread_word(here, all->ranks, n * sizeof *all->ranks);
	return status ? status : spread_word(here, all->cards, n * sizeof *all->cards);
}

static totum_status find_survivors(struct regroup *regroup)
{
	totum_comm *here = regroup->here;
	struct tt_card mine, *cards = malloc((size_t)here->nranks * sizeof *cards);
	struct word word = {0};

	tt_spread_listen(regroup->comm->job, &regroup->doors, &mine);
	if (!cards)
		return tt_host_fail(&here->host, TOTUM_EMEMORY, here->rank,
				    "rank %d has no memory for the survivors", here->rank);
	totum_status status = gather(here, &mine, cards, sizeof mine), found = TOTUM_OK;
	char why[512];
	if (!status && here->rank == 0) {
		found = find_all(regroup, cards, &word);
		snprintf(why, sizeof why, "%s", totum_errmsg());
	}
	free(cards);
	if (!status)
		status = share_all(regroup, &word);
	return found ? tt_fail(found, "%s", why) : status;
}

static totum_status open_new(struct regroup *regroup, totum_comm **out)
{
	const totum_comm *comm = regroup->comm;
	struct tt_survivors *all = &regroup->all;
	struct tt_spread *spread = NULL;
	int *hosts = malloc((size_t)all->n * sizeof *hosts), rank = 0;
	totum_status status = hosts ? TOTUM_OK
				    : tt_fail_memory((size_t)all->n * sizeof *hosts, "hosts");

	for (int i = 0; i < all->n && !status; i++) {
		hosts[i] = comm->spread->host_of[all->ranks[i]];
		rank = all->ranks[i] == comm->rank ? i : rank;
	}
	if (!status && all->n > regroup->here->nranks) {
		status = tt_spread_new(rank, all->n, hosts, all->cards, &regroup->doors, &spread);
		all->cards = NULL; /* the spread's, or freed */
	}
	free(hosts);
	if (!status)
		status = tt_comm_open_members(regroup->comm, regroup->mates, regroup->here->nranks,
					      regroup->area, spread, out);
	return status;
}

/* Are all here?  Others may be through and find out later who is not: all of them shrink it then. */
static totum_status meet_new(totum_comm **out)
{
	totum_comm *opened = *out;
	totum_status status = tt_comm_barrier(opened);

	if (status == TOTUM_ELOST)
		status = tt_comm_shrink(opened, out);
	if (status || *out != opened)
		tt_comm_close(opened);
	return status;
}

totum_status tt_comm_shrink_hosts(totum_comm *comm, totum_comm *here, totum_comm **out)
{
	struct regroup regroup = {
		.comm = comm, .here = here, .mates = malloc((size_t)here->nranks * sizeof(int))};
	totum_status status;

	if (regroup.mates) {
		name_mates(&regroup);
		status = find_survivors(&regroup);
	} else {
		status = tt_host_fail(&here->host, TOTUM_EMEMORY, here->rank,
				      "rank %d has no memory for the survivors", here->rank);
	}
	if (!status)
		status = open_new(&regroup, out);
	if (!status)
		status = meet_new(out);
	if (status && !regroup.gave_up)
		tt_notices_give_up(comm, status);
	tt_spread_unlisten(&regroup.doors);
	free(regroup.all.ranks);
	free(regroup.all.cards);
	free(regroup.mates);
	return status;
}
