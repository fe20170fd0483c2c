/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_text - what is written is read back the same; what is no schedule is refused with its
 * line.
 */
#include "unit/schedule_cases.h"
#include "schedule/text.h"

static char *written(const struct tt_schedule *schedule, size_t *length)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, length);

	assert_non_null(stream);
	if (tt_schedule_write(schedule, stream) != TOTUM_OK)
		fail_msg("%s", totum_errmsg());
	fclose(stream);
	return text;
}

static struct tt_schedule *parsed(const char *text)
{
	struct tt_schedule *schedule = NULL;

	if (tt_schedule_parse("test", text, strlen(text), &schedule) != TOTUM_OK)
		fail_msg("%s", totum_errmsg());
	return schedule;
}

static bool same_record(const struct tt_record *a, const struct tt_record *b)
{
	if (a->primitive != b->primitive || a->reduce != b->reduce || a->piece != b->piece ||
	    a->npieces != b->npieces || a->round != b->round || a->rounds != b->rounds)
		return false;
	if (a->primitive == TT_SHIFT)
		return memcmp(&a->shift, &b->shift, sizeof(a->shift)) == 0;
	if (a->primitive == TT_EXCHANGE)
		return memcmp(&a->exchange, &b->exchange, sizeof(a->exchange)) == 0;
	return memcmp(&a->move, &b->move, sizeof(a->move)) == 0;
}

static bool same(const struct tt_schedule *a, const struct tt_schedule *b)
{
	if (a->collective != b->collective || strcmp(a->name, b->name) || a->nranks != b->nranks ||
	    a->nblocks != b->nblocks || a->rounds != b->rounds || a->root != b->root ||
	    a->pieces != b->pieces || a->nrecords != b->nrecords)
		return false;
	for (int64_t i = 0; i < a->nrecords; i++)
		if (!same_record(&a->records[i], &b->records[i]))
			return false;
	return true;
}

static void the_round_trip_is_exact(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 4000; seed++) {
		enum tt_collective collective = (enum tt_collective)(seed % TT_COLLECTIVES);
		struct tt_schedule *schedule =
			case_random(collective, case_random_size(seed), seed);
		size_t length, again;

		if (seed % 3 == 0)
			snprintf(schedule->name, sizeof(schedule->name), "%s",
				 seed % 2 ? "" : " two words, radix=3 \xc3\xbc");
		char *text = written(schedule, &length);
		struct tt_schedule *back = parsed(text);
		char *second = written(back, &again);

		if (!same(schedule, back) || strcmp(text, second))
			fail_msg("seed %u does not come back:\n%s", seed, text);
		free(text);
		free(second);
		tt_schedule_free(schedule);
		tt_schedule_free(back);
	}
}

static void the_text_is_what_the_header_shows(void **state)
{
	(void)state;
	struct tt_schedule *biring = case_seal(case_biring(8));
	size_t length;
	char *text = written(biring, &length);

	assert_string_equal(text, "schedule 1 allgather n=8 root=0 pieces=2 rounds=4 name=biring\n"
				  "0: shift +1 first=0 count=1 x3 step=1\n"
				  "0: shift -1 first=0 count=1 x3 step=-1\n"
				  "3: shift +1 first=3 count=1 pieces=0..1/2\n"
				  "3: shift -1 first=-3 count=1 pieces=1..2/2\n"
				  "end\n");
	free(text);
	tt_schedule_free(biring);
}

static void a_hand_written_text_may_be_loose(void **state)
{
	(void)state;
	struct tt_schedule *schedule = parsed(
		"\n# mine\r\n  schedule   1 allreduce n=4\troot=0 pieces=2 rounds=2 name=x y\r\n"
		"1: move 3>2 stride=-2 count=2 pieces=1..2/2\r\n"
		"\t # why not\n"
		"0: exchange 2 reduce field=1\n"
		"end\n\n# bye");

	assert_string_equal(schedule->name, "x y");
	assert_int_equal(schedule->nrecords, 2);
	assert_int_equal(schedule->records[0].primitive, TT_EXCHANGE);
	assert_true(schedule->records[0].reduce);
	assert_int_equal(schedule->records[0].exchange.field, 1);
	assert_int_equal(schedule->records[0].npieces, 2);
	assert_int_equal(schedule->records[1].move.stride, -2);
	assert_int_equal(schedule->records[1].piece, 1);
	tt_schedule_free(schedule);
}

