/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tune_messages - messages of a ring of ranks: each sends to the next one and receives from the one
 * before, as in a round of a collective, over all sizes; and of a pair: one way, and both at once.
 *
 * A link whose sender has been idle may let a burst through (a shaper's bucket, a switch's buffer),
 * and then runs at its rate.  Rounds follow each other, so what counts is the link in steady use:
 * each size is exchanged for a while before it is timed, windows of messages are timed without a
 * pause between them, and their median counts, since one that follows a pause is too fast and one
 * in which a rank waited for its core too slow.  One clock is read, the first rank's: all others go
 * at its pace.
 */
#include "tune.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "bench_timing.h"

enum { TAG_DATA = 2, TAG_DONE, MOST_SIZES = 64, MOST_WINDOWS = 7, LEAST_WINDOWS = 5 };
enum { MOST_BATCH = 1 << 16, RATE_BYTES = 1 << 20, BURST = 512 << 10, STREAM = 4, TURNS = 3 };

static const double window_time = 4e-3, warm_time = 10e-3, size_time = 0.03, longest = 0.05,
		    longest_rate = 0.02;

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

long tune_enough(double seconds, double each, uint64_t bytes)
{
	double burst = fmin(BURST / (double)bytes, 4 * seconds / each);

	return (long)fmin(MOST_BATCH, ceil(fmax(seconds / each, burst)));
}

/* Where a rank sends to and receives from; -1: it has no part. */
struct turn {
	int to, from;
};

static totum_status exchange(struct tune_job *job, struct turn turn, size_t bytes, long n)
{
	totum_status status = TOTUM_OK;

	for (long i = 0; i < n && !status && turn.to >= 0; i++) {
		totum_request *request;

		status = totum_isend(job->send, bytes, TOTUM_U8, turn.to, TAG_DATA, job->comm,
				     &request);
		if (status)
			return status;
		status = totum_recv(job->recv, bytes, TOTUM_U8, turn.from, TAG_DATA, job->comm,
				    NULL);
		totum_status sent = totum_wait(request);

		status = status ? status : sent;
	}
	return status;
}

/* --- all sizes ------------------------------------------------------------------------------ */

/*
 * Exchanges until the link is in steady use; *each: seconds of one, of the last half.  All ranks
 * hear what the first one's clock says.
 */
static totum_status warm_up(struct tune_job *job, const struct tune_team *team, struct turn turn,
			    size_t bytes, double *each)
{
	totum_status status = TOTUM_OK;
	long done = 0, n = 2, want = 4;

	for (; done < want && !status; n = done) {
		double begin = tune_now();

		status = exchange(job, turn, bytes, n);
		*each = fmax(tune_now() - begin, 1e-9) / (double)n;
		if (!status)
			status = totum_broadcast(each, each, 1, TOTUM_F64, team->from, job->comm);
		done += n;
		want = tune_enough(warm_time, *each, bytes);
	}
	return status;
}

/* Windows of one size, ascending. */
struct times {
	size_t bytes, n;
	double windows[MOST_WINDOWS];
};

static double typical(const struct times *times)
{
	return times->windows[times->n / 2];
}

static totum_status time_size(struct tune_job *job, const struct tune_team *team, struct turn turn,
			      struct times *times)
{
	size_t bytes = times->bytes;
	double *windows = times->windows, each = 1;
	totum_status status = warm_up(job, team, turn, bytes, &each);
	long batch = tune_enough(window_time, each, bytes);
	size_t n =
		(size_t)fmin(MOST_WINDOWS, fmax(LEAST_WINDOWS, size_time / each / (double)batch));

	/* what the first one takes does not count: the ranks come from telling each other */
	for (size_t i = 0; i <= n && !status; i++) {
		double begin = tune_now();

		status = exchange(job, turn, bytes, batch);
		windows[i ? i - 1 : 0] = fmax(tune_now() - begin, 1e-9) / (double)batch;
	}
	if (!status)
		status = totum_broadcast(windows, windows, n, TOTUM_F64, team->from, job->comm);
	bench_sort(windows, (long)n);
	times->n = n;
	return status;
}

/* This rank's neighbours in the team's ring. */
static struct turn turn_of(const struct tune_job *job, const struct tune_team *team)
{
	for (int i = 0; i < team->nring; i++)
		if (team->ring[i] == job->rank)
			return (struct turn){team->ring[(i + 1) % team->nring],
					     team->ring[(i + team->nring - 1) % team->nring]};
	return (struct turn){-1, -1};
}

/*
 * No message takes longer than a larger one: sizes that seem to have been disturbed, and are
 * measured again, once.  What still takes longer is believed.
 */
