/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recorder.h - what a communicator's last calls were: always on, read when something went wrong or when asked.
 *
 * An entry costs a read of the coarse clock, another one when the call took long enough to show, and two cache
 * lines.  With TOTUM_TRACE every call is also written, with
 * exact times, as an event of a Chrome trace.
 */
#ifndef TT_RECORDER_H
#define TT_RECORDER_H

#include <stdio.h>

#include "host/area.h"
#include "host/traffic.h"

enum { TT_RECORDED = 64 };

struct tt_entry {
	struct tt_fingerprint call;
	uint64_t number;        /* of the call, from 1 */
	uint64_t began, ended;  /* coarse clock, ns; ended 0: under way */
	int32_t status;
};

struct tt_recorder {
	struct tt_entry entries[TT_RECORDED]; /* call number k is in k % TT_RECORDED */
	uint64_t calls, sent, received; /* totals for totum_stats, bytes */
	uint64_t waits;         /* of the host when the call began */
	struct tt_traffic traffic; /* of the call */
	FILE *trace;            /* NULL: off */
	uint64_t trace_began;
};

struct totum_comm;

void tt_recorder_open(struct totum_comm *comm);
void tt_recorder_close(struct totum_comm *comm);
void tt_recorder_begin(struct totum_comm *comm, const struct tt_fingerprint *call);
/* What the call that began last moves if it succeeds. */
void tt_recorder_count(struct totum_comm *comm, struct tt_traffic traffic);
/* It has ended. */
void tt_recorder_end(struct totum_comm *comm, totum_status status);
/* JSON, the oldest call first. */
totum_status tt_recorder_write(const struct totum_comm *comm, const char *path);

#endif
