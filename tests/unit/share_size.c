/* SPDX-License-Identifier: BSD-3-Clause */
/* The preloaded allocator, which knows nothing of the library, reads sizes as the library does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "../../bindings/malloc/size.h"
#include "base/units.h"

static void as_the_library(void **state)
{
	static const char *const numbers[] = {"",
					      "0",
					      "1",
					      "64",
					      "007",
					      "4096",
					      "1e3",
					      "-1",
					      "+1",
					      "0x10",
					      "16383P",
					      "17179869184",
					      "18446744073709551615",
					      "18446744073709551616",
					      "x"};
	static const char *const units[] = {"",   "B",  "K",   "KB",  "KiB", "KiBB", "Ki", "i",
					    "iB", "kB", "M",   "GB",  "TiB", "P",    " K", "K ",
					    "KK", "BB", "BiB", "KBB", "1",   "K1",   ".5K"};
	int accepted = 0;

	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		for (size_t j = 0; j < sizeof units / sizeof *units; j++) {
			char text[64];
			size_t mine = 12345;
			uint64_t theirs = 12345;
			snprintf(text, sizeof text, "%s%s", numbers[i], units[j]);
			bool right = size_parse(text, &mine);
			if (right != !tt_parse_bytes(text, &theirs) || mine != theirs)
				fail_msg("\"%s\" is %zu here and %llu there", text, mine,
					 (unsigned long long)theirs);
			accepted += right;
		}
	assert_true(accepted > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_library)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
