/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_lower - programs of single ranks: byte ranges, dependencies, and what they do when they
 * run.
 *
 * The dependencies are held against all pairs of steps that touch a common byte, and the programs
 * of all ranks are run on numbers in random orders that respect nothing but the dependencies and
 * the order per channel.
 */
#include "unit/schedule_cases.h"
#include "schedule/program.h"

struct layout {
	struct tt_layout view;
	uint64_t *offset, *length, total;
};

/* Blocks of random sizes (some empty, some large) in a random order with gaps between them. */
static struct layout random_layout(int64_t nblocks, uint64_t element, unsigned seed, bool gaps)
{
	struct layout layout = {.offset = calloc((size_t)nblocks, sizeof(uint64_t)),
				.length = calloc((size_t)nblocks, sizeof(uint64_t))};
	uint64_t *place = calloc((size_t)nblocks, sizeof(*place));

	assert_true(layout.offset && layout.length && place);
	for (int64_t i = 0; i < nblocks; i++) {
		int64_t j = case_pick(&seed, 0, i);

		place[i] = place[j];
		place[j] = (uint64_t)i;
		layout.length[i] =
			element * (uint64_t)(case_pick(&seed, 0, 2) ? case_pick(&seed, 0, 9) : 0);
	}
	for (int64_t i = 0; i < nblocks; i++) {
		uint64_t block = gaps ? place[i] : (uint64_t)i;

		layout.offset[block] = layout.total;
		layout.total += layout.length[block] +
				(gaps ? element * (uint64_t)case_pick(&seed, 0, 1) : 0);
	}
	free(place);
	layout.view = (struct tt_layout){nblocks, layout.offset, layout.length, element};
	return layout;
}

static void free_layout(struct layout *layout)
{
	free(layout->offset);
	free(layout->length);
}

static struct tt_program *lower(const struct tt_schedule *schedule, int64_t rank,
				const struct tt_layout *layout)
{
	struct tt_program *program = NULL;

	if (tt_program_lower(schedule, rank, layout, &program) != TOTUM_OK)
		fail_msg("%s", totum_errmsg());
	return program;
}

static void pieces_cover_a_block_between_elements(void **state)
{
	(void)state;
	static const uint64_t lengths[] = {0, 1, 2, 3, 7, 64, 1000003, UINT64_C(1) << 60};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		for (uint64_t element = 1; element <= 16; element *= 2)
			for (int64_t pieces = 1; pieces <= TT_MAX_PIECES; pieces = pieces * 3 + 1) {
				uint64_t offset = 12345,
					 length = lengths[i] * element / element * element;
				struct tt_layout layout = {1, &offset, &length, element};
				uint64_t at = offset, least = UINT64_MAX, most = 0;

				for (int64_t piece = 0; piece < pieces; piece++) {
					struct tt_range range =
						tt_layout_range(&layout, 0, piece, 1, pieces);

					assert_int_equal(range.offset, at);
					assert_int_equal(range.length % element, 0);
					at += range.length;
					least = range.length < least ? range.length : least;
					most = range.length > most ? range.length : most;
				}
				assert_int_equal(at, offset + length);
				assert_true(most - least <= element);
				struct tt_range whole =
					tt_layout_range(&layout, 0, 0, pieces, pieces);

				assert_int_equal(whole.offset, offset);
				assert_int_equal(whole.length, length);
			}
}

static bool overlap(const struct tt_program *program, int64_t a, int64_t b)
{
	for (int64_t i = 0; i < program->steps[a].nranges; i++)
		for (int64_t j = 0; j < program->steps[b].nranges; j++) {
			struct tt_range x = program->ranges[program->steps[a].first_range + i];
			struct tt_range y = program->ranges[program->steps[b].first_range + j];

			if (x.offset < y.offset + y.length && y.offset < x.offset + x.length)
				return true;
		}
	return false;
}

/* reach[b * nsteps + a]: must b wait, directly or not, for a? */
static void check_dependencies(const struct tt_program *program, unsigned seed)
{
	size_t n = (size_t)program->nsteps;
	bool *direct = calloc(n * n + 1, 1), *reach = calloc(n * n + 1, 1);
	int32_t *waits = calloc(n + 1, sizeof(*waits));

	assert_true(direct && reach && waits);
	for (size_t a = 0; a < n; a++)
		for (int64_t i = 0; i < program->steps[a].nwaiters; i++) {
			size_t b = (size_t)program->waiters[program->steps[a].first_waiter + i];

			if (b <= a || b >= n || direct[b * n + a])
				fail_msg("seed %u: step %zu lists waiter %zu wrongly or twice",
					 seed, a, b);
			direct[b * n + a] = true;
			waits[b]++;
		}
	for (size_t b = 0; b < n; b++) {
		assert_int_equal(waits[b], program->steps[b].nwaits);
		for (size_t a = b; a-- > 0;) {
			bool conflict = (program->steps[a].kind != TT_STEP_SEND ||
					 program->steps[b].kind != TT_STEP_SEND) &&
					overlap(program, (int64_t)a, (int64_t)b);

			if (direct[b * n + a])
				reach[b * n + a] = true;
			for (size_t c = 0; reach[b * n + a] && c < a; c++)
				reach[b * n + c] |= reach[a * n + c];
			if (direct[b * n + a] && !conflict)
				fail_msg("seed %u: step %zu waits for %zu without a cause", seed, b,
					 a);
			if (conflict && !reach[b * n + a])
				fail_msg("seed %u: step %zu does not wait for %zu", seed, b, a);
		}
	}
	free(direct);
	free(reach);
	free(waits);
}

