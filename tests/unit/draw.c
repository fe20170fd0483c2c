/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is written for the eye: tables verbatim, names, forms that get shorter, every algorithm's
 * table ending with what its collective promises, JSON, and wrong schedules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/algorithm.h"
#include "draw/draw.h"
#include "draw/facts.h"
#include "draw/grid.h"
#include "draw/json.h"
#include "draw/names.h"
#include "draw/replay.h"

static char *text;
static size_t size;
static FILE *out;

static int open_text(void **state)
{
	(void)state;
	text = NULL;
	out = open_memstream(&text, &size);
	return out ? 0 : -1;
}

static int close_text(void **state)
{
	(void)state;
	fclose(out);
	free(text);
	return 0;
}

static const char *written(void)
{
	fflush(out);
	return text;
}

static struct tt_schedule *built(enum tt_collective collective, const char *algorithm,
				 int64_t nranks)
{
	struct tt_schedule *schedule = NULL;

	if (tt_algorithm_build(collective, algorithm, nranks, 0, &schedule))
		fail_msg("%s:n=%lld:algo=%s: %s", tt_collective_name(collective), (long long)nranks,
			 algorithm, totum_errmsg());
	return schedule;
}

static void draw_steps(enum tt_collective collective, const char *algorithm, int64_t nranks,
		       size_t width)
{
	struct tt_schedule *schedule = built(collective, algorithm, nranks);

	assert_int_equal(tt_draw_steps(schedule, width, out), TOTUM_OK);
	tt_schedule_free(schedule);
}

static void ring_of_four(void **state)
{
	(void)state;
	draw_steps(TT_ALLGATHER, "ring", 4, 0);
	assert_string_equal(written(), "        | 0       | 1       | 2       | 3\n"
				       "start   | A       | B       | C       | D\n"
				       "round 1 | A,D     | B,A     | C,B     | D,C\n"
				       "round 2 | A,D,C   | B,A,D   | C,B,A   | D,C,B\n"
				       "round 3 | A,D,C,B | B,A,D,C | C,B,A,D | D,C,B,A\n");
}

/* N = 4: the block from the far side comes in halves, and is whole in the end. */
static void halves(void **state)
{
	(void)state;
	draw_steps(TT_ALLGATHER, "bidirectional_ring", 4, 0);
	assert_non_null(strstr(written(), "\nround 1 | A,D,B   | B,A,C   |"));
	assert_non_null(strstr(written(), "\nround 2 | A,D,B,C | B,A,C,D |"));
	struct tt_schedule *schedule;

	assert_int_equal(tt_schedule_new(TT_ALLGATHER, 2, 0, 5, &schedule), TOTUM_OK);
	*tt_move(schedule, 0, 0, 1, 0, 1) =
		(struct tt_record){.primitive = TT_MOVE,
				   .piece = 1,
				   .npieces = 3,
				   .rounds = 1,
				   .move = {.from = 0, .to = 1, .count = 1, .stride = 1}};
	*tt_move(schedule, 1, 0, 1, 0, 1) =
		(struct tt_record){.primitive = TT_MOVE,
				   .piece = 0,
				   .npieces = 1,
				   .round = 1,
				   .rounds = 1,
				   .move = {.from = 0, .to = 1, .count = 1, .stride = 1}};
	*tt_move(schedule, 2, 0, 1, 0, 1) =
		(struct tt_record){.primitive = TT_MOVE,
				   .piece = 4,
				   .npieces = 1,
				   .round = 2,
				   .rounds = 1,
				   .move = {.from = 0, .to = 1, .count = 1, .stride = 1}};
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
	assert_int_equal(tt_draw_steps(schedule, 0, out), TOTUM_OK);
	tt_schedule_free(schedule);
	assert_non_null(strstr(written(), "round 1 | A | B,Ab-d\n"
					  "round 2 | A | B,Aa-d\n"
					  "round 3 | A | B,A\n"));
}

