/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_walk - a schedule is read back as it was built: sender and receiver agree on every
 * transfer, each round yields exactly its records, and seal refuses what does not exist.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "schedule/ir.h"

static struct tt_schedule *fresh(enum tt_collective collective, int64_t nranks, int pieces)
{
	struct tt_schedule *schedule = NULL;

	assert_int_equal(tt_schedule_new(collective, nranks, 0, pieces, &schedule), TOTUM_OK);
	return schedule;
}

static int64_t wrap(int64_t value, int64_t n)
{
	return ((value % n) + n) % n;
}

static bool contains(const struct tt_blocks *blocks, int64_t block)
{
	for (int64_t i = 0; i < blocks->count; i++)
		if (tt_blocks_at(blocks, i) == block)
			return true;
	return false;
}

static void assert_same(const struct tt_transfer *a, const struct tt_transfer *b)
{
	assert_int_equal(a->from, b->from);
	assert_int_equal(a->to, b->to);
	assert_int_equal(a->piece, b->piece);
	assert_int_equal(a->npieces, b->npieces);
	assert_int_equal(a->reduce, b->reduce);
	assert_int_equal(a->blocks.count, b->blocks.count);
	for (int64_t i = 0; i < a->blocks.count; i++)
		assert_int_equal(tt_blocks_at(&a->blocks, i), tt_blocks_at(&b->blocks, i));
}

static void a_shift_names_the_blocks_of_its_definition(void **state)
{
	(void)state;
	for (int64_t n = 2; n <= 17; n++)
		for (int64_t stride = -n; stride <= n; stride++)
			for (int64_t count = 1; count <= n; count++) {
				struct tt_schedule *schedule = fresh(TT_ALLGATHER, n, 1);

				tt_shift_repeat(schedule, 0, 2, 1 - n, 2, -3 % n, count, stride);
				bool legal = tt_schedule_seal(schedule) == TOTUM_OK;
				bool distinct = true;

				for (int64_t i = 1; i < count; i++)
					distinct &= wrap(i * stride, n) != 0;
				assert_int_equal(legal, distinct);
				for (int64_t rank = 0; legal && rank < 2 * n; rank++) {
					int64_t round = rank / n, r = rank % n;
					struct tt_transfer sent, received;

					assert_true(tt_record_send(schedule, schedule->records,
								   round, r, &sent));
					assert_int_equal(sent.to, (r + 1) % n);
					assert_int_equal(sent.blocks.count, count);
					for (int64_t i = 0; i < count; i++)
						assert_true(contains(
							&sent.blocks,
							wrap(r - 2 + round * (3 % n) - i * stride,
							     n)));
					assert_true(tt_record_receive(schedule, schedule->records,
								      round, sent.to, &received));
					assert_same(&sent, &received);
				}
				tt_schedule_free(schedule);
			}
}

static void an_exchange_names_the_blocks_of_its_definition(void **state)
{
	(void)state;
	enum { N = 48 };

	for (int64_t mask = 1; mask < 16; mask++)
		for (int64_t field = 0; field < 16; field++)
			for (int64_t r = 0; r < N; r++) {
				struct tt_schedule *schedule = fresh(TT_ALLGATHER, N, 1);
				struct tt_transfer sent, received;
				int64_t flip = (mask * 7 + field) % 16, expected = 0, last = -1;

				tt_exchange(schedule, 0, mask, field)->exchange.flip = flip;
				assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
				assert_true(
					tt_record_send(schedule, schedule->records, 0, r, &sent));
				assert_true(tt_record_receive(schedule, schedule->records, 0,
							      r ^ mask, &received));
				assert_same(&sent, &received);
				for (int64_t s = 0; s < 16; s++)
					if ((s & ~field) == 0) {
						expected++;
						assert_true(contains(&sent.blocks, r ^ flip ^ s));
					}
				assert_int_equal(sent.blocks.count, expected);
				for (int64_t i = 0; i < expected; i++) {
					assert_true(tt_blocks_at(&sent.blocks, i) > last);
					last = tt_blocks_at(&sent.blocks, i);
				}
				tt_schedule_free(schedule);
			}
}

