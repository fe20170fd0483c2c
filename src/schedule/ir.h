/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ir.h - a schedule is data: which blocks move from whom to whom in which round.
 *
 * Blocks are numbered as they lie in the result.  In all-gather, reduce-scatter, gather, scatter,
 * broadcast, reduce and all-reduce there are nranks of them, and block b is rank b's shard (of a
 * broadcast or reduction: the b-th part of the buffer).  In all-to-all block s*nranks+d goes from
 * rank s to rank d.  Every block may be cut in `pieces` pieces of nearly equal length; a record
 * moves a run of pieces of each of its blocks.
 *
 * Three primitives, each a record of constant size that stands for the moves of every rank:
 *
 *   shift (+1, first 0, count 1)         exchange (mask 2, field 1) move (0 -> 3, first 0, count 2)
 *
 *   0 --[0]--> 1 --[1]--> 2 --[2]--> 3   0 <-[0 1] [2 3]-> 2        0 --[0 1]--> 3
 *   ^                                |   1 <-[0 1] [2 3]-> 3
 *   +--------------[3]---------------+
 *
 *   SHIFT     every rank r sends blocks r-first, r-first-stride, .. (count of them, cyclic) to
 *             r+distance; it may repeat in consecutive rounds, `first` growing by `step` each time:
 *             a ring is one record.
 *   EXCHANGE  every rank r sends to r^mask the blocks r^flip^s for every s whose bits lie within
 *             `field`; nranks is a multiple of the power of two above mask, field and flip.
 *   MOVE      rank `from` sends blocks first, first+stride, .. (count of them, modulo nblocks) to
 *             rank `to`.
 *
 * An all-to-all is made of moves alone.  A move of round t reads the state at the start of t; what
 * it brings is there at the end of t.  With `reduce` the receiver adds what arrives to what it has
 * instead of storing it.
 */
#ifndef TT_IR_H
#define TT_IR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum tt_collective {
	TT_ALLGATHER,
	TT_REDUCE_SCATTER,
	TT_ALLREDUCE,
	TT_BROADCAST,
	TT_REDUCE,
	TT_GATHER,
	TT_SCATTER,
	TT_ALLTOALL,
	TT_COLLECTIVES
};

/* Limits of a schedule, so that no product of them overflows 64 bits. */
enum { TT_MAX_RANKS = 1 << 24, TT_MAX_PIECES = 1 << 16, TT_MAX_ROUNDS = 1 << 26 };

enum tt_primitive { TT_SHIFT, TT_EXCHANGE, TT_MOVE };

struct tt_record {
	enum tt_primitive primitive;
	bool reduce;
	int32_t piece, npieces; /* the run of pieces of each block; npieces >= 1 */
	int64_t round;          /* the first round of the record */
	int64_t rounds;         /* how many consecutive rounds; above 1 for shifts only */
	union {
		struct {
			int64_t distance, first, step, count, stride;
		} shift;
		struct {
			int64_t mask, field, flip;
		} exchange;
		struct {
			int64_t from, to, first, count, stride;
		} move;
	};
};

struct tt_schedule {
	enum tt_collective collective;
	char name[96];   /* the algorithm with its parameters, "bruck,radix=3" */
	int64_t nranks;
	int64_t nblocks; /* nranks, or nranks squared in all-to-all */
	int64_t rounds;  /* one more than the last round used */
	int root;        /* of rooted collectives, else 0 */
	int pieces;      /* per block, >= 1 */
	/* After tt_schedule_seal ordered by first round, and within a round as built. */
	struct tt_record *records;
	int64_t nrecords, capacity;
	/* After seal, else NULL: [rounds + 1], where the records that start in a round begin. */
	int64_t *first_record;
	/* After seal: the records with rounds > 1, which reach into later rounds. */
	int64_t *long_records;
	int64_t nlong;
	struct tt_record spare; /* what a builder call returns when it adds nothing */
	totum_status failed;   /* the first failure of a builder call; seal reports it */
};

/* --- building (build.c, seal.c) --- */

/*
 * The calls that add a record never fail by themselves: tt_schedule_seal reports what went wrong.
 * They return the record's place, good until the next of them, for a caller to cut or mark it.
 */
