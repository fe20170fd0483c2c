/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_cases.h - schedules to test with: well-known ones written here from their definitions,
 * random ones, and the plain list of what a schedule moves, against which clever readers are held.
 */
#ifndef SCHEDULE_CASES_H
#define SCHEDULE_CASES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "schedule/ir.h"

static const int64_t case_sizes[] = {
	1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,  13,  14,  15,  16,  17,  18,
	19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,  31,  32,  33,  34,  35,  36,
	37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,  49,  50,  51,  52,  53,  54,
	55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 96, 100, 127, 128, 129, 255, 256, 257};
enum { CASE_SIZES = sizeof(case_sizes) / sizeof(*case_sizes) };

static inline struct tt_schedule *case_new(enum tt_collective collective, int64_t nranks, int root,
					   int pieces, const char *name)
{
	struct tt_schedule *schedule = NULL;

	assert_int_equal(tt_schedule_new(collective, nranks, root, pieces, &schedule), TOTUM_OK);
	snprintf(schedule->name, sizeof(schedule->name), "%s", name);
	return schedule;
}

static inline struct tt_schedule *case_seal(struct tt_schedule *schedule)
{
	if (tt_schedule_seal(schedule) != TOTUM_OK)
		fail_msg("%s", totum_errmsg());
	return schedule;
}

static inline struct tt_schedule *case_reverse(const struct tt_schedule *schedule)
{
	struct tt_schedule *out = NULL;

	if (tt_derive_reverse(schedule, &out) != TOTUM_OK)
		fail_msg("%s", totum_errmsg());
	return out;
}

static inline struct tt_schedule *case_compose(enum tt_collective collective,
					       const struct tt_schedule *first,
					       const struct tt_schedule *second)
{
	struct tt_schedule *out = NULL;

	if (tt_derive_compose(collective, first, second, &out) != TOTUM_OK)
		fail_msg("%s", totum_errmsg());
	return out;
}

/* Not sealed, so that a test can add to it or spoil it. */
static inline struct tt_schedule *case_ring(int64_t n)
{
	struct tt_schedule *schedule = case_new(TT_ALLGATHER, n, 0, 1, "ring");

	tt_shift_repeat(schedule, 0, n - 1, 1, 0, 1, 1, 1);
	return schedule;
}

/* Both ways round; of even n the last block comes half from each side. */
static inline struct tt_schedule *case_biring(int64_t n)
{
	struct tt_schedule *schedule = case_new(TT_ALLGATHER, n, 0, 2, "biring");
	int64_t whole = (n - 1) / 2;

	tt_shift_repeat(schedule, 0, whole, 1, 0, 1, 1, 1);
	tt_shift_repeat(schedule, 0, whole, -1, 0, -1, 1, 1);
	if (n % 2 == 0) {
		tt_shift(schedule, whole, 1, whole, 1, 1)->npieces = 1;
		struct tt_record *half = tt_shift(schedule, whole, -1, -whole, 1, 1);

		half->piece = 1;
		half->npieces = 1;
	}
	return schedule;
}

static inline struct tt_schedule *case_bruck(int64_t n, int64_t radix)
{
	struct tt_schedule *schedule = case_new(TT_ALLGATHER, n, 0, 1, "bruck");
	int64_t round = 0;

	for (int64_t d = 1; d < n; d *= radix, round++)
		for (int64_t j = 1; j < radix && j * d < n; j++)
			tt_shift(schedule, round, -j * d, 0, d < n - j * d ? d : n - j * d, -1);
	return schedule;
}

/* Far first: offsets that are multiples of twice the distance. */
static inline struct tt_schedule *case_sparbit(int64_t n)
{
	struct tt_schedule *schedule = case_new(TT_ALLGATHER, n, 0, 1, "sparbit");
	int64_t d = 1, round = 0;

	while (2 * d < n)
		d *= 2;
	for (; n > 1 && d; d /= 2)
		tt_shift(schedule, round++, d, 0, (n - d + 2 * d - 1) / (2 * d), 2 * d % n);
	return schedule;
}

/* Recursive doubling; n a power of two. */
static inline struct tt_schedule *case_doubling(int64_t n)
{
	struct tt_schedule *schedule = case_new(TT_ALLGATHER, n, 0, 1, "doubling");

	for (int64_t mask = 1, round = 0; mask < n; mask *= 2, round++)
		tt_exchange(schedule, round, mask, mask - 1);
	return schedule;
}

/* Neighbours exchange what they got last; n even. */
static inline struct tt_schedule *case_neighbor(int64_t n)
{
	struct tt_schedule *schedule = case_new(TT_ALLGATHER, n, 0, 1, "neighbor");

	for (int64_t round = 0; round < n / 2; round++)
		for (int64_t r = 0; r < n; r += 2) {
			int64_t right = round % 2 ? (r + n - 1) % n : r + 1;
			/* The even rank's newest pair came from its other side. */
			int64_t back = round < 2 ? 0 : round / 2 * 2;
			int64_t even = (round % 2 ? r + back : r + n - back) % n;
			int64_t odd = (round % 2 ? right - 1 + n - back : right - 1 + back) % n;

			tt_move(schedule, round, r, right, round ? even : r, round ? 2 : 1);
			tt_move(schedule, round, right, r, round ? odd : right, round ? 2 : 1);
		}
	return schedule;
}

static inline int64_t case_pick(unsigned *seed, int64_t low, int64_t high)
{
	return low + rand_r(seed) % (high - low + 1);
}

/*
 * A random right all-gather of moves: in every round some ranks send something they have to someone
 * who lacks it, until all have all.
 */
