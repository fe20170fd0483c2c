/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prices: known times to nine digits, exact volumes on fewer links than messages, claims against
 * schedules for every algorithm, symmetric against explicit records, and no price below the least
 * one.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/algorithm.h"
#include "proof/price.h"

static struct tt_schedule *built(enum tt_collective collective, const char *algorithm,
				 int64_t nranks)
{
	struct tt_schedule *schedule = NULL;

	if (tt_algorithm_build(collective, algorithm, nranks, 0, &schedule))
		fail_msg("%s:n=%lld:algo=%s: %s", tt_collective_name(collective), (long long)nranks,
			 algorithm, totum_errmsg());
	return schedule;
}

static struct tt_price priced(enum tt_collective collective, const char *algorithm, int64_t nranks,
			      int64_t links)
{
	struct tt_schedule *schedule = built(collective, algorithm, nranks);
	struct tt_price price;

	assert_int_equal(tt_price_count(schedule, links, &price), TOTUM_OK);
	tt_schedule_free(schedule);
	return price;
}

/* N = 8, M = 8 MiB, alpha = 1 us, beta = 10 GB/s, in microseconds. */
static void known_times(void **state)
{
	static const struct {
		const char *algorithm;
		int64_t links;
		double microseconds;
	} cases[] = {
		{"ring", 1, 741.0032},
		{"recursive_doubling", 1, 737.0032},
		{"bruck", 1, 737.0032},
		{"bidirectional_ring", 2, 371.0016},
		{"bidirectional_ring,whole=1", 2, 423.4304},
		{"bidirectional_ring", 1, 738.0032},
		{"direct", 7, 105.8576},
		{"direct", 1, 735.0032},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tt_price price = priced(TT_ALLGATHER, cases[i].algorithm, 8, cases[i].links);
		double seconds = tt_price_seconds(&price, 8, 8 << 20, &tt_machine_default);

		if (fabs(seconds * 1e6 / cases[i].microseconds - 1) > 1e-9)
			fail_msg(
				"allgather:n=8:bytes=8M:links=%lld:algo=%s takes %.9f us, not %.4f",
				(long long)cases[i].links, cases[i].algorithm, seconds * 1e6,
				cases[i].microseconds);
	}
	struct tt_price least = tt_price_least(TT_ALLGATHER, 8, 1, 1);

	assert_int_equal(least.rounds, 3);
	least.rounds = 0;
	assert_true(
		fabs(tt_price_seconds(&least, 8, 8 << 20, &tt_machine_default) * 1e6 / 734.0032 -
		     1) < 1e-9);
}

static void assert_fraction(struct tt_fraction fraction, int64_t over, int64_t under,
			    const char *what)
{
	if (fraction.over != over || fraction.under != under)
		fail_msg("%s is %lld/%lld, not %lld/%lld", what, (long long)fraction.over,
			 (long long)fraction.under, (long long)over, (long long)under);
}

static void links_are_shared(void **state)
{
	(void)state;
	/* 7 equal messages on 2, 3 and 7 links. */
	assert_fraction(priced(TT_ALLGATHER, "direct", 8, 2).volume, 7, 2, "direct on 2 links");
	assert_fraction(priced(TT_ALLGATHER, "direct", 8, 3).volume, 7, 3, "direct on 3 links");
	assert_fraction(priced(TT_ALLGATHER, "direct", 8, 7).volume, 1, 1, "direct on 7 links");
	assert_fraction(priced(TT_ALLGATHER, "direct", 8, 9).volume, 1, 1, "direct on 9 links");
	assert_int_equal(priced(TT_ALLGATHER, "direct", 8, 1).queued, 6);
	assert_int_equal(priced(TT_ALLGATHER, "direct", 8, 3).queued, 2);
	assert_int_equal(priced(TT_ALLGATHER, "direct", 8, 7).queued, 0);
	assert_int_equal(priced(TT_ALLGATHER, "direct", 8, 1).ports, 7);
	/*
	 * Unequal messages: a long one cannot be cut, so one link may be the busiest although
	 * others are free.
	 */
	struct tt_schedule *schedule;
	struct tt_price price;

	assert_int_equal(tt_schedule_new(TT_ALLGATHER, 8, 0, 1, &schedule), TOTUM_OK);
	tt_move(schedule, 0, 0, 1, 0, 5);
	for (int64_t rank = 2; rank < 4; rank++) {
		tt_move(schedule, 0, 0, rank, 0, 1);
		tt_move(schedule, 0, rank, 1, rank, 1);
	}
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
	assert_int_equal(tt_price_count(schedule, 2, &price), TOTUM_OK);
	assert_fraction(price.volume, 5, 1, "5 + 1 + 1 blocks on 2 links");
	assert_int_equal(tt_price_count(schedule, 1, &price), TOTUM_OK);
	assert_fraction(price.volume, 7, 1, "5 + 1 + 1 blocks on 1 link");
	tt_schedule_free(schedule);
}

