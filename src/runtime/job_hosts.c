/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job_hosts - joining a job on several hosts: who is on this host, then the host's own meeting, then
 * everybody's doors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "launch/neighbours.h"
#include "runtime/job.h"
#include "runtime/spread.h"

struct joining {
	const struct tt_identity *identity;
	const struct tt_settings *settings;
	struct tt_exchange *exchange;
	struct tt_neighbours neighbours;
	tt_network network;
	struct tt_job *job;
};

/* The ranks of this host meet as if they were a job of their own. */
static totum_status join_host(struct joining *joining)
{
	const struct tt_identity *identity = joining->identity;
	const struct tt_neighbours *neighbours = &joining->neighbours;
	struct tt_identity here = *identity;

	here.rank = neighbours->index;
	here.nranks = neighbours->n;
	snprintf(here.root, sizeof here.root, "local:%s", neighbours->name);
	totum_status status = tt_job_join(&here, joining->settings, &joining->job);
	explicit_bzero(here.secret, sizeof here.secret);
	return status;
}

static totum_status remember(struct joining *joining)
{
	struct tt_job *job = joining->job;
	const int *leaders = joining->neighbours.leaders;

	memcpy(job->secret, joining->identity->secret, sizeof job->secret);
	job->network = joining->network;
	job->world = malloc((size_t)job->nranks * sizeof *job->world);
	if (!job->world)
		return tt_fail_memory((size_t)job->nranks * sizeof *job->world, "the job");
	for (int rank = 0, at = 0; rank < joining->identity->nranks; rank++)
		if (leaders[rank] == leaders[joining->identity->rank])
			job->world[at++] = rank;
	const char *tuning = joining->settings->tuning;
	return tuning[0] ? tt_tuning_open(tuning, &job->tuning) : TOTUM_OK;
}

struct wish {
	uint8_t setting, offers_ucx;
};

/* UCX where all ranks want or have it; TOTUM_TRANSPORT must not differ. */
static totum_status choose_network(struct joining *joining)
{
	const struct tt_identity *identity = joining->identity;
	size_t n = (size_t)identity->nranks;
	struct wish mine = {(uint8_t)joining->settings->transport,
			    tt_network_offers_ucx(joining->settings)};
	struct wish *all = malloc(n * sizeof *all);
	bool ucx = true;

	if (!all)
		return tt_fail_memory(n * sizeof *all, "the ranks' transports");
	totum_status status =
		joining->exchange->allgather(joining->exchange, &mine, sizeof mine, all);
	for (size_t rank = 0; rank < n && !status; rank++) {
		ucx &= all[rank].offers_ucx;
		if (all[rank].setting != all[0].setting)
			status = tt_fail(TOTUM_EINVAL,
					 "TOTUM_TRANSPORT is not the same on rank %zu as on rank "
					 "0; set it alike on all ranks",
					 rank);
	}
	free(all);
	joining->network = ucx ? TT_TRANSPORT_UCX : TT_TRANSPORT_TCP;
	return status;
}

/* Everybody hears of what went wrong with one. */
static totum_status exchange_cards(struct joining *joining, totum_status joined,
				   struct tt_spread **out)
{
	const struct tt_identity *identity = joining->identity;
	size_t n = (size_t)identity->nranks;
	struct tt_card mine, *cards = malloc(n * sizeof *cards);
	struct tt_doors doors = {0};
	char why[512];

	snprintf(why, sizeof why, "%s", totum_errmsg());
	if (!joined)
		tt_spread_listen(joining->job, &doors, &mine);
	else
		mine = (struct tt_card){.status = joined};
	totum_status own = mine.status;
	if (!joined && own)
		snprintf(why, sizeof why, "%s", totum_errmsg());
	if (!cards) {
		tt_spread_unlisten(&doors);
		return tt_fail_memory(n * sizeof *cards, "the addresses of all ranks");
	}
	totum_status status = joining->exchange->allgather(joining->exchange, &mine, sizeof mine,
							   cards);
	if (!status && !own)
		return tt_spread_new(identity->rank, identity->nranks, joining->neighbours.leaders,
				     cards, &doors, out);
	tt_spread_unlisten(&doors);
	free(cards);
	return own ? tt_fail(own, "%s", why) : status;
}

static totum_status join(struct joining *joining, struct tt_spread **spread)
{
	totum_status status =
		tt_neighbours_find(joining->identity, joining->exchange, &joining->neighbours);

	if (status)
		return status;
	bool alone = joining->neighbours.n == joining->identity->nranks;
	status = alone ? TOTUM_OK : choose_network(joining);
	if (!status)
		status = join_host(joining);
	if (!status)
		status = remember(joining);
	if (!alone)
		status = exchange_cards(joining, status, spread);
	if (!status && !alone)
		tt_log("rank %d is one of %d on its host; the job has %d hosts",
		       joining->identity->rank, joining->neighbours.n, (*spread)->nhosts);
	return status;
}

totum_status tt_job_join_hosts(struct tt_identity *identity, const struct tt_settings *settings,
			       struct tt_job **out, int *index, struct tt_spread **spread)
{
	struct joining joining = {.identity = identity, .settings = settings};
	totum_status status = tt_exchange_open(identity, settings, &joining.exchange);

	*spread = NULL;
	if (status)
		return status;
	status = join(&joining, spread);
	joining.exchange->close(joining.exchange);
	free(joining.neighbours.leaders);
	if (status && joining.job)
		tt_job_leave(joining.job);
	if (status)
		return status;
	*out = joining.job;
	*index = joining.neighbours.index;
	return TOTUM_OK;
}

int tt_job_world_rank(const struct tt_job *job, int rank)
{
	return job->world ? job->world[rank] : rank;
}
