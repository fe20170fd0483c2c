/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_deadlock - programs that fit together (V3), and whether they can stand still.
 *
 * The verdict is held against running the programs: a blocking run stands still or not whatever the
 * order in which ranks take turns, so one run decides.
 */
#include "unit/schedule_cases.h"
#include "proof/verify.h"

struct job {
	int64_t nranks;
	struct tt_program **programs;
};

static struct job lower_all(const struct tt_schedule *schedule, uint64_t bytes)
{
	struct job job = {.nranks = schedule->nranks};
	uint64_t *offset = calloc((size_t)schedule->nblocks, sizeof(*offset));
	uint64_t *length = calloc((size_t)schedule->nblocks, sizeof(*length));

	job.programs = calloc((size_t)job.nranks, sizeof(struct tt_program *));
	assert_true(offset && length && job.programs);
	for (int64_t b = 0; b < schedule->nblocks; b++) {
		offset[b] = (uint64_t)b * bytes;
		length[b] = bytes;
	}
	struct tt_layout layout = {schedule->nblocks, offset, length, 1};

	for (int64_t r = 0; r < job.nranks; r++)
		if (tt_program_lower(schedule, r, &layout, &job.programs[r]) != TOTUM_OK)
			fail_msg("%s", totum_errmsg());
	free(offset);
	free(length);
	return job;
}

static void free_all(struct job *job)
{
	for (int64_t r = 0; r < job->nranks; r++)
		tt_program_free(job->programs[r]);
	free(job->programs);
}

static const struct tt_program *const *programs_of(const struct job *job)
{
	return (const struct tt_program *const *)job->programs;
}

static totum_status matched(const struct job *job, struct tt_verify_report *report)
{
	return tt_verify_programs(programs_of(job), job->nranks, report);
}

static totum_status running(const struct job *job, struct tt_running how)
{
	return tt_verify_deadlock(programs_of(job), job->nranks, &how, NULL);
}

static void lowered_programs_match(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 1600; seed++) {
		enum tt_collective collective = (enum tt_collective)(seed % TT_COLLECTIVES);
		struct tt_schedule *schedule =
			case_random(collective, case_random_size(seed), seed);
		struct job job = lower_all(schedule, seed % 5);

		if (matched(&job, NULL) != TOTUM_OK)
			fail_msg("seed %u: %s", seed, totum_errmsg());
		free_all(&job);
		tt_schedule_free(schedule);
	}
}

static void unmatched(struct job *job, int64_t violations, const char *sentence)
{
	struct tt_verify_report report;

	assert_int_equal(matched(job, &report), TOTUM_EINVAL);
	if (report.violations != violations || !strstr(totum_errmsg(), sentence))
		fail_msg("%lld violations, '%s' lacks '%s'", (long long)report.violations,
			 totum_errmsg(), sentence);
	for (int i = 0; i < report.kept; i++)
		assert_int_equal(report.first[i].invariant, TT_V3_MATCHING);
	assert_int_equal(running(job, (struct tt_running){.depth = 1}), TOTUM_EINVAL);
}

static void v3_messages_that_do_not_meet(void **state)
{
	(void)state;
	struct tt_schedule *ring = case_seal(case_ring(4));
	struct job job = lower_all(ring, 8);
	struct tt_step *first = &job.programs[2]->steps[0]; /* sends to rank 3 in round 0 */

	first->bytes = 7;
	unmatched(&job, 1,
		  "V3 rank 2 sends 7 bytes in round 0 to rank 3, which takes in 8 in round 0");
	first->bytes = 8;
	job.programs[1]->nsteps--; /* its last receive, in round 2 */
	unmatched(&job, 1,
		  "V3 rank 0 sends 8 bytes in round 2 to rank 1, which does not take them in");
	job.programs[1]->nsteps++;
	first->peer = 0;
	unmatched(&job, 4,
		  "V3 rank 2 sends 8 bytes in round 0 to rank 0, which does not take them in");
	first->peer = 2;
	assert_int_equal(matched(&job, NULL), TOTUM_EINVAL);
	assert_non_null(strstr(totum_errmsg(), "peer 2, which is no other rank"));
	first->peer = 3;
	assert_int_equal(matched(&job, NULL), TOTUM_OK);
	free_all(&job);
	tt_schedule_free(ring);
}