static void steps_wait_for_all_they_conflict_with(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 1200; seed++) {
		enum tt_collective collective = (enum tt_collective)(seed % TT_COLLECTIVES);
		struct tt_schedule *schedule =
			case_random(collective, case_random_size(seed), seed);
		struct layout layout = random_layout(schedule->nblocks, 4, seed, true);
		unsigned random = seed;
		int64_t rank = case_pick(&random, 0, schedule->nranks - 1);
		struct tt_program *program = lower(schedule, rank, &layout.view);

		check_dependencies(program, seed);
		tt_program_free(program);
		free_layout(&layout);
		tt_schedule_free(schedule);
	}
}

/* Steps in round order; one message per peer, round and kind; ranges in their blocks, apart. */
static void a_step_is_all_that_goes_to_one_peer(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 1200; seed++) {
		enum tt_collective collective = (enum tt_collective)(seed % TT_COLLECTIVES);
		struct tt_schedule *schedule =
			case_random(collective, case_random_size(seed), seed);
		struct layout layout = random_layout(schedule->nblocks, 2, seed, false);
		struct tt_program *program = lower(schedule, seed % schedule->nranks, &layout.view);
		int64_t ranges = 0;

		for (int64_t i = 0; i < program->nsteps; i++) {
			const struct tt_step *step = &program->steps[i];
			uint64_t bytes = 0;

			assert_true(i == 0 || step[-1].round <= step->round);
			for (int64_t j = 0; j < i; j++)
				if (program->steps[j].round == step->round &&
				    program->steps[j].peer == step->peer &&
				    program->steps[j].kind == step->kind &&
				    step->kind != TT_STEP_SEND)
					fail_msg("seed %u: steps %d and %d are one", seed, (int)j,
						 (int)i);
			assert_int_equal(step->first_range, ranges);
			for (int64_t j = 0; j < step->nranges; j++) {
				struct tt_range *range = &program->ranges[ranges + j];

				bytes += range->length;
				assert_true(range->length > 0);
				assert_true(range->offset + range->length <= layout.total);
				assert_true(j == 0 ||
					    range[-1].offset + range[-1].length != range->offset);
			}
			ranges += step->nranges;
			assert_true(bytes > 0);
			assert_int_equal(bytes, step->bytes);
		}
		assert_int_equal(ranges, program->nranges);
		tt_program_free(program);
		free_layout(&layout);
		tt_schedule_free(schedule);
	}
}

/* --- running the programs of all ranks ------------------------------------------------------- */

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

static void neighbouring_blocks_are_one_range(void **state)
{
	(void)state;
	enum { N = 37 };
	uint64_t offset[N], length[N];

	for (uint64_t b = 0; b < N; b++) {
		offset[b] = b * 24;
		length[b] = 24;
	}
	struct tt_layout layout = {N, offset, length, 8};
	struct tt_schedule *bruck = case_seal(case_bruck(N, 2));

	for (int64_t rank = 0; rank < N; rank++) {
		struct tt_program *program = lower(bruck, rank, &layout);

		assert_int_equal(program->nsteps, 12);
		for (int64_t i = 0; i < program->nsteps; i++)
			assert_true(program->steps[i].nranges <= 2);
		tt_program_free(program);
	}
	tt_schedule_free(bruck);
}

static void a_rank_of_a_million_is_lowered(void **state)
{
	(void)state;
	enum { N = 1000000 };
	uint64_t *offset = calloc(N, sizeof(*offset)), *length = calloc(N, sizeof(*length));

	assert_true(offset && length);
	for (uint64_t b = 0; b < N; b++) {
		offset[b] = b * 8;
		length[b] = 8;
	}
	struct tt_layout layout = {N, offset, length, 8};
	struct tt_schedule *ring = case_seal(case_ring(N)), *bruck = case_seal(case_bruck(N, 2));
	struct tt_program *program = lower(ring, 4711, &layout);

	assert_int_equal(program->nsteps, 2 * (N - 1));
	assert_int_equal(program->nwaiters, N - 2); /* each block but the last is passed on */
	tt_program_free(program);
	program = lower(bruck, 4711, &layout);
	assert_int_equal(program->nsteps, 40);
	tt_program_free(program);
	tt_schedule_free(ring);
	tt_schedule_free(bruck);
	free(offset);
	free(length);
}

static void what_does_not_fit_is_refused(void **state)
{
	(void)state;
	uint64_t offset[4] = {0, 1, 2, 3}, length[4] = {1, 1, 1, 1};
	struct tt_layout layout = {4, offset, length, 1};
	struct tt_schedule *ring = case_ring(4);
	struct tt_program *program = NULL;

	assert_int_equal(tt_program_lower(ring, 0, &layout, &program), TOTUM_EUSAGE);
	case_seal(ring);
	assert_int_equal(tt_program_lower(ring, 4, &layout, &program), TOTUM_EINVAL);
	assert_int_equal(tt_program_lower(ring, -1, &layout, &program), TOTUM_EINVAL);
	layout.element = 0;
	assert_int_equal(tt_program_lower(ring, 0, &layout, &program), TOTUM_EINVAL);
	layout = (struct tt_layout){3, offset, length, 1};
	assert_int_equal(tt_program_lower(ring, 0, &layout, &program), TOTUM_EINVAL);
	assert_null(program);
	tt_program_free(NULL);
	tt_schedule_free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_cover_a_block_between_elements),
		cmocka_unit_test(steps_wait_for_all_they_conflict_with),
		cmocka_unit_test(a_step_is_all_that_goes_to_one_peer),
		cmocka_unit_test(programs_compute_the_collective_in_any_order),
		cmocka_unit_test(programs_compute_the_collective_on_more_ranks),
		cmocka_unit_test(an_all_to_all_is_right_in_both_directions),
		cmocka_unit_test(neighbouring_blocks_are_one_range),
		cmocka_unit_test(a_rank_of_a_million_is_lowered),
		cmocka_unit_test(what_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
