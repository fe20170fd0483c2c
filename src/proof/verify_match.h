/* SPDX-License-Identifier: BSD-3-Clause */
/* verify_match.h - the messages between programs: which send meets which receive. */
#ifndef TT_VERIFY_MATCH_H
#define TT_VERIFY_MATCH_H

#include "schedule/program.h"

/* One end of a message: the step of rank `from` that sends it, or of rank `to` that takes it in. */
struct tt_message_end {
	int64_t from, to, step;
};

/* Both lists ordered by (from, to, step); when the programs match, the i-th of one meets the i-th
 * of the other. */
struct tt_match {
	struct tt_message_end *sends, *receives;
	int64_t nsends, nreceives;
};

totum_status tt_match_make(const struct tt_program *const programs[], int64_t nranks,
			   struct tt_match *out);
void tt_match_free(struct tt_match *match);

#endif