static void sums(void **state)
{
	(void)state;
	draw_steps(TT_REDUCE_SCATTER, "ring", 4, 0);
	assert_non_null(strstr(written(), "start   | -      | -      | -        | -\n"
					  "round 1 | C{0+1} | D{1+2} | A{2+3}   | B{0+3}\n"
					  "round 2 | D{0-2} | A{1-3} | B{0+2+3} | C{0+1+3}\n"
					  "round 3 | A      | B      | C        | D\n"));
	assert_non_null(strstr(written(), "A alone is added up over all ranks"));
}

static void all_to_all_and_one_rank(void **state)
{
	struct tt_schedule *schedule;

	(void)state;
	assert_int_equal(tt_schedule_new(TT_ALLTOALL, 2, 0, 1, &schedule), TOTUM_OK);
	tt_move(schedule, 0, 0, 1, 1, 1);
	tt_move(schedule, 0, 1, 0, 2, 1);
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
	assert_int_equal(tt_draw_steps(schedule, 0, out), TOTUM_OK);
	tt_schedule_free(schedule);
	assert_non_null(strstr(written(), "start   | AA,AB | BA,BB\n"
					  "round 1 | AA,BA | BB,AB\n"));
	draw_steps(TT_ALLREDUCE, "ring", 1, 0);
	assert_non_null(strstr(written(), "start | A\n"));
}

static void forms_get_shorter(void **state)
{
	struct tt_schedule *schedule = built(TT_ALLGATHER, "recursive_doubling", 16);

	(void)state;
	assert_int_equal(tt_draw_steps(schedule, 600, out), TOTUM_OK);
	assert_non_null(strstr(written(), "| C,D,A,B "));
	assert_int_equal(tt_draw_steps(schedule, 180, out), TOTUM_OK);
	assert_non_null(strstr(written(), "round 3 | A-H"));
	size_t used = size;

	assert_int_equal(tt_draw_steps(schedule, 40, out), TOTUM_EUNSUPPORTED);
	assert_non_null(strstr(totum_errmsg(), "does not fit 40 columns"));
	written();
	assert_int_equal(size, used);
	tt_schedule_free(schedule);
	schedule = built(TT_ALLGATHER, "pat", 16);
	assert_int_equal(tt_draw_steps(schedule, 130, out), TOTUM_OK);
	assert_non_null(strstr(written(), "what is new"));
	assert_non_null(strstr(written(), "\nround 1  | I | J | K | L | M | N | O | P | A |"));
	assert_non_null(strstr(written(), "\nround 2  | E | F | G | H | I | J | K | L | M |"));
	tt_schedule_free(schedule);
}

static void too_many_ranks(void **state)
{
	struct tt_schedule *schedule = built(TT_ALLGATHER, "ring", TT_REPLAY_RANKS + 1);
	struct tt_shown shown = {.schedule = schedule};

	(void)state;
	assert_int_equal(tt_draw_steps(schedule, 0, out), TOTUM_EUNSUPPORTED);
	assert_int_equal(tt_price_own(schedule, &shown.price), TOTUM_OK);
	assert_int_equal(tt_draw_schedule_text(&shown, out), TOTUM_OK);
	assert_non_null(strstr(written(), "rounds 1-64  r > r+1  block r-t\n"));
	tt_schedule_free(schedule);
	schedule = built(TT_ALLGATHER, "ring", 1000001);
	assert_int_equal(tt_draw_listable(schedule), TOTUM_EUNSUPPORTED);
	assert_int_equal(tt_draw_moves(schedule, 80, out), TOTUM_EUNSUPPORTED);
	shown.schedule = schedule;
	assert_int_equal(tt_draw_schedule_json(&shown, out), TOTUM_EUNSUPPORTED);
	tt_schedule_free(schedule);
}