static totum_status repeat_sizes(struct tune_job *job, const struct tune_team *team,
				 struct turn turn, struct times *times, size_t n)
{
	double least = (double)INFINITY;
	totum_status status = TOTUM_OK;

	for (size_t i = n; i-- > 0 && !status;) {
		struct times again = {.bytes = times[i].bytes};

		if (typical(&times[i]) > least) {
			status = time_size(job, team, turn, &again);
			if (!status && typical(&again) < typical(&times[i]))
				times[i] = again;
		}
		least = fmin(least, typical(&times[i]));
	}
	return status;
}

/* Sizes 2^i and 1.5*2^i from 2 on, until one takes too long; *n: how many. */
static totum_status time_sizes(struct tune_job *job, const struct tune_team *team,
			       struct times *times, size_t *n, struct tune_link *out)
{
	struct turn turn = turn_of(job, team);
	totum_status status = TOTUM_OK;
	double last = 0;

	for (size_t i = 0; !status && last < longest; i++) {
		size_t bytes = i % 2 ? (size_t)3 << (i / 2) : (size_t)2 << (i / 2);

		if (bytes > TUNE_LARGEST)
			break;
		times[i].bytes = bytes;
		status = time_size(job, team, turn, &times[i]);
		last = typical(&times[i]);
		*n = i + 1;
		if (!i || (bytes <= RATE_BYTES && last <= longest_rate))
			out->large = bytes;
	}
	if (!status)
		status = repeat_sizes(job, team, turn, times, *n);
	for (size_t i = 0; i < *n; i++)
		if (times[i].bytes == out->large)
			out->steady = typical(&times[i]);
	return status;
}

totum_status tune_sizes(struct tune_job *job, const struct tune_team *team, struct tune_link *out)
{
	struct times *times = calloc(MOST_SIZES, sizeof *times);
	totum_status status = TOTUM_EMEMORY;
	size_t n = 0;

	out->n = 0;
	out->bytes = calloc(MOST_SIZES * MOST_WINDOWS, sizeof *out->bytes);
	out->seconds = calloc(MOST_SIZES * MOST_WINDOWS, sizeof *out->seconds);
	if (times && out->bytes && out->seconds)
		status = time_sizes(job, team, times, &n, out);
	for (size_t i = 0; i < n && !status; i++)
		for (size_t k = 0; k < times[i].n; k++) {
			out->bytes[out->n] = (double)times[i].bytes;
			out->seconds[out->n++] = times[i].windows[k];
		}
	free(times);
	return status;
}

/* --- one way, and both ways at once --------------------------------------------------------- */

/* Messages one after the other, and a word back when all have come. */
static totum_status stream(struct tune_job *job, bool sends, int other, size_t bytes, int n)
{
	totum_status status = TOTUM_OK;
	unsigned char done = 1;

	for (int i = 0; i < n && !status; i++)
		status = sends ? totum_send(job->send, bytes, TOTUM_U8, other, TAG_DATA, job->comm)
			       : totum_recv(job->recv, bytes, TOTUM_U8, other, TAG_DATA, job->comm,
					    NULL);
	if (status)
		return status;
	return sends ? totum_recv(&done, 1, TOTUM_U8, other, TAG_DONE, job->comm, NULL)
		     : totum_send(&done, 1, TOTUM_U8, other, TAG_DONE, job->comm);
}

/* In turns on a busy machine; the first of each fills what the link lets through at once. */
static totum_status take_turns(struct tune_job *job, const struct tune_team *team, size_t bytes,
			       double *one_way, double *both)
{
	bool begins = job->rank == team->from;
	int other = begins ? team->to : team->from;
	double ones[TURNS], boths[TURNS];
	totum_status status = TOTUM_OK;

	for (int i = 0; i < TURNS && !status; i++) {
		status = stream(job, begins, other, bytes, 1);
		double begin = tune_now();

		if (!status)
			status = stream(job, begins, other, bytes, STREAM);
		ones[i] = (tune_now() - begin) / STREAM;
		if (!status)
			status = exchange(job, (struct turn){other, other}, bytes, 1);
		begin = tune_now();
		if (!status)
			status = exchange(job, (struct turn){other, other}, bytes, STREAM);
		boths[i] = (tune_now() - begin) / STREAM;
	}
	if (status)
		return status;
	bench_sort(ones, TURNS);
	bench_sort(boths, TURNS);
	*one_way = ones[TURNS / 2];
	*both = boths[TURNS / 2];
	return TOTUM_OK;
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
	/* of the two times both ways the lesser one is the less disturbed */
	times[1] = fmin(times[1], out->steady);
	/* more than twice one direction is a disturbed measurement, not a link */
	out->exchange = fmin(2, 2 * times[0] / fmax(times[1], 1e-9));
	out->one_way = times[0];
	return status;
}
