/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * away.h - copying into a stage what goes one way only, as a broadcast's bytes do.
 *
 * Nobody but the writer ever writes to these lines, so swapping stages (area.h) does not help: each
 * line must be taken back from its last reader before it is written.  How long that takes depends
 * on where the two cores lie, by more than ten times, and a virtual machine may move them.  Past
 * the cache nothing need be taken back, but the readers find the bytes in memory.  So a rank times
 * a plain copy now and then, and goes past the cache while plain copies are slow.
 * (Measured with broadcasts of 256 KiB on two cores that share no cache: 24 us instead of 118.)
 */
#ifndef TT_AWAY_H
#define TT_AWAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_away {
	uint32_t turns; /* copies so far that were long enough */
	bool slow;      /* was the last copy that has been timed? */
	bool streams;   /* for the time being copies go past the cache */
};

/* All zero at first.  Copies like memcpy. */
void tt_copy_away(struct tt_away *away, void *to, const void *from, size_t bytes);

#endif
