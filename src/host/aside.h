/* SPDX-License-Identifier: BSD-3-Clause */
/* aside.h - when a rank that finds its core shared goes to another one. */
#ifndef TT_ASIDE_H
#define TT_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

/* Of a rank that has a core of its own, as far as the masks tell; all zero at first. */
struct tt_aside {
	int shared;        /* yields in a row that another has made use of; 0: it is alone */
	int enough;        /* of them, to step aside; 0: not drawn yet */
	uint64_t again_ns; /* not before */
	uint64_t pause_ns; /* between two steps */
};

/* A yield has taken took_ns and ended at now, tt_clock_ns: should the rank step aside? */
bool tt_aside_counts(struct tt_aside *aside, uint64_t now, uint64_t took_ns);
/*
 * Moves the calling thread to another core of its affinity mask, which stays as it is.  False where
 * there is none, or the system does not allow it.
 */
bool tt_step_aside(void);

#endif
