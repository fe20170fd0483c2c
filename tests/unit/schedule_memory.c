/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_memory - the n-th allocation fails, for every n: the status says so, and nothing leaks.
 *
 * The program brings its own malloc, so it is skipped where a sanitizer brings another.
 */
#include "unit/schedule_cases.h"
#include "proof/verify.h"
#include "schedule/text.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define OWN_MALLOC 1
#endif
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef OWN_MALLOC
#endif
#endif

static bool counting;
static long live, allocations, fatal;

#ifdef OWN_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

static bool refuse(void)
{
	return counting && ++allocations == fatal;
}

static void *counted(void *fresh)
{
	live += counting && fresh;
	return fresh;
}

void *malloc(size_t size)
{
	return refuse() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return refuse() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size)
{
	if (refuse())
		return NULL;
	return old ? __libc_realloc(old, size) : counted(__libc_realloc(NULL, size));
}

void free(void *old)
{
	live -= counting && old;
	__libc_free(old);
}
#endif

/* Each returns what its first failing call does, and frees all it made. */
typedef totum_status scenario(void);

static totum_status ring(enum tt_collective collective, int64_t n, struct tt_schedule **out)
{
	struct tt_schedule *schedule;
	totum_status status = tt_schedule_new(collective, n, 0, 2, &schedule);

	if (status)
		return status;
	/* Some of it in many records and out of order, so that arrays grow and are sorted. */
	for (int64_t round = n - 1; round-- > 0;)
		for (int piece = 0; piece < 2; piece++) {
			struct tt_record *record = tt_shift(schedule, round, 1, round, 1, 1);

			record->piece = piece;
			record->npieces = 1;
			record->reduce = tt_reduces(collective);
		}
	status = tt_schedule_seal(schedule);
	if (status)
		tt_schedule_free(schedule);
	else
		*out = schedule;
	return status;
}

static totum_status deriving(void)
{
	struct tt_schedule *gather = NULL, *scatter = NULL, *both = NULL;
	totum_status status = ring(TT_ALLGATHER, 24, &gather);

	if (!status)
		status = tt_derive_reverse(gather, &scatter);
	if (!status)
		status = tt_derive_compose(TT_ALLREDUCE, scatter, gather, &both);
	tt_schedule_free(gather);
	tt_schedule_free(scatter);
	tt_schedule_free(both);
	return status;
}

static totum_status parsing(void)
{
	static const char text[] = "schedule 1 allgather n=3 root=0 pieces=1 rounds=2 name=x\n"
				   "1: shift +1 first=1\n0: shift +1\nend\n";
	struct tt_schedule *schedule = NULL;
	totum_status status = tt_schedule_parse("test", text, sizeof(text) - 1, &schedule);

	tt_schedule_free(schedule);
	return status;
}

static totum_status lower_all(const struct tt_schedule *schedule, struct tt_program **programs)
{
	uint64_t offset[8], length[8];
	struct tt_layout layout = {schedule->nblocks, offset, length, 1};
	totum_status status = TOTUM_OK;

	for (uint64_t b = 0; b < 8; b++) {
		offset[b] = 100 * b;
		length[b] = 50; /* apart from each other, so that the ranges are many */
	}
	for (int64_t rank = 0; rank < schedule->nranks && !status; rank++)
		status = tt_program_lower(schedule, rank, &layout, &programs[rank]);
	return status;
}

static totum_status lowering(void)
{
	struct tt_program *programs[8] = {NULL};
	struct tt_schedule *schedule = NULL;
	totum_status status = ring(TT_ALLGATHER, 8, &schedule);

	if (!status)
		status = lower_all(schedule, programs);
	if (!status)
		status = tt_verify_deadlock((const struct tt_program *const *)programs, 8,
					    &(struct tt_running){0}, NULL);
	if (!status) { /* and one that stands still */
		status = tt_verify_deadlock((const struct tt_program *const *)programs, 8,
					    &(struct tt_running){.blocking = true}, NULL);
		status = status == TOTUM_EINVAL ? TOTUM_OK : status;
	}
	for (int i = 0; i < 8; i++)
		tt_program_free(programs[i]);
	tt_schedule_free(schedule);
	return status;
}

static totum_status verifying(enum tt_collective collective, enum tt_proof proof)
{
	struct tt_verify_report report;
	struct tt_schedule *schedule = NULL;
	totum_status status = ring(collective, 12, &schedule);

	if (!status &&
	    collective == TT_REDUCE_SCATTER) { /* the reverse of the ring, as ring() is none */
		struct tt_schedule *gather = NULL;

		tt_schedule_free(schedule);
		schedule = NULL;
		status = ring(TT_ALLGATHER, 12, &gather);
		if (!status)
			status = tt_derive_reverse(gather, &schedule);
		tt_schedule_free(gather);
	}
	if (!status)
		status = tt_verify(schedule, &(struct tt_verify_options){.proof = proof}, &report);
	tt_schedule_free(schedule);
	return status;
}

static totum_status verifying_movement(void)
{
	return verifying(TT_ALLGATHER, TT_PROOF_EXPLICIT);
}

static totum_status verifying_sums(void)
{
	return verifying(TT_REDUCE_SCATTER, TT_PROOF_EXPLICIT);
}

static totum_status verifying_by_reversal(void)
{
	return verifying(TT_REDUCE_SCATTER, TT_PROOF_REVERSAL);
}

static totum_status verifying_moves(void)
{
	struct tt_verify_report report;
	struct tt_schedule *schedule;
	totum_status status = tt_schedule_new(TT_BROADCAST, 20, 0, 1, &schedule);

	if (status)
		return status;
	for (int64_t r = 1; r < 20; r++)
		tt_move(schedule, 0, 0, r, 0, 20);
	status = tt_schedule_seal(schedule);
	if (!status)
		status = tt_verify(schedule, NULL, &report);
	tt_schedule_free(schedule);
	return status;
}

static totum_status verifying_swapped_sums(void)
{
	struct tt_verify_report report;
	struct tt_schedule *schedule;
	totum_status status = tt_schedule_new(TT_ALLREDUCE, 64, 0, 1, &schedule);

	if (status)
		return status;
	for (int64_t mask = 1, round = 0; mask < 64; mask *= 2)
		tt_exchange(schedule, round++, mask, 63)->reduce = true;
	status = tt_schedule_seal(schedule);
	if (!status)
		status = tt_verify(schedule, NULL, &report);
	tt_schedule_free(schedule);
	return status;
}

static void fail_each_allocation(scenario *run)
{
	for (fatal = 1;; fatal++) {
		live = 0;
		allocations = 0;
		counting = true;
		totum_status status = run();

		counting = false;
		if (live)
			fail_msg("%ld blocks leak when allocation %ld fails", live, fatal);
		if (allocations < fatal) {
			if (status)
				fail_msg("without a failure: %s", totum_errmsg());
			break;
		}
		/* A sort of the C library does without memory when there is none. */
		if (status != TOTUM_EMEMORY && status != TOTUM_OK)
			fail_msg("allocation %ld fails: %s", fatal, totum_errmsg());
	}
	assert_true(fatal > 5);
}

static void every_failed_allocation_is_survived(void **state)
{
	static scenario *const scenarios[] = {deriving,        parsing,
					      lowering,        verifying_movement,
					      verifying_sums,  verifying_by_reversal,
					      verifying_moves, verifying_swapped_sums};

	(void)state;
#ifndef OWN_MALLOC
	skip();
#endif
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		fail_each_allocation(scenarios[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_failed_allocation_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
