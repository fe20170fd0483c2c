/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of more than 2^31 elements, on paper: in the program of every rank, by every algorithm of
 * every collective, each byte range lies in the buffer, both ends of a channel cut alike, and what
 * an all-gather receives tiles the result.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algorithms/algorithm.h"
#include "schedule/program.h"

enum { MOST = 64 };
static const uint64_t count = (UINT64_C(1) << 31) + 7;

struct paper {
	struct tt_layout layout;
	uint64_t *offset, *length, total;
	/* of each channel, [from * nranks + to]: the messages' bytes, hashed in their order */
	uint64_t *sent, *received;
	const char *name;
};

static struct paper paper_new(const struct tt_schedule *schedule, uint64_t element)
{
	size_t n = (size_t)schedule->nranks, blocks = (size_t)schedule->nblocks;
	struct paper paper = {.offset = calloc(2 * blocks, sizeof(uint64_t)),
			      .sent = calloc(2 * n * n, sizeof(uint64_t)),
			      .name = schedule->name};

	assert_true(paper.offset && paper.sent);
	paper.length = paper.offset + blocks;
	paper.received = paper.sent + n * n;
	for (size_t i = 0; i < blocks; i++) {
		paper.offset[i] = paper.total;
		paper.length[i] = count * element;
		paper.total += paper.length[i];
	}
	paper.layout = (struct tt_layout){schedule->nblocks, paper.offset, paper.length, element};
	return paper;
}

static void paper_free(struct paper *paper)
{
	free(paper->offset);
	free(paper->sent);
}

static int by_offset(const void *a, const void *b)
{
	const struct tt_range *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The ranges of the receives and the rank's own block, all once or (redundant) more often. */
static void check_tiles(const struct tt_program *program, const struct paper *paper, bool redundant)
{
	struct tt_range *tiles = calloc((size_t)program->nranges + 1, sizeof *tiles);
	size_t n = 0;
	uint64_t at = 0;

	assert_non_null(tiles);
	tiles[n++] = (struct tt_range){paper->offset[program->rank], paper->length[program->rank]};
	for (int64_t i = 0; i < program->nsteps; i++)
		for (int64_t j = 0; j < program->steps[i].nranges; j++)
			if (program->steps[i].kind == TT_STEP_RECEIVE)
				tiles[n++] = program->ranges[program->steps[i].first_range + j];
	qsort(tiles, n, sizeof *tiles, by_offset);
	for (size_t i = 0; i < n; i++) {
		if (tiles[i].offset > at || (tiles[i].offset < at && !redundant))
			fail_msg("%s: rank %lld has a gap or an overlap at byte %llu", paper->name,
				 (long long)program->rank, (unsigned long long)at);
		if (tiles[i].offset + tiles[i].length > at)
			at = tiles[i].offset + tiles[i].length;
	}
	assert_int_equal(at, paper->total);
	free(tiles);
}

static void check_step(const struct tt_program *program, const struct tt_step *step,
		       const struct paper *paper)
{
	uint64_t sum = 0;
	int64_t peer = step->peer, rank = program->rank, n = program->nranks;

	for (int64_t j = 0; j < step->nranges; j++) {
		struct tt_range range = program->ranges[step->first_range + j];

		if (range.offset >= paper->total || range.length > paper->total - range.offset ||
		    !range.length || range.length % paper->layout.element)
			fail_msg("%s: rank %lld moves %llu bytes at %llu of %llu", paper->name,
				 (long long)rank, (unsigned long long)range.length,
				 (unsigned long long)range.offset,
				 (unsigned long long)paper->total);
		sum += range.length;
	}
	assert_int_equal(sum, step->bytes);
	uint64_t *channel = step->kind == TT_STEP_SEND ? &paper->sent[rank * n + peer]
						       : &paper->received[peer * n + rank];

	*channel = (*channel ^ step->bytes) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static void check_schedule(const struct tt_schedule *schedule, uint64_t element, bool redundant)
{
	struct paper paper = paper_new(schedule, element);
	size_t channels = (size_t)(schedule->nranks * schedule->nranks);

	for (int64_t rank = 0; rank < schedule->nranks; rank++) {
		struct tt_program *program;

		if (tt_program_lower(schedule, rank, &paper.layout, &program))
			fail_msg("%s: %s", schedule->name, totum_errmsg());
		for (int64_t i = 0; i < program->nsteps; i++)
			check_step(program, &program->steps[i], &paper);
		if (schedule->collective == TT_ALLGATHER)
			check_tiles(program, &paper, redundant);
		tt_program_free(program);
	}
	for (size_t i = 0; i < channels; i++)
		if (paper.sent[i] != paper.received[i])
			fail_msg("%s: the ends of channel %zu differ", schedule->name, i);
	paper_free(&paper);
}

static int nchecked;

static void check_algorithm(const struct tt_algorithm_entry *entry, enum tt_collective collective,
			    int64_t nranks)
{
	struct tt_schedule *schedule;
	int64_t values[TT_PARAMETERS];
	const struct tt_algorithm *algorithm = entry->algorithm;

	if (!tt_algorithm_serves(entry, collective) ||
	    tt_algorithm_values(entry, nranks, "", values) ||
	    tt_algorithm_build(collective, entry->name, nranks, 0, &schedule))
		return;
	bool redundant = algorithm->redundant && algorithm->redundant(nranks, values);

	nchecked++;
	check_schedule(schedule, 1, redundant);
	check_schedule(schedule, 8, redundant);
	tt_schedule_free(schedule);
}

static void test_all(void **state)
{
	static const int64_t sizes[] = {3, 5, 7, MOST};

	(void)state;
	for (int i = 0; i < tt_nalgorithms; i++)
		for (int collective = 0; collective < TT_COLLECTIVES; collective++)
			for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
				if (collective != TT_ALLTOALL || sizes[k] < MOST)
					check_algorithm(&tt_algorithms[i],
							(enum tt_collective)collective, sizes[k]);
	assert_true(nchecked > 5 * tt_nalgorithms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
