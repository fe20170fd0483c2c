/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tune_places - who is on which host, and who measures with whom.
 *
 * Inside a host: the one with the most ranks, of equal ones the first.  Between hosts: the first
 * rank of each in a ring, and where a pair is enough, rank 0's host and the next one.  All ranks
 * know all places and so choose alike.
 */
#include "tune.h"

#include <stdlib.h>

/* The n-th rank of a host, or -1. */
static int nth(const struct tune_job *job, int host, int n)
{
	for (int rank = 0; rank < job->nranks; rank++)
		if (job->hosts[rank] == host && n-- == 0)
			return rank;
	return -1;
}

static int count(const struct tune_job *job, int host)
{
	int n = 0;

	for (int rank = 0; rank < job->nranks; rank++)
		n += job->hosts[rank] == host;
	return n;
}

static void add_pair(struct tune_team *team, int sender, int receiver)
{
	team->senders[team->npairs] = sender;
	team->receivers[team->npairs++] = receiver;
}

static void choose_inside(const struct tune_job *job, struct tune_team *team)
{
	int host = 0;

	for (int other = 1; other < job->nhosts; other++)
		if (count(job, other) > count(job, host))
			host = other;
	team->nranks = count(job, host);
	if (team->nranks < 2)
		return;
	team->from = nth(job, host, 0);
	team->to = nth(job, host, 1);
	team->ring[team->nring++] = team->from;
	team->ring[team->nring++] = team->to;
	for (int i = 1; i < team->nranks && team->npeers < TUNE_PEERS; i++)
		team->peers[team->npeers++] = nth(job, host, i);
	for (int i = 0; i < team->nranks; i++)
		add_pair(team, nth(job, host, i), nth(job, host, (i + 1) % team->nranks));
}

/* Peers on other hosts, one of each host before a second one of any. */
static void choose_between(const struct tune_job *job, struct tune_team *team)
{
	if (job->nhosts < 2)
		return;
	team->nranks = count(job, 0);
	team->from = nth(job, 0, 0);
	team->to = nth(job, 1, 0);
	for (int host = 0; host < job->nhosts; host++)
		team->ring[team->nring++] = nth(job, host, 0);
	for (int turn = 0; turn < job->nranks && team->npeers < TUNE_PEERS; turn++)
		for (int host = 1; host < job->nhosts && team->npeers < TUNE_PEERS; host++)
			if (nth(job, host, turn) >= 0)
				team->peers[team->npeers++] = nth(job, host, turn);
	for (int i = 0; i < team->nranks && nth(job, 1, i) >= 0; i++)
		add_pair(team, nth(job, 0, i), nth(job, 1, i));
}

totum_status tune_places(struct tune_job *job)
{
	job->hosts = calloc((size_t)job->nranks, sizeof *job->hosts);
	if (!job->hosts)
		return TOTUM_EMEMORY;
	for (int rank = 0; rank < job->nranks; rank++) {
		job->hosts[rank] = totum_comm_host(job->comm, rank);
		if (job->hosts[rank] >= job->nhosts)
			job->nhosts = job->hosts[rank] + 1;
	}
	for (int class = 0; class < TUNE_CLASSES; class ++) {
		struct tune_team *team = &job->teams[class];

		*team = (struct tune_team){.from = -1, .to = -1};
		team->senders = calloc((size_t)job->nranks, sizeof *team->senders);
		team->receivers = calloc((size_t)job->nranks, sizeof *team->receivers);
		team->ring = calloc((size_t)job->nranks, sizeof *team->ring);
		if (!team->senders || !team->receivers || !team->ring)
			return TOTUM_EMEMORY;
	}
	choose_inside(job, &job->teams[0]);
	choose_between(job, &job->teams[1]);
	return totum_comm_split(job->comm, job->hosts[job->rank], job->rank, &job->host);
}

void tune_places_free(struct tune_job *job)
{
	for (int class = 0; class < TUNE_CLASSES; class ++) {
		free(job->teams[class].senders);
		free(job->teams[class].receivers);
		free(job->teams[class].ring);
	}
	free(job->hosts);
}