static void receivers_count(void **state)
{
	struct tt_schedule *schedule;
	struct tt_price price;

	(void)state;
	assert_int_equal(tt_schedule_new(TT_GATHER, 5, 0, 1, &schedule), TOTUM_OK);
	for (int64_t rank = 1; rank < 5; rank++)
		tt_move(schedule, 0, rank, 0, rank, 1);
	/* Two moves between the same two ranks are one message. */
	tt_move(schedule, 1, 0, 1, 0, 1);
	tt_move(schedule, 1, 0, 1, 2, 2);
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
	assert_int_equal(tt_price_count(schedule, 1, &price), TOTUM_OK);
	assert_fraction(price.volume, 4 + 3, 1, "four senders to one receiver, then three blocks");
	assert_int_equal(price.ports, 4);
	assert_int_equal(price.queued, 3);
	tt_schedule_free(schedule);
}

static void additions(void **state)
{
	(void)state;
	assert_fraction(priced(TT_REDUCE_SCATTER, "ring", 5, 1).added, 4, 1,
			"additions of reduce-scatter");
	assert_fraction(priced(TT_ALLREDUCE, "recursive_doubling", 8, 1).added, 7, 1,
			"additions of all-reduce");
	assert_fraction(priced(TT_ALLREDUCE, "recursive_doubling", 8, 1).volume, 14, 1,
			"volume of all-reduce");
	assert_fraction(priced(TT_ALLGATHER, "ring", 8, 1).added, 0, 1, "additions of all-gather");
}

/* The same schedule with every record spelt out rank by rank. */
static struct tt_schedule *spelt_out(const struct tt_schedule *schedule)
{
	const struct tt_record *record;
	struct tt_schedule *moves;
	struct tt_transfer transfer;

	assert_int_equal(tt_schedule_new(schedule->collective, schedule->nranks, schedule->root,
					 schedule->pieces, &moves),
			 TOTUM_OK);
	for (int64_t round = 0; round < schedule->rounds; round++)
		for (struct tt_round_walk walk = {0};
		     tt_round_next(schedule, round, &walk, &record);)
			for (int64_t rank = 0; rank < schedule->nranks; rank++) {
				if (!tt_record_send(schedule, record, round, rank, &transfer))
					continue;
				for (int64_t i = 0; i < transfer.blocks.count; i++) {
					struct tt_record *move =
						tt_move(moves, round, transfer.from, transfer.to,
							tt_blocks_at(&transfer.blocks, i), 1);
					move->piece = transfer.piece;
					move->npieces = transfer.npieces;
					move->reduce = transfer.reduce;
				}
			}
	assert_int_equal(tt_schedule_seal(moves), TOTUM_OK);
	return moves;
}

static void check_links(const struct tt_schedule *schedule, const struct tt_schedule *moves,
			int64_t links)
{
	struct tt_price price, same;

	assert_int_equal(tt_price_count(schedule, links, &price), TOTUM_OK);
	assert_int_equal(tt_price_count(moves, links, &same), TOTUM_OK);
	if (price.rounds != same.rounds || price.ports != same.ports ||
	    price.queued != same.queued || tt_fraction_compare(price.volume, same.volume) ||
	    tt_fraction_compare(price.added, same.added))
		fail_msg("allgather:n=%lld:links=%lld:algo=%s has another price when its moves are "
			 "spelt out",
			 (long long)schedule->nranks, (long long)links, schedule->name);
	struct tt_price least = tt_price_least(schedule->collective, schedule->nranks,
					       price.ports > links ? price.ports : links, links);

	if (price.rounds < least.rounds || tt_fraction_compare(price.volume, least.volume) < 0 ||
	    tt_fraction_compare(price.added, least.added) < 0)
		fail_msg("%s:n=%lld:links=%lld:algo=%s is below the least price",
			 tt_collective_name(schedule->collective), (long long)schedule->nranks,
			 (long long)links, schedule->name);
}