static inline struct tt_schedule *case_gossip(int64_t n, int pieces, unsigned seed)
{
	struct tt_schedule *schedule = case_new(TT_ALLGATHER, n, 0, pieces, "gossip");
	size_t units = (size_t)(n * pieces);
	int64_t *since = calloc((size_t)n * units, sizeof(*since)); /* round after which held */
	int64_t missing = (int64_t)((size_t)n * units) - (int64_t)units;

	assert_non_null(since);
	for (int64_t r = 0; r < n; r++)
		for (size_t u = 0; u < units; u++)
			since[(size_t)r * units + u] = (int64_t)u / pieces == r ? 0 : INT64_MAX;
	for (int64_t round = 0; missing; round++) {
		int64_t sent = 0;

		while (!sent || case_pick(&seed, 0, 3)) {
			int64_t from = case_pick(&seed, 0, n - 1), to = case_pick(&seed, 0, n - 1);
			int64_t u = case_pick(&seed, 0, (int64_t)units - 1);

			if (since[from * (int64_t)units + u] > round ||
			    since[to * (int64_t)units + u] != INT64_MAX) {
				sent += missing == 0;
				if (missing == 0)
					break;
				continue;
			}
			since[to * (int64_t)units + u] = round + 1;
			struct tt_record *record =
				tt_move(schedule, round, from, to, u / pieces, 1);

			record->piece = (int32_t)(u % pieces);
			record->npieces = 1;
			missing--;
			sent++;
		}
	}
	free(since);
	return schedule;
}

static inline int64_t case_random_size(unsigned seed)
{
	static const int64_t sizes[] = {2, 3, 4, 6, 8, 12, 16, 15, 24};

	return sizes[case_pick(&seed, 0, 8)];
}

/* Random records, right in form only; rounds without gaps. */
static inline struct tt_schedule *case_random(enum tt_collective collective, int64_t n,
					      unsigned seed)
{
	int pieces = (int)case_pick(&seed, 1, 4);
	int root = tt_rooted(collective) ? (int)case_pick(&seed, 0, n - 1) : 0;
	struct tt_schedule *schedule = case_new(collective, n, root, pieces, "random");
	int64_t blocks = schedule->nblocks, reach = 0;
	int count = (int)case_pick(&seed, 0, 12);

	while (count) {
		struct tt_record record = {
			.primitive = (enum tt_primitive)case_pick(&seed, 0, 2),
			.reduce = tt_reduces(collective) && case_pick(&seed, 0, 1),
			.round = case_pick(&seed, 0, reach),
			.rounds = 1,
			.piece = (int32_t)case_pick(&seed, 0, pieces - 1),
			.npieces = (int32_t)case_pick(&seed, 1, pieces),
		};

		if (record.primitive == TT_SHIFT) {
			record.rounds = case_pick(&seed, 0, 1) ? 1 : case_pick(&seed, 1, n);
			record.shift.distance = case_pick(&seed, 1 - n, n - 1);
			record.shift.first = case_pick(&seed, -n, n);
			record.shift.step = case_pick(&seed, -n, n);
			record.shift.count = case_pick(&seed, 1, n);
			record.shift.stride = case_pick(&seed, -n, n);
		} else if (record.primitive == TT_EXCHANGE) {
			record.exchange.mask = case_pick(&seed, 1, n - 1);
			record.exchange.field = case_pick(&seed, 0, n - 1);
			record.exchange.flip = case_pick(&seed, 0, n - 1);
		} else {
			record.move.from = case_pick(&seed, 0, n - 1);
			record.move.to = case_pick(&seed, 0, n - 1);
			record.move.first = case_pick(&seed, 0, blocks - 1);
			record.move.count = case_pick(&seed, 1, blocks);
			record.move.stride = case_pick(&seed, -blocks, blocks);
		}
		if (tt_record_fault(schedule, &record))
			continue;
		tt_schedule_add(schedule, record);
		if (record.round + record.rounds > reach)
			reach = record.round + record.rounds;
		count--;
	}
	return case_seal(schedule);
}

struct case_unit {
	int64_t round, from, to, block, piece;
	bool reduce;
};

struct case_list {
	struct case_unit *units;
	size_t count, capacity;
};

static inline void case_put(struct case_list *list, struct case_unit unit)
{
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 64;
		list->units = realloc(list->units, list->capacity * sizeof(*list->units));
		assert_non_null(list->units);
	}
	list->units[list->count++] = unit;
}

static inline int case_compare(const void *left, const void *right)
{
	const struct case_unit *a = left, *b = right;
	int64_t keys[][2] = {{a->round, b->round}, {a->from, b->from},   {a->to, b->to},
			     {a->block, b->block}, {a->piece, b->piece}, {a->reduce, b->reduce}};

	for (int i = 0; i < 6; i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

/* Everything that moves, piece by piece, sorted. */
static inline struct case_list case_expand(const struct tt_schedule *schedule)
{
	struct case_list list = {0};

	for (int64_t round = 0; round < schedule->rounds; round++) {
		struct tt_round_walk walk = {0};
		const struct tt_record *record;

		while (tt_round_next(schedule, round, &walk, &record))
			for (int64_t rank = 0; rank < schedule->nranks; rank++) {
				struct tt_transfer out;

				if (!tt_record_send(schedule, record, round, rank, &out))
					continue;
				for (int64_t i = 0; i < out.blocks.count * out.npieces; i++)
					case_put(&list,
						 (struct case_unit){
							 round, out.from, out.to,
							 tt_blocks_at(&out.blocks, i / out.npieces),
							 out.piece + i % out.npieces, out.reduce});
			}
	}
	if (list.count)
		qsort(list.units, list.count, sizeof(*list.units), case_compare);
	return list;
}

static inline bool case_same(const struct case_list *a, const struct case_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (case_compare(&a->units[i], &b->units[i]))
			return false;
	return true;
}

#endif
