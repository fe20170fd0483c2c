/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check.h - the checks of arguments, for the entry points.  Each returns TOTUM_OK or TOTUM_EINVAL with a sentence
 * that begins with `call`, and touches no buffer.
 */
#ifndef TT_CHECK_H
#define TT_CHECK_H

#include "base/status.h"

/* *bytes = count * times elements of dtype, which must exist; refuses what cannot be a size in memory. */
totum_status tt_check_bytes(const char *call, size_t count, totum_dtype dtype, size_t times, size_t *bytes);
totum_status tt_check_op(const char *call, totum_dtype dtype, totum_op op);
totum_status tt_check_root(const char *call, int root, int nranks);
/*
 * send_bytes at *send and recv_bytes at recv; in place is recv + place, to which the sentinel is resolved; any other
 * overlap is refused.
 */
totum_status tt_check_buffers(const char *call, const void **send, size_t send_bytes, const void *recv,
			      size_t recv_bytes, size_t place);
/* The opposite: recv may be send + place and may not overlap send otherwise. */
totum_status tt_check_scatter(const char *call, const void *send, size_t send_bytes, const void *recv,
			      size_t recv_bytes, size_t place);
/* All of an all-gather-v; resolves the sentinel. */
totum_status tt_check_shards(const void **send, size_t count, const void *recv, const size_t counts[],
			     const size_t displs[], totum_dtype dtype, int rank, int nranks);

#endif
