/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_mutations - each invariant is broken alone, and the verifier names it, the round, rank
 * and block.
 */
#include "unit/schedule_cases.h"
#include "proof/verify.h"

/* Every violation is of this invariant, the earliest is there, and its sentence has these words. */
static void refused(struct tt_schedule *schedule, const struct tt_verify_options *options,
		    enum tt_invariant invariant, int64_t violations, const char *sentence)
{
	struct tt_verify_report report;

	if (!schedule->first_record)
		case_seal(schedule);
	assert_int_equal(tt_verify(schedule, options, &report), TOTUM_EINVAL);
	if (report.violations != violations || !strstr(report.first[0].sentence, sentence) ||
	    !strstr(totum_errmsg(), sentence))
		fail_msg("%lld violations, '%s' lacks '%s'", (long long)report.violations,
			 totum_errmsg(), sentence);
	/* By symmetry one that is kept stands for several. */
	assert_in_range(report.kept, 1, violations < TT_VIOLATIONS ? violations : TT_VIOLATIONS);
	for (int i = 0; i < report.kept; i++) {
		char number[8];

		snprintf(number, sizeof(number), "V%d ", (int)invariant);
		assert_int_equal(report.first[i].invariant, invariant);
		assert_int_equal(strncmp(report.first[i].sentence, number, strlen(number)), 0);
		assert_true(i == 0 || report.first[i - 1].round <= report.first[i].round);
	}
	tt_schedule_free(schedule);
}

static const struct tt_verify_options every_block = {.proof = TT_PROOF_EXPLICIT};

/* 0 -> 1 -> 2 and back, each block as it comes: a right all-gather of three ranks in moves. */
static struct tt_schedule *line(void)
{
	struct tt_schedule *schedule = case_new(TT_ALLGATHER, 3, 0, 1, "line");

	tt_move(schedule, 0, 0, 1, 0, 1);
	tt_move(schedule, 0, 2, 1, 2, 1);
	tt_move(schedule, 1, 1, 2, 0, 2);
	tt_move(schedule, 1, 1, 0, 1, 2);
	return schedule;
}

static void the_line_is_right(void **state)
{
	(void)state;
	struct tt_schedule *schedule = case_seal(line());
	struct tt_verify_report report;

	assert_int_equal(tt_verify(schedule, NULL, &report), TOTUM_OK);
	tt_schedule_free(schedule);
}

static void v1_a_block_that_does_not_arrive(void **state)
{
	(void)state;
	struct tt_schedule *schedule = line();

	schedule->records[2].move.count = 1;
	refused(schedule, NULL, TT_V1_FINAL, 1, "V1 rank 2 ends without block 1");
	struct tt_schedule *ring = case_ring(5);

	ring->records->rounds--;
	refused(ring, &every_block, TT_V1_FINAL, 5, "V1 rank 0 ends without block 1");
	ring = case_ring(5);
	ring->records->rounds--;
	/* By symmetry block 0 stands for the other four. */
	refused(ring, NULL, TT_V1_FINAL, 5, "V1 rank 4 ends without block 0");
	struct tt_schedule *halves = case_biring(4);

	halves->nrecords--;
	refused(halves, &every_block, TT_V1_FINAL, 4,
		"V1 rank 0 ends without block 2 pieces 1..2/2");
}

static void v1_a_contribution_that_does_not_arrive(void **state)
{
	(void)state;
	struct tt_schedule *schedule = case_new(TT_REDUCE_SCATTER, 3, 0, 1, "direct");

	tt_shift(schedule, 0, 1, -1, 1, 1)->reduce = true;
	tt_move(schedule, 0, 0, 2, 2, 1)->reduce = true;
	tt_move(schedule, 0, 1, 0, 0, 1)->reduce = true;
	refused(schedule, NULL, TT_V1_FINAL, 1,
		"V1 rank 1 ends with block 1 without what rank 2 gave");
}

