/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_derive - reverse and compose are held, move by move, against what they mean.
 */
#include "unit/schedule_cases.h"

static const enum tt_collective partner[TT_COLLECTIVES] = {
	[TT_ALLGATHER] = TT_REDUCE_SCATTER, [TT_REDUCE_SCATTER] = TT_ALLGATHER,
	[TT_ALLREDUCE] = TT_ALLREDUCE,      [TT_BROADCAST] = TT_REDUCE,
	[TT_REDUCE] = TT_BROADCAST,         [TT_GATHER] = TT_SCATTER,
	[TT_SCATTER] = TT_GATHER,           [TT_ALLTOALL] = TT_ALLTOALL,
};

static void turn(struct case_list *list, const struct tt_schedule *schedule)
{
	bool moves_only = schedule->collective == TT_GATHER || schedule->collective == TT_SCATTER ||
			  schedule->collective == TT_ALLTOALL;

	for (size_t i = 0; i < list->count; i++) {
		struct case_unit *unit = &list->units[i];
		int64_t from = unit->from, n = schedule->nranks;

		unit->round = schedule->rounds - 1 - unit->round;
		unit->from = unit->to;
		unit->to = from;
		unit->reduce = !moves_only && !unit->reduce;
		if (schedule->collective == TT_ALLTOALL)
			unit->block = unit->block % n * n + unit->block / n;
	}
	if (list->count)
		qsort(list->units, list->count, sizeof(*list->units), case_compare);
}

/*
 * Of collectives that reduce, only schedules whose every record does have a reverse that may not.
 */
static bool reversible(const struct tt_schedule *schedule)
{
	if (schedule->collective != TT_REDUCE_SCATTER && schedule->collective != TT_REDUCE)
		return true;
	for (int64_t i = 0; i < schedule->nrecords; i++)
		if (!schedule->records[i].reduce)
			return false;
	return true;
}

static void reverse_turns_every_move(void **state)
{
	(void)state;
	int reversed = 0;

	for (unsigned seed = 0; seed < 4000; seed++) {
		enum tt_collective collective = (enum tt_collective)(seed % TT_COLLECTIVES);
		struct tt_schedule *reverse = NULL,
				   *schedule =
					   case_random(collective, case_random_size(seed), seed);
		totum_status status = tt_derive_reverse(schedule, &reverse);

		if (!reversible(schedule)) {
			assert_int_equal(status, TOTUM_EINVAL);
			tt_schedule_free(schedule);
			continue;
		}
		assert_int_equal(status, TOTUM_OK);
		struct case_list expected = case_expand(schedule), actual = case_expand(reverse);

		reversed++;
		turn(&expected, schedule);
		if (!case_same(&expected, &actual) || reverse->collective != partner[collective] ||
		    reverse->root != schedule->root || reverse->pieces != schedule->pieces ||
		    reverse->rounds != schedule->rounds || strcmp(reverse->name, schedule->name))
			fail_msg("seed %u (%s, %lld ranks) is reversed wrongly", seed,
				 tt_collective_name(collective), (long long)schedule->nranks);
		free(expected.units);
		free(actual.units);
		tt_schedule_free(schedule);
		tt_schedule_free(reverse);
	}
	assert_true(reversed > 3000);
}

static void reverse_keeps_a_ring_one_record(void **state)
{
	(void)state;
	struct tt_schedule *ring = case_seal(case_ring(1000000)), *reverse = NULL;

	assert_int_equal(tt_derive_reverse(ring, &reverse), TOTUM_OK);
	assert_int_equal(reverse->nrecords, 1);
	assert_int_equal(reverse->rounds, 999999);
	assert_true(reverse->records->reduce);
	tt_schedule_free(ring);
	tt_schedule_free(reverse);
}

static void append(struct case_list *list, const struct case_list *part, int64_t offset,
		   int64_t scale)
{
	for (size_t i = 0; i < part->count; i++)
		for (int64_t piece = 0; piece < scale; piece++) {
			struct case_unit unit = part->units[i];

			unit.round += offset;
			unit.piece = unit.piece * scale + piece;
			case_put(list, unit);
		}
}

