/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reached.h - what a communicator remembers of the call in which it failed, for a rescue.
 *
 * It is written when the call fails, from what its task or its program knows: calls that do not
 * fail pay nothing.  A bit for each rank.
 */
#ifndef TT_RUNTIME_REACHED_H
#define TT_RUNTIME_REACHED_H

#include "runtime/work.h"

struct tt_reached {
	struct tt_fingerprint call;
	uint64_t number; /* of the call, as the recorder counts */
	const unsigned char *recv;
	uint64_t places; /* tt_reached_places */
	unsigned char
		blocks[]; /* whose whole blocks are in recv, but this rank's: host/reached.h */
};

/*
 * A work of comm, started or not, has failed with status and totum_errmsg(), which stays: remembers
 * it if comm has, and for the first time.
 */
void tt_reached_note(totum_comm *comm, struct tt_work *work, totum_status status);
/* Where the blocks of an all-gather lie, as a number. */
uint64_t tt_reached_places(const totum_comm *comm, const struct tt_work *work);

#endif
