/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_lower_run - programs of all ranks, run on numbers, compute what their collective says.
 *
 * Steps run in random orders that respect nothing but the dependencies and the order per channel.
 */
#include "unit/schedule_layout.h"

struct message {
	uint64_t *values;
	size_t count;
	bool sent;
};

struct run {
	const struct tt_schedule *schedule;
	struct layout *layouts;      /* of each rank */
	struct tt_program **program; /* of each rank */
	uint64_t **buffer;           /* of each rank */
	int32_t **waits;             /* of each rank's steps; -1 when done */
	int64_t *next_out,
		*next_in;         /* [from * n + to]: how many messages have been sent and taken */
	struct message **channel; /* [from * n + to][i] */
};

static int64_t place_in_channel(const struct tt_program *program, int64_t step)
{
	int64_t place = 0;
	bool sending = program->steps[step].kind == TT_STEP_SEND;

	for (int64_t i = 0; i < step; i++)
		place += program->steps[i].peer == program->steps[step].peer &&
			 (program->steps[i].kind == TT_STEP_SEND) == sending;
	return place;
}

/* Runs a step if it may run now. */
static bool attempt(struct run *run, int64_t rank, int64_t index)
{
	const struct tt_program *program = run->program[rank];
	const struct tt_step *step = &program->steps[index];
	int64_t n = run->schedule->nranks, place = place_in_channel(program, index);
	bool sending = step->kind == TT_STEP_SEND;
	int64_t channel = sending ? rank * n + step->peer : step->peer * n + rank;
	struct message *message = &run->channel[channel][place];
	size_t at = 0;

	if (run->waits[rank][index] != 0)
		return false;
	if (sending ? run->next_out[channel] != place
		    : run->next_in[channel] != place || !message->sent)
		return false;
	if (sending) {
		message->values = malloc(step->bytes);
		assert_non_null(message->values);
	}
	for (int64_t i = 0; i < step->nranges; i++) {
		struct tt_range range = program->ranges[step->first_range + i];

		for (uint64_t v = range.offset / 8; v < (range.offset + range.length) / 8; v++) {
			uint64_t *mine = &run->buffer[rank][v];

			if (sending)
				message->values[at++] = *mine;
			else if (step->kind == TT_STEP_RECEIVE)
				*mine = message->values[at++];
			else
				*mine += message->values[at++];
		}
	}
	if (!sending)
		assert_int_equal(at, message->count);
	message->count = at;
	message->sent = true;
	*(sending ? &run->next_out[channel] : &run->next_in[channel]) += 1;
	run->waits[rank][index] = -1;
	for (int64_t i = 0; i < step->nwaiters; i++)
		run->waits[rank][program->waiters[step->first_waiter + i]]--;
	return true;
}

/* What rank contributes to value v of a block. */
static uint64_t seed_value(int64_t rank, int64_t block, uint64_t v)
{
	return (uint64_t)(rank + 1) * 1000003u + (uint64_t)block * 7919u + v;
}

static void start(struct run *run, unsigned seed)
{
	const struct tt_schedule *schedule = run->schedule;
	size_t n = (size_t)schedule->nranks;

	run->layouts = calloc(n, sizeof(*run->layouts));
	run->program = calloc(n, sizeof(*run->program));
	run->buffer = calloc(n, sizeof(*run->buffer));
	run->waits = calloc(n, sizeof(*run->waits));
	run->next_out = calloc(n * n, sizeof(*run->next_out));
	run->next_in = calloc(n * n, sizeof(*run->next_in));
	run->channel = calloc(n * n, sizeof(*run->channel));
	for (size_t r = 0; r < n; r++) {
		struct layout *layout = &run->layouts[r];

		/* The lengths agree on all ranks; where the blocks lie need not. */
		*layout = random_layout(schedule->nblocks, 8, seed, r % 2);
		run->program[r] = lower(schedule, (int64_t)r, &layout->view);
		run->buffer[r] = calloc(layout->total / 8 + 1, sizeof(uint64_t));
		run->waits[r] = calloc((size_t)run->program[r]->nsteps + 1, sizeof(int32_t));
		for (int64_t i = 0; i < run->program[r]->nsteps; i++)
			run->waits[r][i] = run->program[r]->steps[i].nwaits;
		for (size_t p = 0; p < n; p++)
			run->channel[r * n + p] =
				calloc((size_t)run->program[r]->nsteps + 1, sizeof(struct message));
		for (int64_t b = 0; b < schedule->nblocks; b++)
			for (uint64_t v = 0; v < layout->length[b] / 8; v++)
				if (tt_holds_first(schedule, (int64_t)r, b))
					run->buffer[r][layout->offset[b] / 8 + v] =
						seed_value((int64_t)r, b, v);
	}
}

static void stop(struct run *run)
{
	size_t n = (size_t)run->schedule->nranks;

	for (size_t r = 0; r < n; r++) {
		for (size_t p = 0; p < n; p++) {
			for (int64_t i = 0; i < run->next_out[r * n + p]; i++)
				free(run->channel[r * n + p][i].values);
			free(run->channel[r * n + p]);
		}
		free_layout(&run->layouts[r]);
		tt_program_free(run->program[r]);
		free(run->buffer[r]);
		free(run->waits[r]);
	}
	free(run->layouts);
	free(run->program);
	free(run->buffer);
	free(run->waits);
	free(run->next_out);
	free(run->next_in);
	free(run->channel);
}

