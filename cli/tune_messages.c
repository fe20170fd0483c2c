/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tune_messages - messages of two ranks: there and back over all sizes, and both at once.
 *
 * The one that begins reads its clock alone, so that clocks of two hosts are never compared, and
 * tells its partner before each row of messages how many will come.  Small messages are timed
 * many at a time, since a clock read takes as long as one of them.
 */
#include "tune.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { TAG_ORDER = 1, TAG_DATA, MOST_SIZES = 64, MOST_SAMPLES = 30, LEAST_SAMPLES = 5 };
enum { MOST_BATCH = 1000, RATE_BYTES = 1 << 20, EXCHANGES = 20 };

static const double batch_time = 20e-6, size_time = 0.04, longest = 0.05;

double tune_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

totum_status tune_greatest(double *numbers, size_t n, totum_comm *comm)
{
	return totum_allreduce(numbers, numbers, n, TOTUM_F64, TOTUM_MAX, comm);
}

/* What the partner shall do: n messages of so many bytes there and back; n = 0: it is the end. */
struct order {
	uint64_t bytes, n;
};

static totum_status there_and_back(struct tune_job *job, int to, size_t bytes, uint64_t n)
{
	totum_status status = TOTUM_OK;

	for (uint64_t i = 0; i < n && !status; i++) {
		status = totum_send(job->send, bytes, TOTUM_U8, to, TAG_DATA, job->comm);
		if (!status)
			status = totum_recv(job->recv, bytes, TOTUM_U8, to, TAG_DATA, job->comm,
					    NULL);
	}
	return status;
}

static totum_status answer_one(struct tune_job *job, int from, size_t bytes)
{
	totum_status status =
		totum_recv(job->recv, bytes, TOTUM_U8, from, TAG_DATA, job->comm, NULL);

	return status ? status : totum_send(job->send, bytes, TOTUM_U8, from, TAG_DATA, job->comm);
}

static totum_status answer(struct tune_job *job, int from)
{
	struct order order = {0, 1};
	totum_status status = TOTUM_OK;

	while (!status && order.n) {
		status = totum_recv(&order, 2, TOTUM_U64, from, TAG_ORDER, job->comm, NULL);
		for (uint64_t i = 0; i < order.n && !status; i++)
			status = answer_one(job, from, order.bytes);
	}
	return status;
}

static totum_status give_order(struct tune_job *job, int to, size_t bytes, uint64_t n)
{
	const struct order order = {bytes, n};

	return totum_send(&order, 2, TOTUM_U64, to, TAG_ORDER, job->comm);
}

/* Samples of one size; *best: the least. */
static totum_status time_size(struct tune_job *job, int to, size_t bytes, struct tune_link *out,
			      double *best)
{
	uint64_t batch = 1, repeats = 2;
	double estimate = 0;
	totum_status status = TOTUM_OK;

	/* first calls are slow: the second trial estimates */
	for (int trial = 0; trial < 2 && !status; trial++) {
		status = give_order(job, to, bytes, repeats);
		double begin = tune_now();

		if (!status)
			status = there_and_back(job, to, bytes, repeats);
		estimate = fmax((tune_now() - begin) / (double)repeats, 1e-9);
	}
	batch = (uint64_t)fmin(MOST_BATCH, ceil(batch_time / estimate));
	repeats = (uint64_t)fmin(MOST_SAMPLES,
				 fmax(LEAST_SAMPLES, size_time / estimate / (double)batch));
	if (!status)
		status = give_order(job, to, bytes, batch * repeats);
	*best = (double)INFINITY;
	for (uint64_t i = 0; i < repeats && !status; i++) {
		double begin = tune_now();

		status = there_and_back(job, to, bytes, batch);
		double seconds = fmax(tune_now() - begin, 1e-9) / (double)(2 * batch);

		out->bytes[out->n] = (double)bytes;
		out->seconds[out->n++] = seconds;
		*best = fmin(*best, seconds);
	}
	return status;
}

