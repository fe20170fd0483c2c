/* SPDX-License-Identifier: BSD-3-Clause */
/* The guess at what a mistyped word was meant to be. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/nearest.h"

static const char *const names[] = {"ring",    "bidirectional_ring", "bruck", NULL,
				    "sparbit", "recursive_doubling", "n",     "direct"};
enum { NAMES = sizeof names / sizeof *names };

static void expect(const char *word, const char *name)
{
	const char *guess = tt_nearest(word, names, NAMES);

	if (!name && guess)
		fail_msg("'%s' was taken for '%s'", word, guess);
	if (name && (!guess || strcmp(guess, name)))
		fail_msg("'%s' was taken for '%s', not for '%s'", word, guess ? guess : "nothing",
			 name);
}

static void test_slips(void **state)
{
	(void)state;
	expect("ring", "ring");
	expect("rnig", "ring");
	expect("rin", "ring");
	expect("RING", "ring");
	expect("brucks", "bruck");
	expect("bruk", "bruck");
	expect("spabrit", "sparbit");
	expect("recursive-doubling", "recursive_doubling");
	expect("recursivedoublign", "recursive_doubling");
	expect("bidir", "bidirectional_ring");
}

static void test_strangers(void **state)
{
	char endless[400];

	(void)state;
	memset(endless, 'r', sizeof endless - 1);
	endless[sizeof endless - 1] = '\0';
	expect("", NULL);
	expect("x", NULL);
	expect("hypercube", NULL);
	expect("\xff\xfe\xfd", NULL);
	expect(endless, NULL);
	assert_null(tt_nearest("ring", names, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slips),
		cmocka_unit_test(test_strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