#define HEAD "schedule 1 allgather n=8 root=0 pieces=2 rounds=1 name=t\n"

static const struct {
	const char *text, *sentence;
} refusals[] = {
	{"", "test:0: a schedule begins"},
	{"\n\nhello", "test:3: a schedule begins"},
	{"schedule 2 allgather", "test:1: this program reads version 1"},
	{"schedule 1 allgathers n=4", "test:1: there is no collective"},
	{"schedule 1 allgather root=0", "test:1: expected n=NUMBER"},
	{"schedule 1 allgather n=0 root=0", "between 1 and"},
	{"schedule 1 allgather n=99999999999999999999 root=0", "between 1 and"},
	{"schedule 1 allgather n=4x root=0", "between 1 and"},
	{"schedule 1 allgather n= root=0", "between 1 and"},
	{"schedule 1 broadcast n=4 root=4 pieces=1 rounds=0 name=\nend", "between 0 and 3"},
	{"schedule 1 allgather n=4 root=1 pieces=1 rounds=0 name=\nend",
	 "only a collective with a root"},
	{"schedule 1 allgather n=4 root=0 pieces=0 rounds=0 name=\nend", "between 1 and"},
	{"schedule 1 allgather n=4 root=0 pieces=1 rounds=-1 name=\nend", "between 0 and"},
	{"schedule 1 allgather n=4 root=0 pieces=1 rounds=0 nom=\nend", "expected name="},
	{"schedule 1 allgather n=4 root=0 pieces=1 rounds=0 name=a\tb\nend", "control character"},
	{"schedule 1 allgather n=4 root=0 pieces=1 rounds=0 name="
	 "0123456789012345678901234567890123456789012345678901234567890123456789"
	 "01234567890123456789012345\nend",
	 "longer than 95"},
	{HEAD, "test:1: the text stops before"},
	{HEAD "0: shift +1\n", "test:2: the text stops before"},
	{HEAD "0: shift +1\nend\nx", "test:4: nothing may follow"},
	{HEAD "0: shift +1\nend x", "test:3: nothing may follow"},
	{HEAD "end", "promises 1 rounds, the records have 0"},
	{HEAD "1: shift +1\nend", "test:3: schedule 't'"},
	{HEAD "0: shift +1\n5: shift +1\n0: shift +1 x4\nend", "without gaps"},
	{HEAD "0 shift +1\nend", "a colon"},
	{HEAD "-1: shift +1\nend", "from 0 on"},
	{HEAD "999999999999: shift +1\nend", "from 0 on"},
	{HEAD "0: shove +1\nend", "test:2: after the round comes"},
	{HEAD "0: shift\nend", "test:2: after the round comes"},
	{HEAD "0: shift one\nend", "test:2: after the round comes"},
	{HEAD "0: move 1-2\nend", "test:2: after the round comes"},
	{HEAD "0: move 1>\nend", "test:2: after the round comes"},
	{HEAD "0: move 1>1\nend", "test:2: a rank cannot send to itself"},
	{HEAD "0: move 1>8\nend", "test:2: a move goes between"},
	{HEAD "0: shift +8\nend", "test:2: the distance"},
	{HEAD "0: shift -9223372036854775808\nend", "test:2: "},
	{HEAD "0: shift 9223372036854775807\nend", "test:2: "},
	{HEAD "0: shift +1 field=1\nend", "not an option"},
	{HEAD "0: exchange 1 first=1\nend", "not an option"},
	{HEAD "0: exchange 1 x2\nend", "not an option"},
	{HEAD "0: shift +1 count=2 count=2\nend", "given twice: 'count=2'"},
	{HEAD "0: shift +1 reduce reduce\nend", "given twice"},
	{HEAD "0: shift +1 reduce\nend", "only moves"},
	{HEAD "0: shift +1 count=\nend", "out of range"},
	{HEAD "0: shift +1 x0\nend", "at least one round"},
	{HEAD "0: shift +1 x9\nend", "at most nranks rounds"},
	{HEAD "0: shift +1 pieces=0..1/3\nend", "out of range"},
	{HEAD "0: shift +1 pieces=1..1/2\nend", "out of range"},
	{HEAD "0: shift +1 pieces=-1..1/2\nend", "out of range"},
	{HEAD "0: shift +1 pieces=0..3/2\nend", "out of range"},
	{HEAD "0: shift +1 pieces=0.1/2\nend", "out of range"},
	{HEAD "0: shift +1 pieces=0..1\nend", "out of range"},
	{HEAD "0: shift +1 pieces=/\nend", "out of range"},
};