static void v2_a_block_that_is_not_there_yet(void **state)
{
	(void)state;
	struct tt_schedule *schedule = line();

	/* Rank 1 passes block 0 on in the round in which it comes. */
	schedule->records[2].move.first = 1;
	schedule->records[2].move.count = 1;
	tt_move(schedule, 0, 1, 2, 0, 1);
	refused(schedule, NULL, TT_V2_CAUSALITY, 1,
		"V2 round 0: rank 1 sends block 0 to rank 2 but does not have it");
	struct tt_schedule *ring = case_ring(6);

	ring->records->rounds = 3;
	tt_shift_repeat(ring, 3, 2, 1, 4, 0, 1, 1)->shift.step = -1;
	/* Offset 4 is sent before it was received, then offset 3. */
	refused(ring, &every_block, TT_V2_CAUSALITY, 6,
		"V2 round 3: rank 0 sends block 2 to rank 1");
}

static void v4_more_messages_than_ports(void **state)
{
	(void)state;
	struct tt_schedule *direct = case_new(TT_ALLGATHER, 5, 0, 1, "direct");

	for (int64_t distance = 1; distance < 5; distance++)
		tt_shift(direct, 0, distance, 0, 1, 1);
	refused(direct, &(struct tt_verify_options){.ports = 3}, TT_V4_PORTS, 10,
		"V4 round 0: rank 0 sends 4 messages, more than its 3 ports");
	struct tt_verify_report report;

	direct = case_seal(line());
	assert_int_equal(tt_verify(direct, &(struct tt_verify_options){.ports = 2}, &report),
			 TOTUM_OK);
	/* Rank 1 receives two messages in round 0 and sends two in round 1. */
	refused(direct, &(struct tt_verify_options){.ports = 1}, TT_V4_PORTS, 2,
		"V4 round 0: rank 1 receives 2 messages, more than its 1 ports");
}

static void v5_a_block_that_is_there(void **state)
{
	(void)state;
	struct tt_schedule *schedule = line();
	struct tt_verify_report report;

	tt_move(schedule, 2, 2, 1, 2, 1);
	case_seal(schedule);
	assert_int_equal(
		tt_verify(schedule, &(struct tt_verify_options){.redundant = true}, &report),
		TOTUM_OK);
	assert_int_equal(report.redundant, 1);
	refused(schedule, NULL, TT_V5_REDUNDANCY, 1,
		"V5 round 2: rank 1 receives block 2 from rank 2 but has it already");
	schedule = line();
	tt_move(schedule, 2, 2, 0, 0, 1); /* its own block */
	refused(schedule, NULL, TT_V5_REDUNDANCY, 1,
		"V5 round 2: rank 0 receives block 0 from rank 2");
	struct tt_schedule *ring = case_ring(4);

	ring->records->rounds = 4;
	refused(ring, &every_block, TT_V5_REDUNDANCY, 4,
		"V5 round 3: rank 0 receives block 0 from rank 3");
	struct tt_schedule *both = case_new(TT_ALLREDUCE, 2, 0, 1, "twice");

	tt_move(both, 0, 1, 0, 0, 2)->reduce = true;
	tt_move(both, 1, 0, 1, 0, 2);
	tt_move(both, 2, 0, 1, 1, 1);
	refused(both, NULL, TT_V5_REDUNDANCY, 1, "V5 round 2: rank 1 receives block 1 from rank 0");
}

