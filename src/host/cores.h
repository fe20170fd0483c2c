/* SPDX-License-Identifier: BSD-3-Clause */
/* cores.h - how many cores the ranks of a host may use together. */
#ifndef TT_CORES_H
#define TT_CORES_H

#include "host/segment.h"

/* Writes the calling thread's affinity mask and its control group's quota. */
void tt_cores_publish(struct tt_segment_rank *rank);
/* The size of the union of the ranks' masks, or a rank's quota where that is smaller; >= 1. */
int tt_cores_usable(struct tt_segment_rank ranks[], int nranks);

#endif