/* Sizes 2^i and 1.5*2^i from 2 on, until one takes too long. */
static totum_status begin_pair(struct tune_job *job, int to, struct tune_link *out)
{
	totum_status status = TOTUM_OK;
	double best = 0;

	for (size_t i = 0; !status && best < longest; i++) {
		size_t bytes = i % 2 ? (size_t)3 << (i / 2) : (size_t)2 << (i / 2);

		if (bytes > TUNE_LARGEST)
			break;
		status = time_size(job, to, bytes, out, &best);
		if (bytes <= RATE_BYTES) {
			out->large = bytes;
			out->one_way = best;
		}
	}
	return status ? status : give_order(job, to, 0, 0);
}

/* What the one that began has found, to all ranks. */
static totum_status tell(struct tune_job *job, int from, struct tune_link *link)
{
	double facts[3] = {(double)link->n, (double)link->large, link->one_way};
	totum_status status = totum_broadcast(facts, facts, 3, TOTUM_F64, from, job->comm);

	link->n = (size_t)facts[0];
	link->large = (size_t)facts[1];
	link->one_way = facts[2];
	if (!status)
		status = totum_broadcast(link->bytes, link->bytes, link->n, TOTUM_F64, from,
					 job->comm);
	if (!status)
		status = totum_broadcast(link->seconds, link->seconds, link->n, TOTUM_F64, from,
					 job->comm);
	return status;
}

totum_status tune_pair(struct tune_job *job, const struct tune_team *team, struct tune_link *out)
{
	totum_status status = TOTUM_OK;

	out->n = 0;
	out->bytes = calloc(MOST_SIZES * MOST_SAMPLES, sizeof *out->bytes);
	out->seconds = calloc(MOST_SIZES * MOST_SAMPLES, sizeof *out->seconds);
	if (!out->bytes || !out->seconds)
		return TOTUM_EMEMORY;
	if (job->rank == team->from)
		status = begin_pair(job, team->to, out);
	else if (job->rank == team->to)
		status = answer(job, team->from);
	return status ? status : tell(job, team->from, out);
}

static totum_status both_ways(struct tune_job *job, int other, size_t bytes)
{
	totum_request *request;
	totum_status status =
		totum_isend(job->send, bytes, TOTUM_U8, other, TAG_DATA, job->comm, &request);

	if (status)
		return status;
	status = totum_recv(job->recv, bytes, TOTUM_U8, other, TAG_DATA, job->comm, NULL);
	totum_status sent = totum_wait(request);

	return status ? status : sent;
}

/* The least times of a message each way and of one both ways at once, in turns on a busy machine.
 */
static totum_status take_turns(struct tune_job *job, const struct tune_team *team, size_t bytes,
			       double *one_way, double *both)
{
	bool begins = job->rank == team->from;
	int other = begins ? team->to : team->from;
	totum_status status = TOTUM_OK;

	*one_way = *both = (double)INFINITY;
	for (int i = 0; i < EXCHANGES && !status; i++) {
		double begin = tune_now();

		status = begins ? there_and_back(job, other, bytes, 1)
				: answer_one(job, other, bytes);
		double middle = tune_now();

		if (!status)
			status = both_ways(job, other, bytes);
		if (i) { /* the first one also waits for the other to come */
			*one_way = fmin(*one_way, (middle - begin) / 2);
			*both = fmin(*both, tune_now() - middle);
		}
	}
	return status;
}

totum_status tune_exchange(struct tune_job *job, const struct tune_team *team,
			   struct tune_link *out)
{
	double times[2] = {0, 0};
	totum_status status = TOTUM_OK;

	if (job->rank == team->from || job->rank == team->to)
		status = take_turns(job, team, out->large, &times[0], &times[1]);
	if (job->rank != team->from)
		times[0] = times[1] = 0;
	if (!status)
		status = tune_greatest(times, 2, job->comm);
	/* more than twice one direction is a disturbed measurement, not a link */
	out->exchange = fmin(2, 2 * times[0] / fmax(times[1], 1e-9));
	out->one_way = fmin(out->one_way, times[0]);
	return status;
}
