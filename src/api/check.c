/* SPDX-License-Identifier: BSD-3-Clause */
/* check - arguments of collectives, refused before anything happens. */
#include "api/check.h"

#include <stdint.h>
#include <stdlib.h>

#include "host/reduce.h"

totum_status tt_check_bytes(const char *call, size_t count, totum_dtype dtype, size_t times,
			    size_t *bytes)
{
	size_t element = totum_dtype_size(dtype);

	if (!element)
		return tt_fail(TOTUM_EINVAL, "%s: dtype %d is none; use TOTUM_I8 .. TOTUM_C128",
			       call, (int)dtype);
	if (__builtin_mul_overflow(count, times, bytes) ||
	    __builtin_mul_overflow(*bytes, element, bytes) || *bytes > (size_t)PTRDIFF_MAX)
		return tt_fail(TOTUM_EINVAL,
			       "%s: %zu x %zu elements of %zu bytes are more than memory can hold; "
			       "was a negative count converted?",
			       call, count, times, element);
	return TOTUM_OK;
}

totum_status tt_check_op(const char *call, totum_dtype dtype, totum_op op)
{
	totum_status status = tt_reduce_check(dtype, op);

	return status ? tt_fail_in(status, "%s", call) : TOTUM_OK;
}

totum_status tt_check_root(const char *call, int root, int nranks)
{
	if (root >= 0 && root < nranks)
		return TOTUM_OK;
	return tt_fail(TOTUM_EINVAL,
		       "%s: root %d is not a rank of this communicator, which has 0 to %d", call,
		       root, nranks - 1);
}

static bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return a_bytes && b_bytes && x < y + b_bytes && y < x + a_bytes;
}

/* The sentinel is an address too, which must not be taken for one. */
static bool misplaced(const void *buffer, size_t bytes)
{
	return bytes && buffer == TOTUM_IN_PLACE;
}

static totum_status refuse_sentinel(const char *call, const char *name)
{
	return tt_fail(TOTUM_EINVAL,
		       "%s: %s is TOTUM_IN_PLACE, which this rank cannot give there; "
		       "give it a buffer",
		       call, name);
}

static totum_status refuse_null(const char *call, const char *name)
{
	return tt_fail(TOTUM_EINVAL, "%s: %s is NULL while its count is not 0", call, name);
}

totum_status tt_check_buffers(const char *call, const void **send, size_t send_bytes,
			      const void *recv, size_t recv_bytes, size_t place)
{
	if (!recv && recv_bytes)
		return refuse_null(call, "recv");
	if (misplaced(recv, recv_bytes))
		return refuse_sentinel(call, "recv");
	const char *in_place = recv ? (const char *)recv + place : NULL;
	if (*send == TOTUM_IN_PLACE && !recv && send_bytes)
		return refuse_sentinel(call, "send");
	if (*send == TOTUM_IN_PLACE)
		*send = in_place;
	if (!*send && send_bytes)
		return refuse_null(call, "send");
	if (*send == in_place || !overlap(*send, send_bytes, recv, recv_bytes))
		return TOTUM_OK;
	return tt_fail(TOTUM_EINVAL,
		       "%s: send overlaps recv; "
		       "to work in place pass TOTUM_IN_PLACE or exactly recv + %zu bytes",
		       call, place);
}

totum_status tt_check_apart(const char *call, const void *send, size_t send_bytes, const void *recv,
			    size_t recv_bytes)
{
	if (!send && send_bytes)
		return refuse_null(call, "send");
	if (!recv && recv_bytes)
		return refuse_null(call, "recv");
	if (misplaced(send, send_bytes) || misplaced(recv, recv_bytes))
		return refuse_sentinel(call, send == TOTUM_IN_PLACE ? "send" : "recv");
	if (!overlap(send, send_bytes, recv, recv_bytes))
		return TOTUM_OK;
	return tt_fail(TOTUM_EINVAL, "%s: send overlaps recv; give it buffers of their own", call);
}