static void v6_two_things_at_once_in_one_place(void **state)
{
	(void)state;
	struct tt_schedule *schedule = case_new(TT_BROADCAST, 3, 0, 1, "race");

	tt_move(schedule, 0, 0, 1, 0, 3);
	tt_move(schedule, 1, 0, 2, 0, 3);
	tt_move(schedule, 1, 1, 2, 2, 1);
	refused(schedule, NULL, TT_V6_HAZARD, 1, "V6 round 1: rank 2 receives block 2 twice");
	schedule = case_new(TT_BROADCAST, 3, 0, 1, "race");
	tt_move(schedule, 0, 0, 1, 0, 3);
	tt_move(schedule, 1, 1, 2, 0, 3);
	tt_move(schedule, 1, 0, 1, 1, 1);
	refused(schedule, NULL, TT_V6_HAZARD, 1,
		"V6 round 1: rank 1 receives block 1 from rank 0 while it sends it");
	schedule = case_new(TT_ALLREDUCE, 3, 0, 1, "race");
	tt_move(schedule, 0, 1, 0, 0, 3)->reduce = true;
	tt_move(schedule, 1, 2, 0, 0, 3)->reduce = true;
	tt_move(schedule, 2, 0, 1, 0, 3);
	tt_move(schedule, 3, 0, 2, 0, 3);
	tt_move(schedule, 3, 1, 2, 1, 1);
	refused(schedule, NULL, TT_V6_HAZARD, 1,
		"V6 round 3: rank 2 receives block 1 twice, one of them to store");
	schedule = case_new(TT_ALLREDUCE, 3, 0, 1, "race");
	tt_move(schedule, 0, 1, 0, 0, 3)->reduce = true;
	tt_move(schedule, 1, 2, 0, 0, 3)->reduce = true;
	tt_move(schedule, 2, 0, 1, 0, 3);
	tt_move(schedule, 3, 1, 2, 0, 3);
	tt_move(schedule, 3, 0, 1, 2, 1);
	refused(schedule, NULL, TT_V6_HAZARD, 1,
		"V6 round 3: rank 1 stores block 2 from rank 0 while it sends it");
}

/* Everything goes to rank 0, block by block. */
static struct tt_schedule *funnel(enum tt_collective collective)
{
	struct tt_schedule *schedule = case_new(collective, 4, 0, 1, "funnel");

	tt_move(schedule, 0, 3, 2, 0, 4)->reduce = true;
	tt_move(schedule, 1, 2, 1, 0, 4)->reduce = true;
	tt_move(schedule, 2, 1, 0, 0, 4)->reduce = true;
	return schedule;
}

static void v7_a_contribution_counted_twice(void **state)
{
	(void)state;
	struct tt_schedule *schedule = funnel(TT_ALLREDUCE);

	tt_move(schedule, 2, 3, 0, 2, 1)->reduce = true;
	tt_move(schedule, 3, 0, 1, 0, 4);
	tt_move(schedule, 3, 0, 2, 0, 4);
	tt_move(schedule, 3, 0, 3, 0, 4);
	refused(schedule, NULL, TT_V7_REDUCTION, 1,
		"V7 round 2: rank 0 adds block 2 from rank 3 and counts rank 3 twice");
}

static void v7_a_sum_given_away_twice(void **state)
{
	(void)state;
	struct tt_schedule *schedule = funnel(TT_REDUCE);

	tt_move(schedule, 3, 2, 3, 1, 1)->reduce = true;
	schedule->records[3].move.to = 1;
	/* Rank 2 gives block 1 again, and rank 1 adds what it has and has given away. */
	refused(schedule, NULL, TT_V7_REDUCTION, 2,
		"V7 round 3: rank 1 adds block 1 from rank 2 and counts rank 2 twice");
	schedule = funnel(TT_REDUCE);
	schedule->records[0].move.count = 3;
	tt_move(schedule, 1, 3, 1, 3, 1)->reduce = true;
	tt_move(schedule, 3, 3, 2, 3, 1)->reduce = true;
	/* Nothing is counted twice at the root, but rank 3 gives block 3 away a second time. */
	refused(schedule, NULL, TT_V7_REDUCTION, 2, "V7 round 3: rank 2 adds block 3 from rank 3");
}

static void v7_a_sum_that_comes_too_late(void **state)
{
	(void)state;
	struct tt_schedule *schedule = funnel(TT_REDUCE);
	struct tt_verify_report report;

	/* Rank 3 gives block 1 to rank 2 when that has passed it on: added in vain, and missing. */
	schedule->records[0].move.count = 1;
	tt_move(schedule, 0, 3, 2, 2, 2)->reduce = true;
	tt_move(schedule, 2, 3, 2, 1, 1)->reduce = true;
	case_seal(schedule);
	assert_int_equal(tt_verify(schedule, NULL, &report), TOTUM_EINVAL);
	assert_int_equal(report.violations, 2);
	assert_int_equal(report.first[0].invariant, TT_V7_REDUCTION);
	assert_string_equal(report.first[0].sentence,
			    "V7 round 2: rank 2 adds block 1 from rank 3 but has given it away");
	assert_int_equal(report.first[1].invariant, TT_V1_FINAL);
	assert_string_equal(report.first[1].sentence,
			    "V1 rank 0 ends with block 1 without what rank 3 gave");
	tt_schedule_free(schedule);
}

