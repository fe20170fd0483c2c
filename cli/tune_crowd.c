/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tune_crowd - messages of one rank to several at once, and of all ranks of a host at once.
 *
 * What a rank gains by each further peer says how many links it drives; what a host's ranks get all
 * together says what they share, a memory bus or a network card.
 */
#include "tune.h"

#include <math.h>

enum { TAG_DATA = 3, TAG_DONE, ROUNDS = 10, SHIFTS = 4 };

static const double worth = 0.5; /* of a link: below it, another peer gains nothing */

/* Sends to k peers at once and waits until all have it. */
static totum_status fan_out(struct tune_job *job, const struct tune_team *team, int k, size_t bytes)
{
	totum_request *requests[TUNE_PEERS];
	totum_status status = TOTUM_OK;
	unsigned char done;
	int begun = 0;

	while (begun < k && !status) {
		status = totum_isend(job->send, bytes, TOTUM_U8, team->peers[begun], TAG_DATA,
				     job->comm, &requests[begun]);
		begun += !status;
	}
	for (int i = 0; i < begun; i++) {
		totum_status sent = totum_wait(requests[i]);

		status = status ? status : sent;
	}
	for (int i = 0; i < k && !status; i++)
		status = totum_recv(&done, 1, TOTUM_U8, team->peers[i], TAG_DONE, job->comm, NULL);
	return status;
}

static totum_status take(struct tune_job *job, int from, size_t bytes)
{
	unsigned char done = 1;
	totum_status status =
		totum_recv(job->recv, bytes, TOTUM_U8, from, TAG_DATA, job->comm, NULL);

	return status ? status : totum_send(&done, 1, TOTUM_U8, from, TAG_DONE, job->comm);
}

/* The least time to k peers, on all ranks. */
static totum_status time_fan(struct tune_job *job, const struct tune_team *team, int k,
			     size_t bytes, double *best)
{
	totum_status status = TOTUM_OK;
	bool peer = false;

	for (int i = 0; i < k; i++)
		peer |= team->peers[i] == job->rank;
	*best = job->rank == team->from ? (double)INFINITY : 0;
	for (int i = 0; i < ROUNDS && !status; i++) {
		double begin = tune_now();

		if (peer)
			status = take(job, team->from, bytes);
		else if (job->rank == team->from)
			status = fan_out(job, team, k, bytes);
		*best = fmin(*best, tune_now() - begin);
	}
	return status ? status : tune_greatest(best, 1, job->comm);
}

totum_status tune_ports(struct tune_job *job, const struct tune_team *team, struct tune_link *out)
{
	double one = 0, seconds, gained = 1;
	totum_status status = time_fan(job, team, 1, out->large, &one);

	out->ports = 1;
	for (int k = 2; k <= team->npeers && !status; k++) {
		status = time_fan(job, team, k, out->large, &seconds);
		double gain = k * one / fmax(seconds, 1e-9);

		if (status || gain < gained + worth)
			break;
		gained = gain;
		out->ports = k;
	}
	return status;
}

/* Where this rank sends, and from whom it receives; -1: nowhere. */
static void find_partners(const struct tune_job *job, const struct tune_team *team, bool between,
			  int *to, int *from)
{
	*to = *from = -1;
	for (int i = 0; i < team->npairs; i++) {
		if (team->senders[i] == job->rank)
			*to = team->receivers[i];
		if (team->receivers[i] == job->rank)
			*from = team->senders[i];
	}
	if (between) /* pairs, whose messages cross */
		*to = *from = *to >= 0 ? *to : *from;
}

static totum_status shift(struct tune_job *job, int to, int from, size_t bytes)
{
	totum_status status = TOTUM_OK;

	for (int i = 0; i < SHIFTS && !status; i++) {
		totum_request *request;

		status = totum_isend(job->send, bytes, TOTUM_U8, to, TAG_DATA, job->comm, &request);
		if (status)
			return status;
		status = totum_recv(job->recv, bytes, TOTUM_U8, from, TAG_DATA, job->comm, NULL);
		totum_status sent = totum_wait(request);

		status = status ? status : sent;
	}
	return status;
}

totum_status tune_together(struct tune_job *job, const struct tune_team *team, bool between,
			   struct tune_link *out)
{
	double seconds[ROUNDS] = {0}, best = (double)INFINITY;
	totum_status status = TOTUM_OK;
	int to, from;

	find_partners(job, team, between, &to, &from);
	for (int i = 0; i < ROUNDS && !status; i++) {
		status = totum_barrier(job->comm);
		double begin = tune_now();

		if (!status && to >= 0) {
			status = shift(job, to, from, out->large);
			seconds[i] = (tune_now() - begin) / SHIFTS;
		}
	}
	if (!status)
		status = tune_greatest(seconds, ROUNDS, job->comm);
	for (int i = 0; i < ROUNDS; i++)
		best = fmin(best, seconds[i]);
	int senders = between ? team->npairs : team->nranks;

	out->together = fmin(senders, senders * out->one_way / fmax(best, 1e-9));
	return status;
}
