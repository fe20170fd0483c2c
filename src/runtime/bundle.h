/* SPDX-License-Identifier: BSD-3-Clause */
/* bundle.h - consecutive all-gathers, or all-reduces, of a group, done as one. */
#ifndef TT_BUNDLE_H
#define TT_BUNDLE_H

#include "runtime/work.h"

struct tt_bundle {
	struct tt_task task;
	int nworks; /* the first of them has the bundle; the others follow it in the queue */
};

/* Bundles what can be of the calls that have not started; where memory lacks, they stay single. */
void tt_bundle_group(totum_comm *comm);

#endif