static void what_is_no_schedule_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct tt_schedule *schedule = NULL;
		size_t length = strlen(refusals[i].text);
		char *exact = malloc(length ? length : 1); /* so that a read past the end is seen */

		assert_non_null(exact);
		memcpy(exact, refusals[i].text, length);
		totum_status status = tt_schedule_parse("test", exact, length, &schedule);

		if (status != TOTUM_EPARSE || !strstr(totum_errmsg(), refusals[i].sentence))
			fail_msg("case %zu: '%s' lacks '%s'", i, totum_errmsg(),
				 refusals[i].sentence);
		assert_null(schedule);
		free(exact);
	}
}

static void every_cut_is_noticed(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 50; seed++) {
		struct tt_schedule *schedule = case_random(TT_ALLREDUCE, 8, seed);
		size_t length;
		char *text = written(schedule, &length);

		for (size_t cut = 0; cut + 1 < length; cut++) {
			struct tt_schedule *back = NULL;
			char *exact = malloc(cut ? cut : 1);

			assert_non_null(exact);
			memcpy(exact, text, cut);
			if (tt_schedule_parse("test", exact, cut, &back) != TOTUM_EPARSE)
				fail_msg("seed %u cut at %zu is taken for whole", seed, cut);
			free(exact);
		}
		free(text);
		tt_schedule_free(schedule);
	}
}

/* Spoiled bytes: refused, or a schedule that can be written and read again. */
static void any_bytes_are_survived(void **state)
{
	(void)state;
	static const char alphabet[] = "0123456789-+>.:=/ \n#xmsepf\0\xff";
	int accepted = 0;

	for (unsigned seed = 0; seed < 30000; seed++) {
		struct tt_schedule *schedule =
			case_random((enum tt_collective)(seed % TT_COLLECTIVES), 4, seed / 50);
		unsigned random = seed;
		size_t length, again;
		char *text = written(schedule, &length);

		for (int64_t spoil = case_pick(&random, 1, 3); spoil; spoil--)
			text[case_pick(&random, 0, (int64_t)length - 1)] =
				alphabet[case_pick(&random, 0, sizeof(alphabet) - 2)];
		struct tt_schedule *back = NULL;

		if (tt_schedule_parse("test", text, length, &back) == TOTUM_OK) {
			char *second = written(back, &again);
			struct tt_schedule *third = parsed(second);

			assert_true(same(back, third));
			accepted++;
			free(second);
			tt_schedule_free(third);
		}
		free(text);
		tt_schedule_free(back);
		tt_schedule_free(schedule);
	}
	assert_true(accepted > 100);
}

static void writing_says_what_it_cannot(void **state)
{
	(void)state;
	struct tt_schedule *ring = case_ring(4);
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	assert_int_equal(tt_schedule_write(ring, full), TOTUM_EUSAGE);
	case_seal(ring);
	assert_int_equal(tt_schedule_write(ring, full), TOTUM_ESYSTEM);
	strcpy(ring->name, "a\nb");
	assert_int_equal(tt_schedule_write(ring, full), TOTUM_EINVAL);
	fclose(full);
	tt_schedule_free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_round_trip_is_exact),
		cmocka_unit_test(the_text_is_what_the_header_shows),
		cmocka_unit_test(a_hand_written_text_may_be_loose),
		cmocka_unit_test(what_is_no_schedule_is_refused),
		cmocka_unit_test(every_cut_is_noticed),
		cmocka_unit_test(any_bytes_are_survived),
		cmocka_unit_test(writing_says_what_it_cannot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
