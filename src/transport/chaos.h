/* SPDX-License-Identifier: BSD-3-Clause */
/* chaos.h - makes life hard for any other transport, within the contract, repeatably by a seed. */
#ifndef TT_CHAOS_H
#define TT_CHAOS_H

#include "transport/transport.h"

extern const struct tt_transport tt_transport_chaos;

struct tt_chaos_context {
	const struct tt_transport *inner;
	const void *context; /* inner opens from it */
	int rank, nranks;
	uint64_t seed;       /* give each rank the same: it adds its own number */
	size_t longest;      /* bytes that move in one piece, from 1; 0: 64 KiB */
	uint32_t delay_us;   /* a piece may be held back for so long */
	uint32_t stall_us;   /* nothing at all may move for so long */
	uint64_t fail_at;    /* after so many pieces progress fails with TOTUM_ESYSTEM; 0: never */
	uint64_t kill_at;    /* then this process kills itself; 0: never */
};

#endif