static void records_in_words(void **state)
{
	struct tt_schedule *schedule = built(TT_ALLGATHER, "bruck,radix=3", 100);

	(void)state;
	assert_int_equal(tt_draw_records(schedule, out), TOTUM_OK);
	assert_non_null(strstr(written(), "round 3  r > r-18  blocks r .. r+8 (9)\n"));
	tt_schedule_free(schedule);
	schedule = built(TT_REDUCE_SCATTER, "recursive_doubling", 8);
	assert_int_equal(tt_draw_records(schedule, out), TOTUM_OK);
	assert_non_null(
		strstr(written(), "round 1  r > r^4  blocks q&~3 .. q|3, q = r^4, added\n"));
	tt_schedule_free(schedule);
	schedule = built(TT_ALLGATHER, "gather_broadcast", 100);
	assert_int_equal(tt_draw_records(schedule, out), TOTUM_OK);
	assert_non_null(strstr(written(), "round 1   50 moves  of 1 block each\n"));
	tt_schedule_free(schedule);
}

static void moves(void **state)
{
	struct tt_schedule *schedule = built(TT_ALLGATHER, "ring", 4);

	(void)state;
	assert_int_equal(tt_draw_moves(schedule, 0, out), TOTUM_OK);
	assert_string_equal(written(), "round 1  0>1:A  1>2:B  2>3:C  3>0:D\n"
				       "round 2  0>1:D  1>2:A  2>3:B  3>0:C\n"
				       "round 3  0>1:C  1>2:D  2>3:A  3>0:B\n");
	assert_int_equal(tt_draw_moves(schedule, 25, out), TOTUM_OK);
	assert_non_null(strstr(written(), "round 1  0>1:A  1>2:B\n         2>3:C  3>0:D\n"));
	tt_schedule_free(schedule);
}

/* What is sent but not there is shown as rubbish, and takes what it overwrites with it. */
static void wrong_schedule(void **state)
{
	struct tt_schedule *schedule;

	(void)state;
	assert_int_equal(tt_schedule_new(TT_ALLGATHER, 2, 0, 1, &schedule), TOTUM_OK);
	tt_move(schedule, 0, 0, 1, 1, 1);
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
	struct tt_shown shown = {.schedule = schedule, .violation = "block 1 is not there"};

	assert_int_equal(tt_price_own(schedule, &shown.price), TOTUM_OK);
	assert_int_equal(tt_draw_schedule_text(&shown, out), TOTUM_OK);
	assert_non_null(strstr(written(), "round 1 | A | B?\n"));
	assert_non_null(strstr(written(), "WRONG: block 1 is not there"));
	tt_schedule_free(schedule);
}

/*
 * After the last round every rank shows what its collective promises it, complete, and nothing it
 * must not.
 */
static void check_end(const struct tt_schedule *schedule)
{
	struct tt_replay *replay;
	uint64_t ranks;

	assert_int_equal(tt_replay_new(schedule, &replay), TOTUM_OK);
	for (int64_t round = 0; round < schedule->rounds; round++)
		assert_int_equal(tt_replay_round(replay), TOTUM_OK);
	for (int64_t rank = 0; rank < schedule->nranks; rank++)
		for (int64_t block = 0; block < schedule->nblocks; block++)
			for (int64_t piece = 0; piece < schedule->pieces; piece++) {
				bool wanted = tt_wants_last(schedule, rank, block);
				bool shown = tt_replay_piece(replay, rank, block, piece, &ranks);

				if (wanted && (!shown || ranks != tt_replay_complete(replay)))
					fail_msg("%s:n=%lld:algo=%s: rank %lld does not show block "
						 "%lld in the end",
						 tt_collective_name(schedule->collective),
						 (long long)schedule->nranks, schedule->name,
						 (long long)rank, (long long)block);
				if (!wanted && shown && schedule->collective == TT_REDUCE_SCATTER)
					fail_msg("%s: rank %lld still shows block %lld",
						 schedule->name, (long long)rank, (long long)block);
			}
	tt_replay_free(replay);
}

