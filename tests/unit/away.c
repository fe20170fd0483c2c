/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies that go one way: every one of a few thousand in a row is right, whatever its length and
 * whether copies are found slow or not, while the ways of copying change.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "host/away.h"

enum { COPIES = 5000, LONGEST = 3 * 4096, AROUND = 64, POISON = 0xa5 };

static unsigned char from[LONGEST], to[LONGEST + 2 * AROUND];

static void every_copy_is_right(void **state)
{
	struct tt_away away = {0};
	bool streamed = false;

	(void)state;
	for (int i = 0; i < COPIES; i++) {
		size_t bytes = (size_t)(i * 977 % (LONGEST + 1));
		size_t shift = (size_t)(i * 29 % AROUND);

		if (i % 700 == 0) /* as if the two copies timed last had been fast, or slow */
			away.streams = away.slow = i / 700 % 2;
		streamed |= away.streams;
		memset(from, i, sizeof from);
		memset(to, POISON, sizeof to);
		from[bytes / 2] ^= 0xff;
		tt_copy_away(&away, to + shift, from, bytes);
		if (memcmp(to + shift, from, bytes))
			fail_msg("copy %d, of %zu bytes, differs", i, bytes);
		if ((shift && to[shift - 1] != POISON) || to[shift + bytes] != POISON)
			fail_msg("copy %d, of %zu bytes, wrote beside its end", i, bytes);
	}
	assert_true(streamed);
	assert_true(away.turns > 2048);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_copy_is_right)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
