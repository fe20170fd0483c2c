/* SPDX-License-Identifier: BSD-3-Clause */
/* cores.h - how many cores the ranks of a host may use together. */
#ifndef TT_CORES_H
#define TT_CORES_H

#include "host/segment.h"

/* Writes the calling thread's affinity mask. */
void tt_cores_publish(_Atomic uint64_t cpus[static TT_CPU_WORDS]);
/* The size of the union of the ranks' masks, or the quota of this process's control group if that is smaller; >= 1. */
int tt_cores_usable(struct tt_segment_rank ranks[], int nranks);

#endif