static void every_algorithm(void **state)
{
	(void)state;
	for (enum tt_collective collective = 0; collective < TT_COLLECTIVES; collective++)
		for (int i = 0; i < tt_nalgorithms; i++)
			for (int64_t nranks = 1; nranks <= 17; nranks += 1 + nranks / 6) {
				struct tt_schedule *schedule;

				if (!tt_algorithm_serves(&tt_algorithms[i], collective) ||
				    tt_algorithm_build(collective, tt_algorithms[i].name, nranks, 0,
						       &schedule))
					continue;
				check_end(schedule);
				assert_int_equal(tt_draw_steps(schedule, 0, out), TOTUM_OK);
				assert_int_equal(tt_draw_records(schedule, out), TOTUM_OK);
				tt_schedule_free(schedule);
				rewind(out);
			}
}

static void json_text(void **state)
{
	struct tt_json json = {.out = out};

	(void)state;
	tt_json_object(&json, NULL);
	tt_json_string(&json, "a\"b", "line\nend\\");
	tt_json_array(&json, "empty");
	tt_json_end(&json, ']');
	tt_json_row(&json, "row");
	tt_json_int(&json, NULL, -1);
	tt_json_int(&json, NULL, INT64_MAX);
	tt_json_end(&json, ']');
	tt_json_bool(&json, "yes", true);
	tt_json_real(&json, "third", 1.0 / 4);
	tt_json_real(&json, "none", 1.0 / 0.0);
	tt_json_fraction(&json, "exact", (struct tt_fraction){7, 2});
	tt_json_end(&json, '}');
	assert_string_equal(written(), "{\n"
				       "  \"a\\\"b\": \"line\\u000aend\\\\\",\n"
				       "  \"empty\": [],\n"
				       "  \"row\": [-1, 9223372036854775807],\n"
				       "  \"yes\": true,\n"
				       "  \"third\": 0.25,\n"
				       "  \"none\": null,\n"
				       "  \"exact\": \"7/2\"\n"
				       "}\n");
}

static void grids(void **state)
{
	struct tt_grid *grid;

	(void)state;
	assert_int_equal(tt_grid_new(2, &grid), TOTUM_OK);
	tt_grid_right(grid, 1);
	fputs("name", tt_grid_cell(grid));
	fputs("n", tt_grid_cell(grid));
	fputs("a", tt_grid_cell(grid));
	fputs("100", tt_grid_cell(grid));
	fputs("bcdef", tt_grid_cell(grid));
	tt_grid_cell(grid);
	assert_int_equal(tt_grid_width(grid, TT_GRID_PLAIN), 10);
	assert_int_equal(tt_grid_print(grid, TT_GRID_PLAIN, out), TOTUM_OK);
	assert_int_equal(tt_grid_print(grid, TT_GRID_MARKDOWN, out), TOTUM_OK);
	tt_grid_free(grid);
	assert_string_equal(written(),
			    "name     n\na      100\nbcdef\n"
			    "| name  |   n |\n| ----- | --: |\n| a     | 100 |\n| bcdef |     |\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ring_of_four, open_text, close_text),
		cmocka_unit_test_setup_teardown(halves, open_text, close_text),
		cmocka_unit_test_setup_teardown(sums, open_text, close_text),
		cmocka_unit_test_setup_teardown(all_to_all_and_one_rank, open_text, close_text),
		cmocka_unit_test_setup_teardown(forms_get_shorter, open_text, close_text),
		cmocka_unit_test_setup_teardown(too_many_ranks, open_text, close_text),
		cmocka_unit_test_setup_teardown(records_in_words, open_text, close_text),
		cmocka_unit_test_setup_teardown(moves, open_text, close_text),
		cmocka_unit_test_setup_teardown(wrong_schedule, open_text, close_text),
		cmocka_unit_test_setup_teardown(every_algorithm, open_text, close_text),
		cmocka_unit_test_setup_teardown(json_text, open_text, close_text),
		cmocka_unit_test_setup_teardown(grids, open_text, close_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