static void a_blocking_ring_stands_still(void **state)
{
	(void)state;
	for (int64_t n = 2; n <= 9; n++) {
		struct tt_schedule *ring = case_seal(case_ring(n));
		struct job job = lower_all(ring, 8);

		assert_int_equal(running(&job, (struct tt_running){.blocking = true}),
				 TOTUM_EINVAL);
		assert_non_null(strstr(totum_errmsg(), "wait in a circle: rank "));
		assert_non_null(strstr(totum_errmsg(), "rank 0 (to rank 1, round 0)"));
		/* One place for a message under way is enough; so is not waiting for the send. */
		assert_int_equal(running(&job, (struct tt_running){.blocking = true, .depth = 1}),
				 TOTUM_OK);
		assert_int_equal(running(&job, (struct tt_running){.blocking = false}), TOTUM_OK);
		free_all(&job);
		tt_schedule_free(ring);
	}
}

/* The usual way out: one rank receives first. */
static void one_rank_reversed_breaks_the_circle(void **state)
{
	(void)state;
	struct tt_schedule *ring = case_seal(case_ring(5));
	struct job job = lower_all(ring, 8);

	for (int64_t i = 0; i + 1 < job.programs[0]->nsteps; i += 2) {
		struct tt_step send = job.programs[0]->steps[i];

		job.programs[0]->steps[i] = job.programs[0]->steps[i + 1];
		job.programs[0]->steps[i + 1] = send;
	}
	assert_int_equal(running(&job, (struct tt_running){.blocking = true}), TOTUM_OK);
	free_all(&job);
	tt_schedule_free(ring);
}

static void the_executor_never_stands_still(void **state)
{
	(void)state;
	for (int64_t n = 1; n <= 24; n++)
		for (int which = 0; which < 6; which++) {
			struct tt_schedule *gather = which == 0   ? case_ring(n)
						     : which == 1 ? case_biring(n)
						     : which == 2 ? case_bruck(n, 3)
						     : which == 3 ? case_sparbit(n)
						     : which == 4 ? case_neighbor(n / 2 * 2 + 2)
								  : case_gossip(n, 2, (unsigned)n);
			struct tt_schedule *scatter = NULL, *both = NULL;

			case_seal(gather);
			assert_int_equal(tt_derive_reverse(gather, &scatter), TOTUM_OK);
			assert_int_equal(tt_derive_compose(TT_ALLREDUCE, scatter, gather, &both),
					 TOTUM_OK);
			const struct tt_schedule *schedules[] = {gather, scatter, both};

			for (int i = 0; i < 3; i++) {
				struct job job = lower_all(schedules[i], 3);

				for (int64_t depth = 0; depth < 3; depth++)
					if (running(&job, (struct tt_running){.depth = depth}))
						fail_msg("%s on %lld ranks at depth %lld: %s",
							 gather->name, (long long)n,
							 (long long)depth, totum_errmsg());
				free_all(&job);
			}
			tt_schedule_free(gather);
			tt_schedule_free(scatter);
			tt_schedule_free(both);
		}
}

/* Two ranks swap sums: a receive must wait for the send of what it changes, unless it is staged. */
static void swapped_sums_need_staging_to_meet(void **state)
{
	(void)state;
	struct tt_schedule *swap = case_new(TT_ALLREDUCE, 2, 0, 1, "swap");

	tt_exchange(swap, 0, 1, 1)->reduce = true;
	case_seal(swap);
	struct job job = lower_all(swap, 8);

	assert_int_equal(running(&job, (struct tt_running){.depth = 0}), TOTUM_EINVAL);
	assert_int_equal(running(&job, (struct tt_running){.depth = 0, .staged = true}), TOTUM_OK);
	assert_int_equal(running(&job, (struct tt_running){.depth = 1}), TOTUM_OK);
	assert_int_equal(running(&job, (struct tt_running){.depth = -1}), TOTUM_EINVAL);
	free_all(&job);
	tt_schedule_free(swap);
}

/* --- against running ------------------------------------------------------------------------- */

struct turn {
	struct job *job;
	int64_t depth;
	int64_t *at;    /* of each rank: the step it is in */
	int64_t *sent;  /* [from * n + to] */
	int64_t *taken; /* [from * n + to] */
};

