/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rescuing.h - a rank that makes all-gathers until one fails, and completes that one with the other
 * survivors; for programs whose ranks are killed.
 *
 * Everything about call k follows from the seed and k: sizes, form, bytes.  Buffers take
 * turns, so that the two before the last can be rescued too: of two calls in a row one has no empty
 * shards, and waits for everybody.
 */
#ifndef RESCUING_H
#define RESCUING_H

#include <totum.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESCUING_RANKS = 8, RESCUING_FORMS = 4, RESCUING_TURNS = 3 };

struct rescuing {
	totum_comm *comm;
	int rank, nranks;
	uint64_t seed;
	size_t least, most; /* bytes of a result, about */
	bool equal;         /* shards, and send apart from recv; else the form is random too */
	long call;
	unsigned char *send, *recv[RESCUING_TURNS]; /* room for `most` and a little more */
	const char *wrong;                          /* what was not as it should be */
};

/* A call's shape, in bytes: blocks with gaps between them in the last two forms. */
struct shape {
	enum { EQUAL, IN_PLACE, UNEVEN, UNEVEN_IN_PLACE } form;
	size_t counts[RESCUING_RANKS], displs[RESCUING_RANKS];
};

static inline uint64_t rescuing_mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9E3779B97F4A7C15u;
	x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9u;
	return x ^ x >> 32;
}

static inline struct shape shape_of(const struct rescuing *job, long call)
{
	uint64_t random = rescuing_mix(job->seed + (uint64_t)call * 7919);
	size_t total = job->least, at = 0, n = (size_t)job->nranks;
	struct shape shape = {.form = job->equal ? EQUAL : random % RESCUING_FORMS};

	while (total < job->most && (random = rescuing_mix(random)) % 8)
		total *= 2;
	total = total < job->most ? total : job->most;
	for (size_t r = 0; r < n; r++) {
		uint64_t uneven = rescuing_mix(random + r);
		bool equal = shape.form == EQUAL || shape.form == IN_PLACE;
		size_t gap = equal ? 0 : uneven % 3 * 5;
		shape.counts[r] = total / n;
		if (!equal)
			shape.counts[r] = uneven % 4 || call % 2 ? 1 + uneven / 4 % (total / n) : 0;
		shape.displs[r] = at + gap;
		at += shape.counts[r] + gap;
	}
	return shape;
}

static inline unsigned char byte_of(const struct rescuing *job, long call, int rank, size_t i)
{
	return (unsigned char)((size_t)rank * 31 + i * 7 + (i >> 8) * 13 + (i >> 16) * 5 +
			       (size_t)call * 97 + job->seed);
}

static inline void rescuing_open(struct rescuing *job)
{
	size_t room = job->most + 64 * RESCUING_RANKS;

	job->rank = totum_comm_rank(job->comm);
	job->nranks = totum_comm_nranks(job->comm);
	job->send = malloc(room);
	for (int i = 0; i < RESCUING_TURNS; i++)
		job->recv[i] = malloc(room);
	for (int i = 0; i < RESCUING_TURNS; i++)
		if (!job->send || !job->recv[i])
			abort();
}

static inline void rescuing_close(struct rescuing *job)
{
	free(job->send);
	for (int i = 0; i < RESCUING_TURNS; i++)
		free(job->recv[i]);
}

/* What this rank brings to the call, where the call's form has it. */
static inline const void *rescuing_fill(struct rescuing *job, long call, const struct shape *shape)
{
	bool in_place = shape->form == IN_PLACE || shape->form == UNEVEN_IN_PLACE;
	unsigned char *at =
		in_place ? job->recv[call % RESCUING_TURNS] + shape->displs[job->rank] : job->send;

	for (size_t i = 0; i < shape->counts[job->rank]; i++)
		at[i] = byte_of(job, call, job->rank, i);
	return in_place ? TOTUM_IN_PLACE : at;
}