static void a_move_concerns_its_two_ranks_only(void **state)
{
	(void)state;
	struct tt_schedule *schedule = fresh(TT_ALLTOALL, 5, 3);

	tt_move(schedule, 0, 3, 1, 20, 6)->move.stride = -4;
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
	static const int64_t blocks[] = {20, 16, 12, 8, 4, 0};

	for (int64_t r = 0; r < 5; r++) {
		struct tt_transfer out;

		assert_int_equal(tt_record_send(schedule, schedule->records, 0, r, &out), r == 3);
		assert_int_equal(tt_record_receive(schedule, schedule->records, 0, r, &out),
				 r == 1);
		if (r == 1)
			for (int64_t i = 0; i < 6; i++)
				assert_int_equal(tt_blocks_at(&out.blocks, i), blocks[i]);
	}
	tt_schedule_free(schedule);
}

/* Random records with random spans: the walk gives what a search of all records gives, in order. */
static void every_round_yields_its_records(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 200; seed++) {
		struct tt_schedule *schedule = fresh(TT_ALLGATHER, 64, 1);
		unsigned random = seed;
		int count = rand_r(&random) % 60;

		tt_shift_repeat(schedule, 0, 40, 1, 0, 0, 1, 1);
		for (int i = 0; i < count; i++) {
			int64_t round = rand_r(&random) % 40;

			if (rand_r(&random) % 2)
				tt_move(schedule, round, i, (i + 1) % 64, i, 1);
			else
				tt_shift_repeat(schedule, round, rand_r(&random) % 20, 1, i, 0, 1,
						1);
		}
		assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
		for (int64_t round = 0; round < schedule->rounds; round++) {
			struct tt_round_walk walk = {0};
			const struct tt_record *record;

			for (int64_t i = 0; i < schedule->nrecords; i++) {
				const struct tt_record *expected = &schedule->records[i];

				if (round < expected->round ||
				    round >= expected->round + expected->rounds)
					continue;
				if (!tt_round_next(schedule, round, &walk, &record) ||
				    record != expected)
					fail_msg("seed %u: round %lld misses record %lld", seed,
						 (long long)round, (long long)i);
			}
			assert_false(tt_round_next(schedule, round, &walk, &record));
			assert_false(tt_round_next(schedule, round, &walk, &record));
		}
		tt_schedule_free(schedule);
	}
}

static void a_ring_of_a_million_is_one_record(void **state)
{
	(void)state;
	enum { N = 1000000 };
	struct tt_schedule *schedule = fresh(TT_ALLGATHER, N, 1);

	tt_shift_repeat(schedule, 0, N - 1, 1, 0, 1, 1, 1);
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
	assert_int_equal(schedule->rounds, N - 1);
	for (int64_t round = 0; round < schedule->rounds; round++) {
		struct tt_round_walk walk = {0};
		const struct tt_record *record;
		struct tt_transfer out;

		assert_true(tt_round_next(schedule, round, &walk, &record));
		assert_true(tt_record_receive(schedule, record, round, 7, &out));
		assert_int_equal(tt_blocks_at(&out.blocks, 0), wrap(6 - round, N));
		assert_false(tt_round_next(schedule, round, &walk, &record));
	}
	tt_schedule_free(schedule);
}

static void seal_keeps_the_order_within_a_round(void **state)
{
	(void)state;
	struct tt_schedule *schedule = fresh(TT_ALLGATHER, 8, 1);

	for (int64_t i = 0; i < 300; i++)
		tt_move(schedule, (299 - i) % 7, i % 7, 7, 0, 1)->move.first = i % 8;
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
	int64_t at = 0;

	for (int64_t round = 0; round < 7; round++)
		for (int64_t i = 0; i < 300; i++)
			if ((299 - i) % 7 == round) {
				assert_int_equal(schedule->records[at].round, round);
				assert_int_equal(schedule->records[at++].move.first, i % 8);
			}
	assert_int_equal(at, schedule->nrecords);
	tt_schedule_free(schedule);
}

struct refusal {
	struct tt_record record;
	const char *sentence;
};

#define SHIFT(d, f, s, c, g)                                                                       \
	{                                                                                          \
		.distance = d, .first = f, .step = s, .count = c, .stride = g                      \
	}
