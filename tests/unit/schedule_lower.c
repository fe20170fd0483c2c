/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_lower - programs of single ranks: byte ranges and dependencies.
 *
 * The dependencies are held against all pairs of steps that touch a common byte; what the programs
 * do when they run is the matter of schedule_lower_run.c.
 */
#include "unit/schedule_layout.h"

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
		cmocka_unit_test(neighbouring_blocks_are_one_range),
		cmocka_unit_test(a_rank_of_a_million_is_lowered),
		cmocka_unit_test(what_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