static inline totum_status rescuing_gather(struct rescuing *job)
{
	struct shape shape = shape_of(job, job->call);
	unsigned char *recv = job->recv[job->call % RESCUING_TURNS];
	size_t n = (size_t)job->nranks;

	memset(recv, 0x5A, shape.displs[n - 1] + shape.counts[n - 1]);
	const void *send = rescuing_fill(job, job->call, &shape);
	if (shape.form == EQUAL || shape.form == IN_PLACE)
		return totum_allgather(send, recv, shape.counts[0], TOTUM_U8, job->comm);
	return totum_allgatherv(send, shape.counts[job->rank], recv, shape.counts, shape.displs,
				TOTUM_U8, job->comm);
}

/*
 * Send is one buffer for all calls: only what has not been filled anew since can be brought again,
 * which is enough, because who completed the call has its shard in recv.
 */
static inline totum_status rescuing_rescue(struct rescuing *job, totum_comm *survivors, int *back,
					   unsigned char *here)
{
	long call = job->call - *back;
	struct shape shape = shape_of(job, call);
	bool in_place = shape.form == IN_PLACE || shape.form == UNEVEN_IN_PLACE;
	const void *send = in_place ? TOTUM_IN_PLACE : job->send;

	if (shape.form == EQUAL || shape.form == IN_PLACE)
		return totum_allgather_rescue(send, job->recv[call % RESCUING_TURNS],
					      shape.counts[0], TOTUM_U8, job->comm, survivors, back,
					      here);
	return totum_allgatherv_rescue(send, shape.counts[job->rank],
				       job->recv[call % RESCUING_TURNS], shape.counts, shape.displs,
				       TOTUM_U8, job->comm, survivors, back, here);
}

/* Are the blocks that are here right, to the last byte, and nothing else written to the gaps? */
static inline bool rescuing_right(const struct rescuing *job, long call, const unsigned char *here)
{
	struct shape shape = shape_of(job, call);
	const unsigned char *recv = job->recv[call % RESCUING_TURNS];
	size_t end = 0;

	for (int r = 0; r < job->nranks; r++) {
		for (; end < shape.displs[r]; end++)
			if (recv[end] != 0x5A)
				return false;
		for (size_t i = 0; i < shape.counts[r] && here[r]; i++)
			if (recv[shape.displs[r] + i] != byte_of(job, call, r, i))
				return false;
		end = shape.displs[r] + shape.counts[r];
	}
	return true;
}

/*
 * After a loss, in job->call or a call that is no all-gather, `back` calls behind the one to be
 * rescued: shrinks and rescues until nobody dies on the way.  The call that was rescued, and
 * the bits of whose shards are here; -1, with job->wrong, when something is not as it should be.
 */
static inline long rescuing_recover(struct rescuing *job, int back, unsigned *mask)
{
	unsigned char here[RESCUING_RANKS];
	totum_comm *from = job->comm, *next;
	totum_status status;

	job->wrong = "a shrink fails";
	for (;;) {
		if (totum_comm_shrink(from, &next))
			return -1;
		if (from != job->comm)
			totum_comm_free(from);
		from = next;
		status = rescuing_rescue(job, next, &back, here);
		if (status == TOTUM_EMISMATCH)
			status = rescuing_rescue(job, next, &back, here);
		if (status && status != TOTUM_ELOST) {
			job->wrong = "a rescue fails";
			return -1;
		}
		if (!totum_barrier(next)) /* what was lost are shards, and not another rank */
			break;
	}
	*mask = 0;
	for (int r = 0; r < job->nranks; r++)
		*mask |= (unsigned)here[r] << r;
	job->wrong = "wrong bytes";
	if (!rescuing_right(job, job->call - back, here))
		return -1;
	job->wrong = "the status is not that of the blocks";
	if ((status == TOTUM_OK) != (*mask == (1u << job->nranks) - 1))
		return -1;
	totum_comm_free(next);
	return job->call - back;
}

#endif