#define MOVE(f, t, b, c, g)                                                                        \
	{                                                                                          \
		.from = f, .to = t, .first = b, .count = c, .stride = g                            \
	}

/* On 12 ranks, 2 pieces. */
static const struct refusal refusals[] = {
	{{.npieces = 1, .rounds = 1, .round = -1, .shift = SHIFT(1, 0, 0, 1, 1)},
	 "round is negative"},
	{{.npieces = 1, .rounds = 0, .shift = SHIFT(1, 0, 0, 1, 1)}, "at least one round"},
	{{.npieces = 1, .rounds = 13, .shift = SHIFT(1, 0, 0, 1, 1)}, "at most nranks rounds"},
	{{.npieces = 0, .rounds = 1, .shift = SHIFT(1, 0, 0, 1, 1)}, "run of pieces"},
	{{.npieces = 3, .rounds = 1, .shift = SHIFT(1, 0, 0, 1, 1)}, "run of pieces"},
	{{.piece = 1, .npieces = 2, .rounds = 1, .shift = SHIFT(1, 0, 0, 1, 1)}, "run of pieces"},
	{{.piece = -1, .npieces = 2, .rounds = 1, .shift = SHIFT(1, 0, 0, 1, 1)}, "run of pieces"},
	{{.npieces = 1, .rounds = 1, .reduce = true, .shift = SHIFT(1, 0, 0, 1, 1)}, "only moves"},
	{{.npieces = 1, .rounds = 1, .shift = SHIFT(0, 0, 0, 1, 1)}, "distance"},
	{{.npieces = 1, .rounds = 1, .shift = SHIFT(12, 0, 0, 1, 1)}, "distance"},
	{{.npieces = 1, .rounds = 1, .shift = SHIFT(1, 13, 0, 1, 1)}, "first and step"},
	{{.npieces = 1, .rounds = 1, .shift = SHIFT(1, 0, INT64_MIN, 1, 1)}, "first and step"},
	{{.npieces = 1, .rounds = 1, .shift = SHIFT(1, 0, 0, 0, 1)}, "blocks"},
	{{.npieces = 1, .rounds = 1, .shift = SHIFT(1, 0, 0, 13, 1)}, "blocks"},
	{{.npieces = 1, .rounds = 1, .shift = SHIFT(1, 0, 0, 4, 4)}, "block twice"},
	{{.npieces = 1, .rounds = 1, .shift = SHIFT(1, 0, 0, 2, 0)}, "block twice"},
	{{.npieces = 1, .rounds = 1, .shift = SHIFT(1, 0, 0, 1, INT64_MIN)}, "stride"},
	{{.primitive = TT_EXCHANGE, .npieces = 1, .rounds = 1, .exchange = {0, 0, 0}}, "mask"},
	{{.primitive = TT_EXCHANGE, .npieces = 1, .rounds = 1, .exchange = {16, 0, 0}}, "mask"},
	{{.primitive = TT_EXCHANGE, .npieces = 1, .rounds = 1, .exchange = {4, 0, 0}}, "multiple"},
	{{.primitive = TT_EXCHANGE, .npieces = 1, .rounds = 1, .exchange = {1, 4, 0}}, "multiple"},
	{{.primitive = TT_EXCHANGE, .npieces = 1, .rounds = 1, .exchange = {1, 0, 5}}, "multiple"},
	{{.primitive = TT_EXCHANGE, .npieces = 1, .rounds = 1, .exchange = {1, -1, 0}}, "field"},
	{{.primitive = TT_EXCHANGE, .npieces = 1, .rounds = 2, .exchange = {1, 0, 0}},
	 "only a shift"},
	{{.primitive = TT_MOVE, .npieces = 1, .rounds = 1, .move = MOVE(3, 3, 0, 1, 1)},
	 "to itself"},
	{{.primitive = TT_MOVE, .npieces = 1, .rounds = 1, .move = MOVE(3, 12, 0, 1, 1)},
	 "between ranks"},
	{{.primitive = TT_MOVE, .npieces = 1, .rounds = 1, .move = MOVE(-1, 2, 0, 1, 1)},
	 "between ranks"},
	{{.primitive = TT_MOVE, .npieces = 1, .rounds = 1, .move = MOVE(1, 2, 12, 1, 1)},
	 "first block"},
	{{.primitive = TT_MOVE, .npieces = 1, .rounds = 1, .move = MOVE(1, 2, 0, 13, 1)},
	 "at most all"},
	{{.primitive = TT_MOVE, .npieces = 1, .rounds = 1, .move = MOVE(1, 2, 0, 5, 9)},
	 "block twice"},
	{{.primitive = TT_MOVE, .npieces = 1, .rounds = 2, .move = MOVE(1, 2, 0, 5, 1)},
	 "only a shift"},
	{{.primitive = (enum tt_primitive)7, .npieces = 1, .rounds = 1}, "primitive"},
	{{.npieces = 1, .rounds = 1, .round = 1, .shift = SHIFT(1, 0, 0, 1, 1)}, "without gaps"},
};