/* Is the peer in the very step that meets this one? */
static bool meets(const struct turn *turn, int64_t rank, int64_t peer, bool sending)
{
	const struct tt_program *program = turn->job->programs[peer];

	if (turn->at[peer] >= program->nsteps)
		return false;
	const struct tt_step *step = &program->steps[turn->at[peer]];

	return step->peer == rank && (step->kind == TT_STEP_SEND) != sending;
}

/* Lets a rank take its step when it can: with buffers, or hand to hand at depth 0. */
static bool advance(struct turn *turn, int64_t rank)
{
	const struct tt_program *program = turn->job->programs[rank];
	int64_t n = turn->job->nranks;

	if (turn->at[rank] >= program->nsteps)
		return false;
	const struct tt_step *step = &program->steps[turn->at[rank]];
	bool sending = step->kind == TT_STEP_SEND;
	int64_t channel = sending ? rank * n + step->peer : step->peer * n + rank;

	if (turn->depth == 0) {
		if (!meets(turn, rank, step->peer, sending))
			return false;
		turn->at[step->peer]++;
	} else if (sending ? turn->sent[channel] - turn->taken[channel] >= turn->depth
			   : turn->sent[channel] == turn->taken[channel]) {
		return false;
	} else {
		turn->sent[channel] += sending;
		turn->taken[channel] += !sending;
	}
	turn->at[rank]++;
	return true;
}

static bool comes_to_an_end(struct job *job, int64_t depth)
{
	size_t n = (size_t)job->nranks;
	struct turn turn = {.job = job,
			    .depth = depth,
			    .at = calloc(n, sizeof(int64_t)),
			    .sent = calloc(n * n, sizeof(int64_t)),
			    .taken = calloc(n * n, sizeof(int64_t))};
	bool moved = true, done = true;

	assert_true(turn.at && turn.sent && turn.taken);
	while (moved) {
		moved = false;
		for (int64_t r = 0; r < job->nranks; r++)
			moved |= advance(&turn, r);
	}
	for (int64_t r = 0; r < job->nranks; r++)
		done &= turn.at[r] == job->programs[r]->nsteps;
	free(turn.at);
	free(turn.sent);
	free(turn.taken);
	return done;
}

static void the_verdict_is_what_a_blocking_run_does(void **state)
{
	(void)state;
	int ends = 0, stands = 0;

	for (unsigned seed = 0; seed < 3000; seed++) {
		unsigned random = seed;
		int64_t n = case_pick(&random, 2, 6);
		struct tt_schedule *gossip = case_seal(case_gossip(n, 1, seed));
		struct job job = lower_all(gossip, 1);

		/* Steps of a rank in another order: then even buffers may not help. */
		for (int64_t swaps = case_pick(&random, 0, 4); swaps; swaps--) {
			struct tt_program *program = job.programs[case_pick(&random, 0, n - 1)];

			if (program->nsteps < 2)
				continue;
			struct tt_step *a =
				&program->steps[case_pick(&random, 0, program->nsteps - 2)];
			struct tt_step first = *a;
			bool same_side = (a[0].kind == TT_STEP_SEND) == (a[1].kind == TT_STEP_SEND);

			if (a[0].peer == a[1].peer && same_side)
				continue;
			a[0] = a[1];
			a[1] = first;
		}
		for (int64_t depth = 0; depth < 3; depth++) {
			bool free_of_it =
				running(&job, (struct tt_running){.blocking = true,
								  .depth = depth}) == TOTUM_OK;

			if (free_of_it != comes_to_an_end(&job, depth))
				fail_msg("seed %u at depth %lld: the proof says %s", seed,
					 (long long)depth, free_of_it ? "it ends" : totum_errmsg());
			*(free_of_it ? &ends : &stands) += 1;
		}
		free_all(&job);
		tt_schedule_free(gossip);
	}
	assert_true(ends > 300);
	assert_true(stands > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lowered_programs_match),
		cmocka_unit_test(v3_messages_that_do_not_meet),
		cmocka_unit_test(a_blocking_ring_stands_still),
		cmocka_unit_test(one_rank_reversed_breaks_the_circle),
		cmocka_unit_test(the_executor_never_stands_still),
		cmocka_unit_test(swapped_sums_need_staging_to_meet),
		cmocka_unit_test(the_verdict_is_what_a_blocking_run_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