static void compose_plays_one_after_the_other(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 1000; seed++) {
		int64_t n = case_random_size(seed);
		struct tt_schedule *first = case_random(TT_REDUCE_SCATTER, n, seed), *both = NULL;
		struct tt_schedule *second = case_random(TT_ALLGATHER, n, seed + 100000);
		totum_status status = tt_derive_compose(TT_ALLREDUCE, first, second, &both);

		assert_int_equal(status, TOTUM_OK);
		struct case_list a = case_expand(first), b = case_expand(second);
		struct case_list expected = {0}, actual = case_expand(both);

		append(&expected, &a, 0, both->pieces / first->pieces);
		append(&expected, &b, first->rounds, both->pieces / second->pieces);
		if (expected.count)
			qsort(expected.units, expected.count, sizeof(*expected.units),
			      case_compare);
		if (!case_same(&expected, &actual) || both->collective != TT_ALLREDUCE ||
		    both->rounds != first->rounds + second->rounds)
			fail_msg("seed %u is composed wrongly", seed);
		free(a.units);
		free(b.units);
		free(expected.units);
		free(actual.units);
		tt_schedule_free(first);
		tt_schedule_free(second);
		tt_schedule_free(both);
	}
}

static void pieces_become_the_common_multiple(void **state)
{
	(void)state;
	struct tt_schedule *first = case_seal(case_new(TT_REDUCE_SCATTER, 4, 0, 4, "a"));
	struct tt_schedule *second = case_seal(case_new(TT_ALLGATHER, 4, 0, 6, "b")), *both = NULL;

	assert_int_equal(tt_derive_compose(TT_ALLREDUCE, first, second, &both), TOTUM_OK);
	assert_int_equal(both->pieces, 12);
	assert_string_equal(both->name, "a+b");
	tt_schedule_free(first);
	tt_schedule_free(second);
	tt_schedule_free(both);
}

static void refused(enum tt_collective collective, struct tt_schedule *first,
		    struct tt_schedule *second, totum_status status, const char *sentence)
{
	struct tt_schedule *both = NULL;

	assert_int_equal(tt_derive_compose(collective, first, second, &both), status);
	assert_null(both);
	if (!strstr(totum_errmsg(), sentence))
		fail_msg("'%s' lacks '%s'", totum_errmsg(), sentence);
	tt_schedule_free(first);
	tt_schedule_free(second);
}

static void what_does_not_fit_is_refused(void **state)
{
	(void)state;
	refused(TT_ALLREDUCE, case_ring(4), case_seal(case_ring(4)), TOTUM_EUSAGE, "sealed");
	refused(TT_ALLREDUCE, case_seal(case_ring(4)), case_ring(4), TOTUM_EUSAGE, "sealed");
	refused(TT_ALLGATHER, case_seal(case_ring(4)), case_seal(case_ring(5)), TOTUM_EINVAL,
		"ranks must agree");
	refused(TT_ALLGATHER, case_seal(case_ring(4)),
		case_seal(case_new(TT_ALLTOALL, 4, 0, 1, "x")), TOTUM_EINVAL, "all-to-all");
	refused(TT_ALLREDUCE, case_seal(case_new(TT_REDUCE, 4, 1, 1, "x")),
		case_seal(case_new(TT_BROADCAST, 4, 2, 1, "y")), TOTUM_EINVAL, "roots must agree");
	refused(TT_ALLREDUCE, case_seal(case_new(TT_REDUCE_SCATTER, 4, 0, 32768, "x")),
		case_seal(case_new(TT_ALLGATHER, 4, 0, 3, "y")), TOTUM_EUNSUPPORTED, "pieces");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reverse_turns_every_move),
		cmocka_unit_test(reverse_keeps_a_ring_one_record),
		cmocka_unit_test(compose_plays_one_after_the_other),
		cmocka_unit_test(pieces_become_the_common_multiple),
		cmocka_unit_test(what_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