static void play(struct run *run, unsigned seed)
{
	int64_t left = 0, n = run->schedule->nranks;

	for (int64_t r = 0; r < n; r++)
		left += run->program[r]->nsteps;
	while (left) {
		/* Random attempts, and at times all in turn, so that a stall is certain. */
		int64_t before = left;

		for (int tries = 0; tries < 50 && left; tries++) {
			int64_t r = case_pick(&seed, 0, n - 1);

			if (run->program[r]->nsteps)
				left -= attempt(run, r,
						case_pick(&seed, 0, run->program[r]->nsteps - 1));
		}
		for (int64_t r = n - 1; r >= 0 && left == before; r--)
			for (int64_t i = run->program[r]->nsteps - 1; i >= 0 && left == before; i--)
				left -= attempt(run, r, i);
		if (left == before)
			fail_msg("%s on %lld ranks stands still", run->schedule->name,
				 (long long)n);
	}
}

static void check_result(const struct run *run, unsigned seed)
{
	const struct tt_schedule *schedule = run->schedule;

	for (int64_t r = 0; r < schedule->nranks; r++)
		for (int64_t b = 0; b < schedule->nblocks; b++) {
			const struct layout *layout = &run->layouts[r];

			if (!tt_wants_last(schedule, r, b))
				continue;
			for (uint64_t v = 0; v < layout->length[b] / 8; v++) {
				uint64_t expected = 0;

				for (int64_t s = 0; s < schedule->nranks; s++)
					if (tt_holds_first(schedule, s, b))
						expected += seed_value(s, b, v);
				if (run->buffer[r][layout->offset[b] / 8 + v] != expected)
					fail_msg("%s %s on %lld ranks, seed %u: rank %lld has "
						 "block %lld wrong",
						 tt_collective_name(schedule->collective),
						 schedule->name, (long long)schedule->nranks, seed,
						 (long long)r, (long long)b);
			}
		}
}

static void run_once(const struct tt_schedule *schedule, unsigned seed)
{
	struct run run = {.schedule = schedule};

	start(&run, seed);
	play(&run, seed);
	check_result(&run, seed);
	stop(&run);
}

/* The all-gather itself, its reverse, and both as an all-reduce. */
static void run_family(struct tt_schedule *gather, unsigned seeds)
{
	struct tt_schedule *scatter = NULL, *both = NULL;

	case_seal(gather);
	assert_int_equal(tt_derive_reverse(gather, &scatter), TOTUM_OK);
	assert_int_equal(tt_derive_compose(TT_ALLREDUCE, scatter, gather, &both), TOTUM_OK);
	for (unsigned seed = 1; seed <= seeds; seed++) {
		run_once(gather, seed);
		run_once(scatter, seed);
		run_once(both, seed);
	}
	tt_schedule_free(gather);
	tt_schedule_free(scatter);
	tt_schedule_free(both);
}

static void programs_compute_the_collective_in_any_order(void **state)
{
	(void)state;
	for (int64_t n = 1; n <= 9; n++) {
		run_family(case_ring(n), 40);
		run_family(case_biring(n), 40);
		run_family(case_bruck(n, 2), 40);
		run_family(case_bruck(n, 3), 40);
		run_family(case_sparbit(n), 40);
		if (n % 2 == 0)
			run_family(case_neighbor(n), 40);
		if ((n & (n - 1)) == 0)
			run_family(case_doubling(n), 40);
		for (unsigned seed = 0; seed < 20; seed++)
			run_family(case_gossip(n, 1 + (int)seed % 3, seed), 2);
	}
}

static void programs_compute_the_collective_on_more_ranks(void **state)
{
	(void)state;
	for (int64_t n = 10; n <= 33; n++) {
		run_family(case_ring(n), 1);
		run_family(case_bruck(n, 4), 1);
		run_family(case_sparbit(n), 1);
	}
	run_family(case_doubling(32), 1);
	run_family(case_neighbor(32), 1);
}

static void an_all_to_all_is_right_in_both_directions(void **state)
{
	(void)state;
	for (int64_t n = 1; n <= 6; n++) {
		struct tt_schedule *direct = case_new(TT_ALLTOALL, n, 0, 1, "direct"), *back = NULL;

		for (int64_t round = 1; round < n; round++)
			for (int64_t r = 0; r < n; r++)
				tt_move(direct, round - 1, r, (r + round) % n,
					r * n + (r + round) % n, 1);
		case_seal(direct);
		assert_int_equal(tt_derive_reverse(direct, &back), TOTUM_OK);
		run_once(direct, 1);
		run_once(back, 1);
		tt_schedule_free(direct);
		tt_schedule_free(back);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_compute_the_collective_in_any_order),
		cmocka_unit_test(programs_compute_the_collective_on_more_ranks),
		cmocka_unit_test(an_all_to_all_is_right_in_both_directions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
