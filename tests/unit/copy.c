/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The copies, at every vector width: every size around the vectors and lines, every alignment of
 * both sides, between guard pages, and not a byte more.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>

#include "guarded.h"
#include "host/copy.h"
#include "host/simd.h"

enum { LONGEST = 400, OFFSETS = 64, POISON = 0xa5, PAGES = 6 };

static struct guarded source, sink;

static void copy_streaming_if_large(void *dst, const void *src, size_t bytes)
{
	tt_copy_best(dst, src, bytes, true);
}

static void copy_that_fits(void *dst, const void *src, size_t bytes)
{
	tt_copy_best(dst, src, bytes, false);
}

typedef void copy_function(void *dst, const void *src, size_t bytes);
static copy_function *const copies[] = {tt_copy, tt_copy_streaming, copy_streaming_if_large,
					copy_that_fits};
enum { COPIES = sizeof copies / sizeof *copies };

/* dst has `before` and `after` bytes of the sink around it that must not change. */
static void check(long which, unsigned char *dst, const unsigned char *src, size_t bytes,
		  size_t before, size_t after)
{
	memset(dst - before, POISON, before + bytes + after);
	copies[which](dst, src, bytes);
	if (memcmp(dst, src, bytes))
		fail_msg("the copy differs: %s", guarded_say());
	for (size_t i = 0; i < before; i++)
		if (dst[-1 - (long)i] != POISON)
			fail_msg("a byte before the copy was written: %s", guarded_say());
	for (size_t i = 0; i < after; i++)
		if (dst[bytes + i] != POISON)
			fail_msg("a byte after the copy was written: %s", guarded_say());
}

static void check_copy(long which, long level)
{
	for (long offset = 0; offset < OFFSETS; offset++)
		for (size_t bytes = 0; bytes <= LONGEST; bytes++) {
			long src = (offset * 29 + (long)bytes) % OFFSETS;

			guarded_case.numbers[0] = which;
			guarded_case.numbers[1] = level;
			guarded_case.numbers[2] = (long)bytes;
			guarded_case.numbers[3] = offset;
			guarded_case.numbers[4] = src;
			check(which, sink.start + offset, source.start + src, bytes, (size_t)offset,
			      2 * OFFSETS);
			check(which, sink.end - bytes, source.end - bytes, bytes, 2 * OFFSETS, 0);
		}
	/* Sizes where tt_copy, and then tt_copy_best, change their minds. */
	for (size_t bytes = TT_COPY_LONG - 41; bytes < 4300; bytes += 7) {
		guarded_case.numbers[2] = (long)bytes;
		check(which, sink.start + bytes % OFFSETS, source.start + bytes % 61, bytes,
		      bytes % OFFSETS, OFFSETS);
		check(which, sink.end - bytes, source.end - bytes, bytes, OFFSETS, 0);
	}
}

static void test_all_sizes_and_alignments(void **state)
{
	(void)state;
	guarded_case.format = "copy %ld level %ld bytes %ld to offset %ld from offset %ld, or both "
			      "ending at a guard page";
	for (int level = 0; level < TT_SIMD_LEVELS; level++)
		for (long which = 0; which < COPIES && tt_simd_force((enum tt_simd)level); which++)
			check_copy(which, level);
}

static void test_nothing_from_nowhere(void **state)
{
	(void)state;
	for (int which = 0; which < COPIES; which++)
		copies[which](NULL, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_sizes_and_alignments),
		cmocka_unit_test(test_nothing_from_nowhere),
	};
	source = guarded_new(PAGES);
	sink = guarded_new(PAGES);
	for (unsigned char *p = source.start; p < source.end; p++)
		*p = (unsigned char)((p - source.start) * 167 >> 3);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	guarded_free(source);
	guarded_free(sink);
	return failed;
}
