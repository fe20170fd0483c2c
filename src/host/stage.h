/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stage.h - copying into a stage, whose lines the peers have read and still hold.
 *
 * A plain store must fetch such a line first; the processor's string copy, which memcpy uses for
 * more than a few KiB, need not, and is two to four times as fast.  But both memcpy and the
 * processor give it up when the destination lies up to 63 bytes above the source within a page,
 * since loads then seem to depend on stores.  So a rank may shift its bytes in the stage by a line,
 * and says so in its slot.
 */
#ifndef TT_STAGE_H
#define TT_STAGE_H

#include "host/host.h"

/* The most of `bytes` that a stage can be cut in: whole pages where that is possible, else lines.
 */
static inline size_t tt_stage_cut(size_t bytes)
{
	size_t unit = bytes < TT_PAGE ? TT_LINE : TT_PAGE;

	return bytes / unit * unit;
}

/* How far to shift bytes of `from` in this rank's stage; said in its slot's flags, clear before. */
static inline size_t tt_stage_shift(struct tt_slot *slot, const unsigned char *stage,
				    const void *from)
{
	size_t above = (size_t)((uintptr_t)stage - (uintptr_t)from) % TT_PAGE;

	if (above == 0 || above >= TT_LINE)
		return 0;
	slot->flags |= TT_SLOT_SHIFTED;
	return TT_LINE;
}

/*
 * Copies bytes to where the peers look for them: up to `most` (tt_inline) beside the beat's number,
 * more in the stage.
 */
static inline void tt_stage_put(struct tt_host *host, struct tt_slot *slot, unsigned char *stage,
				const void *from, size_t bytes, size_t most)
{
	if (bytes <= most) {
		if (bytes)
			memcpy(slot->small, from, bytes);
		return;
	}
	tt_copy_away(&host->meets, stage + tt_stage_shift(slot, stage, from), from, bytes);
}

/* The same where the peers never send anything back through these stages. */
static inline void tt_stage_put_away(struct tt_host *host, struct tt_slot *slot,
				     unsigned char *stage, const void *from, size_t bytes,
				     size_t most)
{
	if (bytes <= most)
		tt_stage_put(host, slot, stage, from, bytes, most);
	else
		tt_copy_away(&host->away, stage + tt_stage_shift(slot, stage, from), from, bytes);
}

/* And where they are: both sides decide by the length, which they know alike. */
static inline const unsigned char *
tt_stage_get(const struct tt_slot *slot, const unsigned char *stage, size_t bytes, size_t most)
{
	return bytes <= most ? slot->small : stage + (slot->flags & TT_SLOT_SHIFTED ? TT_LINE : 0);
}

#endif