static void v7_a_sum_that_is_overwritten(void **state)
{
	(void)state;
	struct tt_schedule *schedule = case_new(TT_ALLREDUCE, 2, 0, 1, "lost");
	struct tt_verify_report report;

	tt_move(schedule, 0, 1, 0, 0, 1)->reduce = true;
	tt_move(schedule, 1, 0, 1, 0, 2);
	case_seal(schedule);
	assert_int_equal(tt_verify(schedule, NULL, &report), TOTUM_EINVAL);
	assert_int_equal(report.violations, 3); /* lost, and both end without it */
	assert_string_equal(
		report.first[0].sentence,
		"V7 round 1: rank 1 stores block 1 from rank 0 and loses what rank 1 gave");
	tt_schedule_free(schedule);
}

static void v8_claims_that_are_not_so(void **state)
{
	(void)state;
	struct tt_claims claims = {7, {7, 1}, 1};
	struct tt_verify_options options = {.claims = &claims};
	struct tt_verify_report report;
	struct tt_schedule *ring = case_seal(case_ring(8));

	assert_int_equal(tt_verify(ring, &options, &report), TOTUM_OK);
	tt_schedule_free(ring);
	claims.rounds = 8;
	refused(case_ring(8), &options, TT_V8_COUNTS, 1,
		"V8 the schedule has 7 rounds, not 8 as claimed");
	claims.rounds = 7;
	claims.volume = (struct tt_fraction){13, 2};
	refused(case_ring(8), &options, TT_V8_COUNTS, 1,
		"V8 the largest messages of all rounds sum up to 7 blocks, not 13/2");
	claims.volume = (struct tt_fraction){0, 0};
	refused(case_ring(8), &options, TT_V8_COUNTS, 1, "not overflow as claimed");
	claims.volume = (struct tt_fraction){7, 1};
	claims.ports = 2;
	refused(case_ring(8), &options, TT_V8_COUNTS, 1,
		"V8 a rank has up to 1 messages in a round, not 2");
}

/* --- V10: readers that are not functions of their arguments, or do not agree ----------------- */

static bool forgetful(const struct tt_schedule *schedule, const struct tt_record *record,
		      int64_t round, int64_t rank, struct tt_transfer *out)
{
	static int64_t calls;
	bool any = tt_record_send(schedule, record, round, rank, out);

	out->blocks.first += calls++ % 7 == 0;
	return any;
}

static bool cross_eyed(const struct tt_schedule *schedule, const struct tt_record *record,
		       int64_t round, int64_t rank, struct tt_transfer *out)
{
	bool any = tt_record_receive(schedule, record, round, rank, out);

	out->blocks.count += rank == 3;
	return any;
}

static bool astray(const struct tt_schedule *schedule, const struct tt_record *record,
		   int64_t round, int64_t rank, struct tt_transfer *out)
{
	bool any = tt_record_send(schedule, record, round, rank, out);

	out->to = out->from == 5 ? schedule->nranks : out->to;
	return any;
}

static void v10_readers_that_are_not_pure(void **state)
{
	(void)state;
	static tt_reader *const senders[] = {tt_record_send, forgetful, tt_record_send, astray};
	static tt_reader *const receivers[] = {tt_record_receive, tt_record_receive, cross_eyed,
					       tt_record_receive};
	static const char *const sentences[] = {"", "differs from one reading to the next",
						"disagree on what goes between them",
						"sends to rank 8, which is no other rank"};
	struct tt_schedule *ring = case_seal(case_ring(8));

	for (int i = 0; i < 4; i++) {
		struct tt_verify_report report = {0};
		totum_status status = tt_verify_purity(ring, senders[i], receivers[i], &report);
		bool found = i == 0;

		assert_int_equal(status, i ? TOTUM_EINVAL : TOTUM_OK);
		for (int j = 0; j < report.kept; j++) {
			assert_int_equal(report.first[j].invariant, TT_V10_PURITY);
			found |= strstr(report.first[j].sentence, sentences[i]) != NULL;
		}
		if (!found)
			fail_msg("'%s' lacks '%s'", totum_errmsg(), sentences[i]);
	}
	tt_schedule_free(ring);
}

