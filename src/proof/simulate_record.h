/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate_record.h - keeps what a simulation tells its observers: rounds, with their
 * link loads, and messages.
 *
 * Rounds that follow one another and are alike are kept as one.
 */
#ifndef TT_SIMULATE_RECORD_H
#define TT_SIMULATE_RECORD_H

#include "proof/simulate.h"

struct tt_recorded_round {
	int64_t first, count; /* rounds first .. first + count - 1 */
	int64_t messages, latency;
	struct tt_fraction load;
	int32_t busiest;
	double start, seconds; /* of the first; each takes as long */
	int64_t *loads;        /* [nlinks] in blocks / scale; NULL where none were kept or told */
	int64_t scale;
};

struct tt_recording {
	bool keep_loads, keep_messages;
	int64_t nlinks;
	struct tt_recorded_round *rounds;
	int64_t nrounds, rounds_room;
	struct tt_message_span *messages;
	int64_t nmessages, messages_room;
	totum_status failed;
};

/* Sets the observers of the options; both must stay where they are until the simulation ends. */
void tt_record(struct tt_recording *recording, struct tt_simulate_options *options);
/* TOTUM_EMEMORY when something could not be kept.  Orders the messages by start, then by sender. */
totum_status tt_record_finish(struct tt_recording *recording);
void tt_record_free(struct tt_recording *recording);

#endif