totum_status tt_check_scatter(const char *call, const void **send, size_t send_bytes, void **recv,
			      size_t recv_bytes, size_t place)
{
	if (misplaced(*recv, recv_bytes))
		return refuse_sentinel(call, "recv");
	if (*send == TOTUM_IN_PLACE) {
		*send = *recv;
		*recv = *recv ? (char *)*recv + place : NULL;
	}
	if (!*send && send_bytes)
		return refuse_null(call, "send");
	if (!*recv && recv_bytes)
		return refuse_null(call, "recv");
	if ((*send && *recv == (const char *)*send + place) ||
	    !overlap(*send, send_bytes, *recv, recv_bytes))
		return TOTUM_OK;
	return tt_fail(TOTUM_EINVAL,
		       "%s: recv overlaps send; "
		       "to work in place pass TOTUM_IN_PLACE or exactly recv == send + %zu bytes",
		       call, place);
}

struct piece {
	size_t first, end;
	int rank;
};

static int by_first(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Blocks given by displacements may lie in any order but not on each other. */
static totum_status check_disjoint(const char *call, const size_t counts[], const size_t displs[],
				   int nranks)
{
	struct piece *pieces = malloc((size_t)nranks * sizeof *pieces);
	int n = 0;

	if (!pieces)
		return tt_fail_memory((size_t)nranks * sizeof *pieces, "a check");
	for (int rank = 0; rank < nranks; rank++)
		if (counts[rank])
			pieces[n++] = (struct piece){
				displs[rank], displs[rank] + counts[rank], rank};
	qsort(pieces, (size_t)n, sizeof *pieces, by_first);
	totum_status status = TOTUM_OK;
	for (int i = 1; i < n && !status; i++)
		if (pieces[i - 1].end > pieces[i].first)
			status = tt_fail(TOTUM_EINVAL,
					 "%s: the blocks of ranks %d and %d overlap; "
					 "correct displs or counts",
					 call, pieces[i - 1].rank, pieces[i].rank);
	free(pieces);
	return status;
}

/* The sum of the counts and the end of the last block, in elements. */
static totum_status measure(const char *call, const size_t counts[], const size_t displs[],
			    int nranks, struct tt_shards *out)
{
	for (int rank = 0; rank < nranks; rank++) {
		size_t first = displs ? displs[rank] : out->count, last;
		if (__builtin_add_overflow(out->count, counts[rank], &out->count) ||
		    __builtin_add_overflow(first, counts[rank], &last))
			return tt_fail(TOTUM_EINVAL,
				       "%s: counts[%d] = %zu is too large; "
				       "was a negative count converted?",
				       call, rank, counts[rank]);
		if (counts[rank] && last > out->end)
			out->end = last;
	}
	return TOTUM_OK;
}

totum_status tt_check_shards(const char *call, const size_t counts[], const size_t displs[],
			     totum_dtype dtype, int nranks, struct tt_shards *out)
{
	size_t n = (size_t)nranks, element = totum_dtype_size(dtype), at = 0;

	*out = (struct tt_shards){0};
	if (!counts)
		return tt_fail(TOTUM_EINVAL, "%s: counts is NULL; give a count for every rank",
			       call);
	totum_status status = measure(call, counts, displs, nranks, out);
	size_t bytes = out->end > out->count ? out->end : out->count;
	if (!status)
		status = tt_check_bytes(call, bytes, dtype, 1, &bytes);
	if (!status && displs)
		status = check_disjoint(call, counts, displs, nranks);
	if (status)
		return status;
	out->bytes = malloc(2 * n * sizeof *out->bytes);
	if (!out->bytes)
		return tt_fail_memory(2 * n * sizeof *out->bytes, "a layout");
	out->places = out->bytes + n;
	out->end *= element;
	for (size_t rank = 0; rank < n; rank++) {
		out->bytes[rank] = counts[rank] * element;
		/* of an empty block it may be anything, which no address can be reckoned with */
		out->places[rank] = (displs && counts[rank] ? displs[rank] : at) * element;
		at += counts[rank];
		out->longest = out->bytes[rank] > out->longest ? out->bytes[rank] : out->longest;
	}
	return TOTUM_OK;
}

bool tt_check_in_place(const void *own, const void *all, const struct tt_shards *shards,
		       const size_t displs[], totum_dtype dtype, int rank)
{
	size_t place = displs ? displs[rank] * totum_dtype_size(dtype) : shards->places[rank];

	/* numbers, not addresses: the place may be none */
	return own == TOTUM_IN_PLACE || (all && (uintptr_t)own == (uintptr_t)all + place);
}