/* --- the report ------------------------------------------------------------------------------ */

static void the_earliest_violations_are_kept(void **state)
{
	(void)state;
	struct tt_schedule *ring = case_ring(40);
	struct tt_verify_report report;

	/* Late and early mistakes by the hundred. */
	for (int64_t round = 39; round-- > 0;)
		for (int64_t rank = 0; rank < 40; rank++)
			tt_move(ring, round, (rank + 39) % 40, rank, rank, 1);
	case_seal(ring);
	assert_int_equal(tt_verify(ring, NULL, &report), TOTUM_EINVAL);
	assert_true(report.violations >= 39 * 40);
	assert_int_equal(report.kept, TT_VIOLATIONS);
	for (int i = 0; i < TT_VIOLATIONS; i++) {
		assert_int_equal(report.first[i].round, 0);
		assert_true(i == 0 || report.first[i - 1].rank <= report.first[i].rank);
	}
	assert_non_null(
		strstr(totum_errmsg(),
		       "allgather 'ring' on 40 ranks: V6 round 0: rank 0 receives block 0"));
	assert_non_null(strstr(totum_errmsg(), "violations)"));
	tt_schedule_free(ring);
}

static void what_cannot_be_verified_is_refused(void **state)
{
	(void)state;
	struct tt_verify_report report;
	struct tt_schedule *schedule = line();

	assert_int_equal(tt_verify(schedule, NULL, &report), TOTUM_EUSAGE);
	case_seal(schedule);
	assert_int_equal(tt_verify(schedule,
				   &(struct tt_verify_options){.proof = TT_PROOF_SYMMETRIC},
				   &report),
			 TOTUM_EUNSUPPORTED);
	assert_int_equal(tt_verify(schedule,
				   &(struct tt_verify_options){.proof = TT_PROOF_REVERSAL},
				   &report),
			 TOTUM_EUNSUPPORTED);
	schedule->records[0].move.to = 3;
	assert_int_equal(tt_verify(schedule, NULL, &report), TOTUM_EINVAL);
	assert_non_null(strstr(totum_errmsg(), "record 0 of schedule 'line'"));
	tt_schedule_free(schedule);
	/* Exchanges within groups of four do not take every block into every other. */
	schedule = case_new(TT_ALLGATHER, 12, 0, 1, "groups");
	tt_exchange(schedule, 0, 1, 0);
	case_seal(schedule);
	assert_int_equal(tt_verify(schedule,
				   &(struct tt_verify_options){.proof = TT_PROOF_SYMMETRIC},
				   &report),
			 TOTUM_EUNSUPPORTED);
	tt_schedule_free(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_is_right),
		cmocka_unit_test(v1_a_block_that_does_not_arrive),
		cmocka_unit_test(v1_a_contribution_that_does_not_arrive),
		cmocka_unit_test(v2_a_block_that_is_not_there_yet),
		cmocka_unit_test(v4_more_messages_than_ports),
		cmocka_unit_test(v5_a_block_that_is_there),
		cmocka_unit_test(v6_two_things_at_once_in_one_place),
		cmocka_unit_test(v7_a_contribution_counted_twice),
		cmocka_unit_test(v7_a_sum_given_away_twice),
		cmocka_unit_test(v7_a_sum_that_comes_too_late),
		cmocka_unit_test(v7_a_sum_that_is_overwritten),
		cmocka_unit_test(v8_claims_that_are_not_so),
		cmocka_unit_test(v10_readers_that_are_not_pure),
		cmocka_unit_test(the_earliest_violations_are_kept),
		cmocka_unit_test(what_cannot_be_verified_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
