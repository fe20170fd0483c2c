/* SPDX-License-Identifier: BSD-3-Clause */
/* inputs.h - the contributions of all ranks to a reduction, as they lie in the slots of a beat. */
#ifndef TT_INPUTS_H
#define TT_INPUTS_H

#include "host/host.h"

/*
 * The addresses `at` bytes into every rank's stage, in rank order, with this rank's own replaced by `own` unless NULL;
 * valid until the next call.  All ranks have published the beat.
 */
static inline const void **tt_inputs(struct tt_host *host, uint32_t beat, size_t at, const void *own)
{
	const unsigned char *first = host->slots + (beat & 1) * host->beat_stride + offsetof(struct tt_slot, stage) + at;

	for (int rank = 0; rank < host->nranks; rank++)
		host->inputs[rank] = first + (size_t)rank * host->rank_stride;
	if (own)
		host->inputs[host->rank] = own;
	return host->inputs;
}

#endif
