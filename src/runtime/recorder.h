/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recorder.h - what a communicator's last calls and messages were: always on, read when something
 * went wrong or when asked.
 *
 * An entry costs a read of the coarse clock, another one when the call took long enough to show,
 * and two cache lines.  With TOTUM_TRACE everything is also written, with exact times, to a Chrome
 * trace (trace.h).
 */
#ifndef TT_RECORDER_H
#define TT_RECORDER_H

#include <stdbool.h>
#include <stdio.h>

#include "host/area.h"
#include "host/traffic.h"

enum { TT_RECORDED = 64 };

struct tt_entry {
	struct tt_fingerprint call;
	uint64_t number;       /* of the call, from 1 */
	uint64_t began, ended; /* coarse clock, ns; ended 0: under way */
	int32_t status;
};

struct tt_message_entry {
	bool sends;
	int32_t peer, tag; /* of a receive what was asked for, then what came */
	uint32_t dtype;
	uint64_t bytes;
	uint64_t number, began, ended; /* as above */
	int32_t status;
};

struct tt_recorder {
	struct tt_entry entries[TT_RECORDED]; /* call number k is in k % TT_RECORDED */
	struct tt_message_entry messages[TT_RECORDED];
	uint64_t calls, nmessages; /* how many have begun: the number of the latest */
	struct tt_traffic inside;  /* totals for totum_stats, bytes: inside this host, */
	struct tt_traffic between; /* and between hosts */
	uint64_t after;            /* calls begun after the failure, which leave no entry */
	uint64_t waits;            /* of the host when the latest call began */
	struct tt_traffic traffic; /* of the latest call, if it succeeds: inside */
	struct tt_traffic far;     /* and between */
	bool failed;               /* the communicator has failed, and that was written down */
	FILE *trace;               /* of the rank, NULL: off */
	uint64_t trace_began;
};

struct totum_comm;
struct tt_letter;

void tt_recorder_open(struct totum_comm *comm);
void tt_recorder_close(struct totum_comm *comm);
void tt_recorder_begin(struct totum_comm *comm, const struct tt_fingerprint *call);
/* What the call that began last moves if it succeeds. */
void tt_recorder_count(struct totum_comm *comm, struct tt_traffic inside,
		       struct tt_traffic between);
/* It has ended; in one go: it was not left and come back to. */
void tt_recorder_end(struct totum_comm *comm, totum_status status, bool in_one_go);
/* A message has been posted, and gets its number; and is done, perhaps refused. */
void tt_recorder_posted(struct totum_comm *comm, struct tt_letter *letter);
void tt_recorder_delivered(struct totum_comm *comm, const struct tt_letter *letter);
/* The counters, for the log. */
void tt_recorder_log(const struct totum_comm *comm);
/*
 * A call or message has failed with totum_errmsg(), which stays: writes the record when
 * TOTUM_FLIGHT asks for it, of a communicator that has failed only once.
 */
void tt_recorder_failed(struct totum_comm *comm, totum_status status);

/* recorder_write.c: JSON, the oldest call first. */
totum_status tt_recorder_write(const struct totum_comm *comm, const char *path);

#endif
