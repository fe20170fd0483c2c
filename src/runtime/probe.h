/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h - finds out, by doing it, whether the ranks of a job can read each other's memory. */
#ifndef TT_PROBE_H
#define TT_PROBE_H

#include "runtime/comm.h"

/*
 * Collective over the world; sets job->reads_processes alike on all ranks, and that of the world,
 * and the shares.
 */
totum_status tt_probe(totum_comm *world);

#endif
