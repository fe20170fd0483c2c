/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * away.h - copying into a stage that several ranks have read, or that only this one writes to.
 *
 * Swapping stages (area.h) helps two neighbours that both write.  In a broadcast nobody else writes
 * to these lines, and of more than two ranks others have read them too: each line must be taken
 * back from its readers before it is written.  How long that takes depends on where the cores lie,
 * by more than ten times, and a virtual machine may move them.  Past the cache nothing need be
 * taken back, but the readers find the bytes in memory.  So a rank times a plain copy now and then,
 * and goes past the cache while plain copies are slow. (Measured on two cores that share no cache:
 * a broadcast of 256 KiB between two ranks took 24 us instead of 118, an all-gather of 1 MiB among
 * four 120 instead of 290.)
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

/* For the time being, do writes of so many bytes go past the cache? */
bool tt_away_streams(const struct tt_away *away, size_t bytes);
/* All zero at first.  Copies like memcpy. */
void tt_copy_away(struct tt_away *away, void *to, const void *from, size_t bytes);

#endif
