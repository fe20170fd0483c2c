/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_algorithms - what holds for schedules holds for those of every algorithm in the table,
 * and for all that is derived from them: text and back, programs that match, no deadlock, every
 * proof the same verdict.
 */
#include "unit/schedule_cases.h"
#include "algorithms/algorithm.h"
#include "proof/verify.h"
#include "schedule/text.h"

enum { MOST_RANKS = 20 };

static void check_text(const struct tt_schedule *schedule, const char *problem)
{
	char *text = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&text, &length);
	struct tt_schedule *back = NULL;

	assert_non_null(stream);
	assert_int_equal(tt_schedule_write(schedule, stream), TOTUM_OK);
	fclose(stream);
	if (tt_schedule_parse("text", text, length, &back) != TOTUM_OK)
		fail_msg("%s: %s", problem, totum_errmsg());
	struct case_list here = case_expand(schedule), there = case_expand(back);

	if (!case_same(&here, &there) || strcmp(schedule->name, back->name))
		fail_msg("%s does not come back from its text", problem);
	free(here.units);
	free(there.units);
	free(text);
	tt_schedule_free(back);
}

static void check_programs(const struct tt_schedule *schedule, const char *problem)
{
	size_t n = (size_t)schedule->nranks, blocks = (size_t)schedule->nblocks;
	struct tt_program **programs = calloc(n, sizeof(*programs));
	uint64_t *offset = calloc(blocks, sizeof(*offset)),
		 *length = calloc(blocks, sizeof(*length));

	assert_true(programs && offset && length);
	for (size_t b = 0; b < blocks; b++) {
		length[b] = 2 * (b % 4); /* some blocks are empty */
		offset[b] = b ? offset[b - 1] + length[b - 1] : 0;
	}
	struct tt_layout layout = {schedule->nblocks, offset, length, 2};

	for (size_t r = 0; r < n; r++)
		assert_int_equal(tt_program_lower(schedule, (int64_t)r, &layout, &programs[r]),
				 TOTUM_OK);
	for (int64_t depth = 0; depth < 2; depth++)
		if (tt_verify_deadlock((const struct tt_program *const *)programs, (int64_t)n,
				       &(struct tt_running){.depth = depth, .staged = true}, NULL))
			fail_msg("%s at depth %lld: %s", problem, (long long)depth, totum_errmsg());
	for (size_t r = 0; r < n; r++)
		tt_program_free(programs[r]);
	free(programs);
	free(offset);
	free(length);
}

static void check_proofs(const struct tt_schedule *schedule, const char *problem)
{
	struct tt_verify_report report;

	for (int proof = TT_PROOF_AUTO; proof <= TT_PROOF_REVERSAL; proof++) {
		struct tt_verify_options options = {.proof = (enum tt_proof)proof,
						    .redundant = true};
		totum_status status = tt_verify(schedule, &options, &report);

		if (status && status != TOTUM_EUNSUPPORTED)
			fail_msg("%s: %s", problem, totum_errmsg());
		if (status && proof <= TT_PROOF_EXPLICIT)
			fail_msg("%s: %s", problem, totum_errmsg());
	}
}

static void check(const struct tt_algorithm_entry *entry, enum tt_collective collective, int64_t n)
{
	struct tt_schedule *schedule = NULL;
	int root = (int)(n / 2);
	totum_status status = tt_algorithm_build(collective, entry->name, n, root, &schedule);
	char problem[120];

	snprintf(problem, sizeof(problem), "%s:n=%lld:algo=%s", tt_collective_name(collective),
		 (long long)n, entry->name);
	if (status == TOTUM_EUNSUPPORTED)
		return;
	if (status)
		fail_msg("%s: %s", problem, totum_errmsg());
	check_text(schedule, problem);
	check_programs(schedule, problem);
	check_proofs(schedule, problem);
	tt_schedule_free(schedule);
}

static void what_holds_for_schedules_holds_for_all(void **state)
{
	(void)state;
	assert_true(tt_nalgorithms > 0);
	for (int i = 0; i < tt_nalgorithms; i++)
		for (int c = 0; c < TT_COLLECTIVES; c++)
			for (int64_t n = 1; n <= MOST_RANKS; n++)
				if (tt_algorithm_serves(&tt_algorithms[i], (enum tt_collective)c))
					check(&tt_algorithms[i], (enum tt_collective)c, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_holds_for_schedules_holds_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