totum_status tt_schedule_new(enum tt_collective collective, int64_t nranks, int root, int pieces,
			     struct tt_schedule **out);
void tt_schedule_free(struct tt_schedule *schedule); /* NULL is legal */
/*
 * Sorts, counts the rounds, checks every record: TOTUM_EINVAL with a sentence that names it.
 * Rounds must be numbered without gaps.  No record can be added later.  Sealing twice is legal.
 */
totum_status tt_schedule_seal(struct tt_schedule *schedule);
void tt_schedule_add(struct tt_schedule *schedule, struct tt_record record);
/* What is wrong with a record, as the end of a sentence, or NULL. */
const char *tt_record_fault(const struct tt_schedule *schedule, const struct tt_record *record);

/* Whole blocks: npieces = all. */
struct tt_record *tt_shift(struct tt_schedule *schedule, int64_t round, int64_t distance,
			   int64_t first, int64_t count, int64_t stride);
/* The same in `rounds` consecutive rounds, first growing by step; 0 rounds add nothing. */
struct tt_record *tt_shift_repeat(struct tt_schedule *schedule, int64_t round, int64_t rounds,
				  int64_t distance, int64_t first, int64_t step, int64_t count,
				  int64_t stride);
struct tt_record *tt_exchange(struct tt_schedule *schedule, int64_t round, int64_t mask,
			      int64_t field);
struct tt_record *tt_move(struct tt_schedule *schedule, int64_t round, int64_t from, int64_t to,
			  int64_t first, int64_t count);

/* --- reading (walk.c, collective.c) --- */

/*
 * Blocks of one transfer: first, first+stride, .. modulo `modulo`; or, with subset, first^s for s
 * within field.  Shifts give a positive stride and exchanges ascend, so that neighbours in the
 * buffer follow each other.
 */
struct tt_blocks {
	bool subset;
	int64_t first, count, stride, modulo, field;
};
/* The i-th of count blocks, 0 <= i < count. */
int64_t tt_blocks_at(const struct tt_blocks *blocks, int64_t i);

struct tt_transfer {
	int64_t from, to;
	struct tt_blocks blocks;
	int32_t piece, npieces;
	bool reduce;
};

/*
 * What one record makes rank send (or receive) in a round that it covers; false when nothing.  Both
 * ends get the same transfer.  O(1).
 */
bool tt_record_send(const struct tt_schedule *schedule, const struct tt_record *record,
		    int64_t round, int64_t rank, struct tt_transfer *out);
bool tt_record_receive(const struct tt_schedule *schedule, const struct tt_record *record,
		       int64_t round, int64_t rank, struct tt_transfer *out);

/* The records of a round, in order: start with {0}, true while there is one. */
struct tt_round_walk {
	int64_t at;
};
bool tt_round_next(const struct tt_schedule *schedule, int64_t round, struct tt_round_walk *walk,
		   const struct tt_record **record);

/* Does rank hold, or contribute to, the block at first? Must it have the block at the end? */
bool tt_holds_first(const struct tt_schedule *schedule, int64_t rank, int64_t block);
bool tt_wants_last(const struct tt_schedule *schedule, int64_t rank, int64_t block);
/* Is the collective one in which contributions are added? */
bool tt_reduces(enum tt_collective collective);
/* Is it one with a root? */
bool tt_rooted(enum tt_collective collective);
const char *tt_collective_name(enum tt_collective collective); /* "reduce_scatter" */
totum_status tt_collective_parse(const char *name, enum tt_collective *out);

/* --- deriving (derive.c): each makes a new sealed schedule, the inputs stay the caller's --- */

/*
 * Time and direction reversed, the receiver adds: all-gather <-> reduce-scatter, broadcast <->
 * reduce; gather <-> scatter and all-to-all only change direction; in an all-reduce the halves
 * change roles.  Right iff every rank receives each block at most once.
 */
totum_status tt_derive_reverse(const struct tt_schedule *schedule, struct tt_schedule **out);
/*
 * first, then second, as one schedule of `collective`; ranks and roots must agree; pieces become
 * the least common multiple.
 */
totum_status tt_derive_compose(enum tt_collective collective, const struct tt_schedule *first,
			       const struct tt_schedule *second, struct tt_schedule **out);

#endif
