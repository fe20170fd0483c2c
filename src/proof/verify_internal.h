/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify_internal.h - what the parts of the verifier share: the report being filled, and columns.
 *
 * A column is the fate of one unit (a cell of a block): all its hops from rank to rank, in round
 * order.
 */
#ifndef TT_VERIFY_INTERNAL_H
#define TT_VERIFY_INTERNAL_H

#include "proof/verify.h"
#include "schedule/cells.h"

/* --- violations (verify_report.c) --- */

struct tt_verifier {
	const struct tt_schedule *schedule;
	struct tt_verify_report *report;
	const char *where; /* put before sentences: "" or "reversed: " */
	bool redundant;    /* V5 is no violation */
	int64_t times;     /* how many violations each one stands for */
};

/* Counts a violation and keeps it when it is among the earliest; block -1: none in particular. */
void tt_violate(const struct tt_verifier *verifier, enum tt_invariant invariant, int64_t round,
		int64_t rank, int64_t block, const char *format, ...)
	__attribute__((format(printf, 6, 7)));
/* TOTUM_OK, or TOTUM_EINVAL with the earliest violation as the sentence. */
totum_status tt_verdict(const struct tt_verify_report *report, const char *what);

/* --- columns (verify_column.c) --- */

struct tt_hop {
	int64_t round;
	int32_t from, to;
	bool reduce;
};

struct tt_column {
	int64_t block, cell;
	char name[64]; /* "block 5", "block 5 pieces 0..1/2" */
	const struct tt_hop *hops;
	int64_t nhops;
};

/* What becomes of one column; called for each. */
typedef totum_status tt_column_check(void *state, const struct tt_column *column);
/* Every column, or those of block 0 alone. */
totum_status tt_columns(const struct tt_schedule *schedule, bool block_0_only,
			tt_column_check *check, void *state);

/* --- the checks of a column --- */

/* Of collectives that move: V1, V2, V5, V6 (verify_movement.c). */
totum_status tt_verify_movement(struct tt_verifier *verifier, bool block_0_only);
/* Of collectives that add: V1, V5, V6, V7, with exact sets of contributions (verify_reduction.c).
 */
totum_status tt_verify_reduction(struct tt_verifier *verifier, bool block_0_only);
/* The most ranks for which tt_verify_reduction has memory. */
enum { TT_REDUCTION_RANKS = 1 << 15 };

/* V4 and V8: fills the counts of the report (verify_counts.c). */
totum_status tt_verify_counts(const struct tt_verifier *verifier,
			      const struct tt_verify_options *options);

/* --- symmetry (verify_symmetry.c) --- */

/* Does block 0 speak for all? */
bool tt_symmetric(const struct tt_schedule *schedule);
/* Can the schedule be proved by TT_PROOF_REVERSAL? */
bool tt_reversible(const struct tt_schedule *schedule);
totum_status tt_verify_reversal(const struct tt_verifier *verifier);

#endif
