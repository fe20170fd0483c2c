/* SPDX-License-Identifier: BSD-3-Clause */
/* check - arguments of collectives, refused before anything happens. */
#include "api/check.h"

#include <stdbool.h>
#include <stdlib.h>

#include "host/reduce.h"

totum_status tt_check_bytes(const char *call, size_t count, totum_dtype dtype, size_t times, size_t *bytes)
{
	size_t element = totum_dtype_size(dtype);

	if (!element)
		return tt_fail(TOTUM_EINVAL, "%s: dtype %d is none; use TOTUM_I8 .. TOTUM_C128", call, (int)dtype);
	if (__builtin_mul_overflow(count, times, bytes) || __builtin_mul_overflow(*bytes, element, bytes) ||
	    *bytes > (size_t)PTRDIFF_MAX)
		return tt_fail(TOTUM_EINVAL, "%s: %zu x %zu elements of %zu bytes are more than memory can hold; was a negative count "
			       "converted?", call, count, times, element);
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
	return tt_fail(TOTUM_EINVAL, "%s: root %d is not a rank of this communicator, which has 0 to %d", call, root, nranks - 1);
}

static bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return a_bytes && b_bytes && x < y + b_bytes && y < x + a_bytes;
}

static totum_status refuse_null(const char *call, const char *name)
{
	return tt_fail(TOTUM_EINVAL, "%s: %s is NULL while its count is not 0", call, name);
}

totum_status tt_check_buffers(const char *call, const void **send, size_t send_bytes, const void *recv,
			      size_t recv_bytes, size_t place)
{
	if (!recv && recv_bytes)
		return refuse_null(call, "recv");
	const char *in_place = recv ? (const char *)recv + place : NULL;
	if (*send == TOTUM_IN_PLACE)
		*send = in_place;
	if (!*send && send_bytes)
		return refuse_null(call, "send");
	if (*send == in_place || !overlap(*send, send_bytes, recv, recv_bytes))
		return TOTUM_OK;
	return tt_fail(TOTUM_EINVAL, "%s: send overlaps recv; to work in place pass TOTUM_IN_PLACE or exactly recv + %zu bytes", call,
		       place);
}

totum_status tt_check_scatter(const char *call, const void *send, size_t send_bytes, const void *recv,
			      size_t recv_bytes, size_t place)
{
	if (!send && send_bytes)
		return refuse_null(call, "send");
	if (!recv && recv_bytes)
		return refuse_null(call, "recv");
	if ((send && recv == (const char *)send + place) || !overlap(send, send_bytes, recv, recv_bytes))
		return TOTUM_OK;
	return tt_fail(TOTUM_EINVAL, "%s: recv overlaps send; to work in place pass TOTUM_IN_PLACE or exactly recv == send + %zu bytes",
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
static totum_status check_disjoint(const size_t counts[], const size_t displs[], int nranks)
{
	struct piece *pieces = malloc((size_t)nranks * sizeof *pieces);
	int n = 0;

	if (!pieces)
		return tt_fail_memory((size_t)nranks * sizeof *pieces, "a check");
	for (int rank = 0; rank < nranks; rank++)
		if (counts[rank])
			pieces[n++] = (struct piece){displs[rank], displs[rank] + counts[rank], rank};
	qsort(pieces, (size_t)n, sizeof *pieces, by_first);
	totum_status status = TOTUM_OK;
	for (int i = 1; i < n && !status; i++)
		if (pieces[i - 1].end > pieces[i].first)
			status = tt_fail(TOTUM_EINVAL, "totum_allgatherv: the blocks of ranks %d and %d overlap in recv; correct displs or counts",
					 pieces[i - 1].rank, pieces[i].rank);
	free(pieces);
	return status;
}

totum_status tt_check_shards(const void **send, size_t count, const void *recv, const size_t counts[],
			     const size_t displs[], totum_dtype dtype, int rank, int nranks)
{
	static const char call[] = "totum_allgatherv";
	size_t bytes, total = 0, end = 0;

	if (!counts)
		return tt_fail(TOTUM_EINVAL, "%s: counts is NULL; give a count for every rank", call);
	for (int r = 0; r < nranks; r++) {
		size_t first = displs ? displs[r] : total, last;
		if (__builtin_add_overflow(total, counts[r], &total) || __builtin_add_overflow(first, counts[r], &last))
			return tt_fail(TOTUM_EINVAL, "%s: counts[%d] = %zu is too large; was a negative count converted?", call, r, counts[r]);
		if (counts[r] && last > end)
			end = last;
	}
	totum_status status = tt_check_bytes(call, end > total ? end : total, dtype, 1, &bytes);
	if (!status && displs)
		status = check_disjoint(counts, displs, nranks);
	if (status)
		return status;
	size_t element = totum_dtype_size(dtype), place = 0;
	for (int r = 0; r < rank && !displs; r++)
		place += counts[r];
	place = (displs ? displs[rank] : place) * element;
	const void *in_place = recv ? (const char *)recv + place : NULL;
	bool sends = *send != TOTUM_IN_PLACE && *send != in_place;
	if (sends && count != counts[rank])
		return tt_fail(TOTUM_EINVAL, "%s: count is %zu but counts[%d] is %zu; they must agree", call, count, rank, counts[rank]);
	if (!counts[rank]) { /* nothing to send: its address does not matter */
		*send = in_place;
	}
	return tt_check_buffers(call, send, counts[rank] * element, recv, end * element, place);
}