static void check_claims(const struct tt_algorithm *algorithm, const struct tt_schedule *schedule,
			 const int64_t *values)
{
	struct tt_price price;

	assert_int_equal(tt_price_own(schedule, &price), TOTUM_OK);
	if (price.rounds != algorithm->rounds(schedule->nranks, values) ||
	    price.ports != algorithm->ports(schedule->nranks, values) ||
	    tt_fraction_compare(price.volume, algorithm->volume(schedule->nranks, values)))
		fail_msg("allgather:n=%lld:algo=%s does not cost what it claims",
			 (long long)schedule->nranks, schedule->name);
}

static void every_algorithm(void **state)
{
	(void)state;
	for (int i = 0; i < tt_nalgorithms; i++)
		for (int64_t nranks = 1; nranks <= 20; nranks++) {
			const struct tt_algorithm *algorithm = tt_algorithms[i].algorithm;
			int64_t values[TT_PARAMETERS];

			assert_int_equal(tt_algorithm_values(&tt_algorithms[i], nranks, "", values),
					 TOTUM_OK);
			if (algorithm->refuses && algorithm->refuses(nranks, values))
				continue;
			struct tt_schedule *schedule =
				built(tt_algorithms[i].collective, tt_algorithms[i].name, nranks);
			struct tt_schedule *moves = spelt_out(schedule);

			check_claims(algorithm, schedule, values);
			for (int64_t links = 1; links <= 4; links++)
				check_links(schedule, moves, links);
			tt_schedule_free(schedule);
			tt_schedule_free(moves);
		}
}

static void a_million_ranks(void **state)
{
	(void)state;
	assert_fraction(priced(TT_ALLGATHER, "ring", 1000000, 1).volume, 999999, 1,
			"ring of 1,000,000");
	assert_fraction(priced(TT_ALLGATHER, "direct", 1000000, 1).volume, 999999, 1,
			"direct of 1,000,000");
	assert_fraction(priced(TT_ALLGATHER, "bidirectional_ring", 1000000, 2).volume, 999999, 2,
			"bidirectional ring of 1,000,000");
}

static void refusals(void **state)
{
	struct tt_schedule *schedule = built(TT_ALLGATHER, "ring", 4);
	struct tt_price price = {.rounds = 77};

	(void)state;
	assert_int_equal(tt_price_count(schedule, 0, &price), TOTUM_EINVAL);
	assert_int_equal(tt_price_count(schedule, (int64_t)TT_MAX_RANKS + 1, &price), TOTUM_EINVAL);
	assert_int_equal(price.rounds, 77);
	tt_schedule_free(schedule);
}

static void machine_settings(void **state)
{
	struct tt_machine machine = tt_machine_default;
	char text[TT_MACHINE_TEXT];

	(void)state;
	assert_int_equal(tt_machine_parse("", &machine), TOTUM_OK);
	assert_string_equal(tt_machine_text(&machine, text), "alpha=1us,beta=10GB/s,links=1");
	assert_int_equal(
		tt_machine_parse("links=3,gamma=20GB/s,overhead=200ns,alpha=1.5us,beta=100Gbit/s",
				 &machine),
		TOTUM_OK);
	assert_string_equal(tt_machine_text(&machine, text),
			    "alpha=1.5us,beta=12.5GB/s,gamma=20GB/s,overhead=200ns,links=3");
	assert_int_equal(tt_machine_parse("gamma=0", &machine), TOTUM_OK);
	assert_true(machine.gamma == 0);
	static const char *const bad[] = {"alpha",
					  "alpha=",
					  "alpha=1",
					  "alpha=-1us",
					  "beta=0B/s",
					  "beta=10",
					  "links=0",
					  "links=1.5",
					  "gama=1GB/s",
					  "=1",
					  ",",
					  "alpha=1us,,links=2",
					  "links=99999999999999999999",
					  "alpha=1us links=2",
					  "alpha=1us,"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct tt_machine before = machine;

		if (tt_machine_parse(bad[i], &machine) != TOTUM_EINVAL)
			fail_msg("the machine '%s' is not refused", bad[i]);
		assert_memory_equal(&before, &machine, sizeof machine);
	}
	tt_machine_parse("gama=1GB/s", &machine);
	assert_non_null(strstr(totum_errmsg(), "did you mean 'gamma'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_times),     cmocka_unit_test(links_are_shared),
		cmocka_unit_test(receivers_count), cmocka_unit_test(additions),
		cmocka_unit_test(every_algorithm), cmocka_unit_test(a_million_ranks),
		cmocka_unit_test(refusals),        cmocka_unit_test(machine_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
