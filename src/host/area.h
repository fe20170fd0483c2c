/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * area.h - what the ranks of a communicator on one host share: its shared memory's layout.
 *
 *   head | desk 0 .. desk n-1 | slots and stages of rank 0, 1, .. n-1 |
 *   channels (0,0), (0,1) .. (n-1,n-1), twice
 *
 * A desk is a rank's own small change: who it is, whom it waits for, who sleeps on it.  A slot is
 * how a rank says "I have arrived at beat k, here is my call, here are my bytes": the beat's
 * number, the call's fingerprint and the first bytes, all in one cache line, and up to TT_INLINE
 * bytes in the lines behind it.  More bytes go into the beat's stage.  A rank has TT_BEATS slots
 * and TT_STAGES stages, and uses them in turn.
 *
 * Why nobody reads what its writer refills, with no other word than the beat's number.  Two rules:
 *   - whoever has published beat k has done with the slots and stages of all beats up to k-2;
 *   - a rank publishes beat k only when it has seen, and compared, everyone's slot of
 *     beat k-TT_LEAD, and fills a stage of beat k only when it has seen everyone's slot
 *     of beat k-TT_STAGE_LEAD.
 * So everyone has done with what lies TT_BEATS, or TT_STAGES, beats back.  A rank that has nothing
 * to receive, such as the root of a broadcast, can be TT_LEAD beats ahead of the others, and still
 * each call is compared with each.
 *
 * It follows that it does not matter whose memory a rank refills.  So in every other turn through
 * them two neighbours (ranks 0 and 1, 2 and 3, ..) swap their slots and stages, and write to the
 * lines that they have read last.  A processor that hands a changed line over to its reader lets
 * the reader write to it, while lines that a rank wrote itself must come back one by one.
 * (Measured with shards of 32 KiB on two cores that share no cache: 3.7 us a call instead of 17.)
 *
 * All zero is the valid initial state: beats count from 1, so the file's fresh pages are ready.
 */
#ifndef TT_AREA_H
#define TT_AREA_H

#include <stdatomic.h>
#include <stdint.h>

#include "totum.h"

enum {
	TT_PAGE = 4096,
	TT_LINE = 64,          /* bytes of a cache line */
	/* payload bytes of a slot, 32 in its first line: nine lines spread slots over the cache */
	TT_INLINE = 544,
	TT_INLINE_MET = 160,   /* of them, where all meet: a stage's few lines are nearer */
	TT_BEATS = 128,        /* slots of a rank: more save turns of ranks that share a core */
	TT_LEAD = TT_BEATS / 2,
	TT_STAGES = 4,         /* stages of a rank: all together fit a private cache */
	TT_STAGE_LEAD = TT_STAGES / 2,
	TT_FOREWORD = 8,
	TT_STAGE = 128 << 10,  /* bytes of a stage: smaller costs more beats than it saves misses; */
	TT_STAGE_TWO = TT_STAGE / 2, /* but not between two ranks, whose beats cost next to nothing */
	TT_CHANNEL = 64 << 10, /* bytes of a channel's ring, a power of two */
	TT_FAILURE = 480,      /* bytes of the failure's sentence */
};

/* What a call is: equal on all ranks or the ranks disagree. */
struct tt_fingerprint {
	uint32_t kind;      /* operation, dtype, op and root: see call.h */
	uint32_t algorithm; /* a hash of the forced algorithm's text, 0: none */
	uint64_t count;     /* elements; of v-operations the sum */
	uint64_t sizes;     /* v-operations: hash of all counts, or this rank's own bytes; else 0 */
};

enum tt_slot_flags {
	TT_SLOT_OFFERS = 1,  /* small says where the bytes are: source.h */
	TT_SLOT_SHIFTED = 2, /* the first byte lies a line into the stage: stage.h */
};

struct tt_slot {
	_Alignas(TT_LINE) _Atomic uint32_t beat; /* stored last; pairs with the waiter's acquire */
	uint16_t flags;
	uint16_t number; /* of the call, its low bits: a later call may look the same */
	struct tt_fingerprint call;
	unsigned char small[TT_INLINE];
};

struct tt_desk {
	/* Written by others: */
	/* how many sleep on this rank's beats; pairs with tt_host_publish */
	_Alignas(TT_LINE) _Atomic uint32_t sleepers;
	_Alignas(TT_LINE) _Atomic uint32_t bell; /* futex: rung when a channel of the rank moves */
	_Atomic uint32_t listening;              /* this rank sleeps on its bell */
	/* Written by the rank, read by others when something is wrong: */
	_Alignas(TT_LINE) _Atomic int32_t pid;
	_Atomic uint32_t left; /* the rank has freed the communicator */
	/* it has called totum_comm_shrink: release, pairs with the survivors' acquire */
	_Atomic uint32_t shrinking;
	_Atomic uint64_t calls;    /* number of its current call, for messages: relaxed */
	/* rank + 1 that it waits for, 0: none, TT_WAITS_FAR + 1: only for ranks of other hosts */
	_Atomic int32_t waits_for;
	/* it was dead before anybody failed; written by who fails first, before head->failed */
	_Atomic uint32_t fell;
	/*
	 * Its latest call between hosts, by runtime/notice.c: relaxed, and whole between two equal
	 * even numbers in call_turn, the first read with acquire and the second behind a fence.
	 */
	_Atomic uint32_t call_turn;
	_Atomic uint64_t call_number, call_parts[3];
};

struct tt_head {
	_Atomic uint32_t members; /* ranks that have not freed the communicator yet */
	_Atomic uint32_t failing; /* claimed by the first rank that finds a failure */
	_Atomic uint32_t failed;  /* release after sentence, status; pairs with readers' acquire */
	/* rank + 1 of the survivor who wrote down the members of the communicator to come */
	_Atomic uint32_t decided;
	_Atomic uint32_t told; /* some rank here tells those of other hosts; relaxed */
	int32_t status;
	int32_t culprit; /* the rank of the communicator that failed, -1: none */
	char sentence[TT_FAILURE];
};

/* Collectives and messages have channels of their own, so that neither waits behind the other. */
enum tt_lane { TT_LANE_COLLECTIVES, TT_LANE_MESSAGES, TT_LANES };

/* One direction between two ranks: a ring of bytes, written and read by running counts. */
struct tt_channel {
	_Alignas(TT_LINE) _Atomic uint64_t written; /* by the sender: release after the bytes */
	_Alignas(TT_LINE) _Atomic uint64_t read;    /* by the receiver: release after copying out */
	_Alignas(TT_LINE) unsigned char ring[TT_CHANNEL];
};

size_t tt_area_bytes(int nranks);
/*
 * Bytes of a stage; a multiple of 64 and at least 64 a rank.  Before them lie TT_FOREWORD bytes a
 * rank, in whole pages.
 */
size_t tt_area_stage_bytes(int nranks);
size_t tt_area_foreword_bytes(int nranks);

struct tt_head *tt_area_head(void *area);
struct tt_desk *tt_area_desk(void *area, int rank);
struct tt_slot *tt_area_slot(void *area, int nranks, int rank, uint32_t beat);
/* The stage, behind its foreword. */
unsigned char *tt_area_stage(void *area, int nranks, int rank, uint32_t beat);
struct tt_channel *tt_area_channel(void *area, int nranks, enum tt_lane lane, int from, int to);

#endif
