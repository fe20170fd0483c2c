/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check.h - the checks of arguments, for the entry points.  Each returns TOTUM_OK or a failure
 * whose sentence begins with `call`, and touches no buffer.
 */
#ifndef TT_CHECK_H
#define TT_CHECK_H

#include <stdbool.h>

#include "base/status.h"

/* *bytes = count * times elements of dtype, which must exist; refuses what is no size in memory. */
totum_status tt_check_bytes(const char *call, size_t count, totum_dtype dtype, size_t times,
			    size_t *bytes);
totum_status tt_check_op(const char *call, totum_dtype dtype, totum_op op);
totum_status tt_check_root(const char *call, int root, int nranks);

/* All of them refuse the sentinel where it does not mean anything. */
/*
 * send_bytes at *send and recv_bytes at recv; in place is recv + place, to which the sentinel is
 * resolved; any other overlap is refused.
 */
totum_status tt_check_buffers(const char *call, const void **send, size_t send_bytes,
			      const void *recv, size_t recv_bytes, size_t place);
/*
 * The opposite: in place is recv == send + place; the sentinel as send means that recv holds what
 * is sent.
 */
totum_status tt_check_scatter(const char *call, const void **send, size_t send_bytes, void **recv,
			      size_t recv_bytes, size_t place);
/* No overlap at all. */
totum_status tt_check_apart(const char *call, const void *send, size_t send_bytes, const void *recv,
			    size_t recv_bytes);

/* Blocks of unequal length, in bytes. */
struct tt_shards {
	size_t *bytes;  /* [nranks], then the places: one allocation, the caller's */
	size_t *places; /* [nranks], where each lies */
	size_t count;   /* sum of the counts, in elements */
	size_t longest; /* in bytes */
	size_t end;     /* bytes from the start of the buffer to the end of the last block */
};
/* displs may be NULL: blocks follow each other. Refuses overflowing counts, overlapping blocks. */
totum_status tt_check_shards(const char *call, const size_t counts[], const size_t displs[],
			     totum_dtype dtype, int nranks, struct tt_shards *out);
/* Is `own` where the caller's displacements say the rank's block of `all` lies, or the sentinel?
 * Those of empty blocks count as they are. */
bool tt_check_in_place(const void *own, const void *all, const struct tt_shards *shards,
		       const size_t displs[], totum_dtype dtype, int rank);

#endif