static void seal_refuses_what_does_not_exist(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct tt_schedule *schedule = fresh(TT_ALLGATHER, 12, 2);

		tt_schedule_add(schedule, refusals[i].record);
		if (tt_schedule_seal(schedule) != TOTUM_EINVAL ||
		    !strstr(totum_errmsg(), refusals[i].sentence))
			fail_msg("case %zu: '%s' lacks '%s'", i, totum_errmsg(),
				 refusals[i].sentence);
		assert_int_not_equal(tt_schedule_seal(schedule), TOTUM_OK);
		tt_schedule_free(schedule);
	}
}

static void new_refuses_what_does_not_exist(void **state)
{
	(void)state;
	struct tt_schedule *schedule = NULL;

	assert_int_equal(tt_schedule_new(TT_COLLECTIVES, 4, 0, 1, &schedule), TOTUM_EINVAL);
	assert_int_equal(tt_schedule_new(TT_ALLGATHER, 0, 0, 1, &schedule), TOTUM_EINVAL);
	assert_int_equal(tt_schedule_new(TT_ALLGATHER, INT64_MAX, 0, 1, &schedule), TOTUM_EINVAL);
	assert_int_equal(tt_schedule_new(TT_BROADCAST, 4, 4, 1, &schedule), TOTUM_EINVAL);
	assert_int_equal(tt_schedule_new(TT_BROADCAST, 4, -1, 1, &schedule), TOTUM_EINVAL);
	assert_int_equal(tt_schedule_new(TT_ALLGATHER, 4, 0, 0, &schedule), TOTUM_EINVAL);
	assert_null(schedule);
	tt_schedule_free(NULL);
}

static void adding_after_seal_is_reported(void **state)
{
	(void)state;
	struct tt_schedule *schedule = fresh(TT_ALLGATHER, 1, 1);

	/* A ring of one rank: nothing to do, and nothing wrong. */
	tt_shift_repeat(schedule, 0, 0, 1, 0, 1, 1, 1)->reduce = true;
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
	assert_int_equal(schedule->rounds, 0);
	assert_int_equal(schedule->nrecords, 0);
	tt_move(schedule, 0, 0, 1, 0, 1)->piece = 0;
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_EUSAGE);
	tt_schedule_free(schedule);
}

static void collectives_have_names(void **state)
{
	(void)state;
	for (int i = 0; i < TT_COLLECTIVES; i++) {
		enum tt_collective back = TT_COLLECTIVES;

		assert_int_equal(
			tt_collective_parse(tt_collective_name((enum tt_collective)i), &back),
			TOTUM_OK);
		assert_int_equal(back, i);
	}
	enum tt_collective unused;

	assert_int_equal(tt_collective_parse("all-gather", &unused), TOTUM_EPARSE);
	assert_non_null(strstr(totum_errmsg(), "all-gather"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shift_names_the_blocks_of_its_definition),
		cmocka_unit_test(an_exchange_names_the_blocks_of_its_definition),
		cmocka_unit_test(a_move_concerns_its_two_ranks_only),
		cmocka_unit_test(every_round_yields_its_records),
		cmocka_unit_test(a_ring_of_a_million_is_one_record),
		cmocka_unit_test(seal_keeps_the_order_within_a_round),
		cmocka_unit_test(seal_refuses_what_does_not_exist),
		cmocka_unit_test(new_refuses_what_does_not_exist),
		cmocka_unit_test(adding_after_seal_is_reported),
		cmocka_unit_test(collectives_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
