/* SPDX-License-Identifier: BSD-3-Clause */
/* shares.h - what the ranks' programs allocate where peers can read it (host/share.h), in a job. */
#ifndef TT_SHARES_H
#define TT_SHARES_H

#include "runtime/job.h"

/* Before the ranks have met: says in the segment what this process, rank, shares. */
void tt_shares_publish(struct tt_job *job, int rank);
/*
 * Maps what all ranks share, for this process's rank.  False, with a line in the log, when some
 * cannot be mapped; *any becomes whether any rank shares at all.
 */
bool tt_shares_map(struct tt_job *job, int rank, bool *any);
/* Not all ranks have mapped all: none is used, this rank's own neither. */
void tt_shares_drop(struct tt_job *job);
/* Ranks that are threads see the same addresses, and have nothing to map. */
void tt_shares_of_threads(struct tt_job *job);

#endif
