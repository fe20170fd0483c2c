/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify.h - does a schedule do what its collective promises, for every rank and block?
 *
 * The invariants, each with its number:
 *   V1  final state    every rank ends with what the collective promises it
 *   V2  causality      a rank sends only what it has at the start of the round
 *   V3  matching       what goes out from one rank to another is what the other takes in, in order
 *   V4  ports          no rank sends or receives more messages in a round than it may
 *   V5  no redundancy  no rank receives what it has (else the schedule has no reverse)
 *   V6  local hazards  no rank stores twice in one place, or where it reads, in the same round
 *   V7  reduction      each contribution is added once, none is overwritten, and a partial sum that
 * was given away is neither added to nor given away again V8  counts         rounds, volume and
 * ports are what was claimed V10 purity         reading a record twice, or from the other end,
 * gives the same deadlock           no circle of steps that wait for each other
 *
 * V1, V2, V5, V6 and V7 follow one block at a time through all rounds, so that memory is O(ranks)
 * (for sums O(ranks^2) bits) and time is O(blocks moved).  Where all records are shifts, or all
 * exchanges among a power of two of ranks, renumbering the ranks takes every block into every
 * other, and one block speaks for all: O(ranks) in total.
 */
#ifndef TT_VERIFY_H
#define TT_VERIFY_H

#include "proof/fraction.h"
#include "schedule/ir.h"
#include "schedule/program.h"

enum tt_invariant {
	TT_V1_FINAL = 1,
	TT_V2_CAUSALITY = 2,
	TT_V3_MATCHING = 3,
	TT_V4_PORTS = 4,
	TT_V5_REDUNDANCY = 5,
	TT_V6_HAZARD = 6,
	TT_V7_REDUCTION = 7,
	TT_V8_COUNTS = 8,
	TT_V10_PURITY = 10,
	TT_DEADLOCK = 11
};

enum tt_proof {
	TT_PROOF_AUTO,      /* the cheapest that applies */
	TT_PROOF_EXPLICIT,  /* every block */
	TT_PROOF_SYMMETRIC, /* block 0 for all; all-gather, reduce-scatter and all-reduce */
	/*
	 * Block 0 of the all-gather of which a reduce-scatter is the reverse, and so no sets of
	 * contributions; an all-reduce is taken as such a reduce-scatter, then an all-gather.
	 */
	TT_PROOF_REVERSAL
};

struct tt_claims {
	int64_t rounds;
	struct tt_fraction volume;
	int64_t ports;
};

struct tt_verify_options {
	enum tt_proof proof;
	bool redundant; /* V5 is counted, but no violation */
	int64_t ports;  /* V4: the most messages of a rank and round, each way; 0: any number */
	const struct tt_claims *claims; /* V8; NULL: none */
};

struct tt_violation {
	enum tt_invariant invariant;
	int64_t round; /* the number of rounds, for V1 and V8 */
	int64_t rank, block;
	char sentence[200];
};

enum { TT_VIOLATIONS = 8 };

struct tt_verify_report {
	enum tt_proof proof;                      /* the one used */
	int64_t violations;                       /* all of them */
	int kept;                                 /* how many of them are in first */
	struct tt_violation first[TT_VIOLATIONS]; /* the earliest: by round, rank, block */
	int64_t redundant; /* how often a rank receives a part of a block that it has */

	/* Counts (V8).  What goes from one rank to one other in a round is one message. */
	int64_t rounds;
	int64_t sends, receives;    /* the most messages that a rank sends, receives, in a round */
	struct tt_fraction volume;  /* blocks: sum over rounds of the largest message */
	struct tt_fraction largest; /* blocks: the largest message */
	struct tt_fraction traffic; /* blocks: all messages together */
};

/*
 * Checks a sealed schedule.  TOTUM_EINVAL when it violates an invariant (the sentence is the
 * earliest one's), TOTUM_EUNSUPPORTED when the asked proof does not apply or would take too much
 * memory; options NULL: defaults. The report is complete unless the status is another.
 */
totum_status tt_verify(const struct tt_schedule *schedule, const struct tt_verify_options *options,
		       struct tt_verify_report *report);

/* V3 for the programs of all ranks; report may be NULL. */
totum_status tt_verify_programs(const struct tt_program *const programs[], int64_t nranks,
				struct tt_verify_report *report);

/* V10 with other readers than the library's own, so that a test can hand in bad ones. */
typedef bool tt_reader(const struct tt_schedule *schedule, const struct tt_record *record,
		       int64_t round, int64_t rank, struct tt_transfer *out);
totum_status tt_verify_purity(const struct tt_schedule *schedule, tt_reader *send,
			      tt_reader *receive, struct tt_verify_report *report);

/* How the ranks of a set of programs run them. */
struct tt_running {
	bool blocking; /* one step after the other in program order; else each when what it waits
			  for is done */
	bool staged;   /* a sum may arrive before what it waits for is done (it is added afterwards)
			*/
	int64_t depth; /* messages that a pair of ranks can have under way; 0: sender and receiver
			  must meet */
};
/*
 * Can the programs of all ranks wait for each other for ever?  Messages of a pair keep their order;
 * a receive is posted as soon as it may start, whatever is being sent.  O(steps + dependencies).
 * The programs must match (V3).  TOTUM_EINVAL and a sentence that names the circle of steps.
 */
totum_status tt_verify_deadlock(const struct tt_program *const programs[], int64_t nranks,
				const struct tt_running *running, struct tt_verify_report *report);

#endif
