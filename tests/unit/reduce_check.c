/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pairs of dtype and op are refused, in a sentence with both and what there is instead. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/reduce.h"
#include "reduce_oracle.h"

static void test_all_pairs(void **state)
{
	(void)state;
	for (totum_dtype dtype = TOTUM_I8; dtype < TOTUM_DTYPES; dtype++)
		for (totum_op op = TOTUM_SUM; op < TOTUM_OPS; op++) {
			totum_status status = tt_reduce_check(dtype, op);

			if (status != (is_legal(dtype, op) ? TOTUM_OK : TOTUM_EUNSUPPORTED))
				fail_msg("%s %s gives %s", totum_dtype_name(dtype),
					 totum_op_name(op), totum_strerror(status));
			if (status == TOTUM_OK)
				continue;
			if (!strstr(totum_errmsg(), totum_dtype_name(dtype)) ||
			    !strstr(totum_errmsg(), totum_op_name(op)))
				fail_msg("the sentence does not name %s and %s: %s",
					 totum_dtype_name(dtype), totum_op_name(op),
					 totum_errmsg());
		}
}

static void test_sentences(void **state)
{
	(void)state;
	assert_int_equal(tt_reduce_check(TOTUM_F32, TOTUM_BAND), TOTUM_EUNSUPPORTED);
	assert_string_equal(totum_errmsg(),
			    "f32 cannot be reduced by band; f32 takes sum, prod, min, max, avg");
	assert_int_equal(tt_reduce_check(TOTUM_BOOL, TOTUM_AVG), TOTUM_EUNSUPPORTED);
	assert_string_equal(totum_errmsg(),
			    "bool cannot be reduced by avg; bool takes sum, prod, min, max, "
			    "band, bor, bxor, land, lor, lxor");
	assert_int_equal(tt_reduce_check(TOTUM_C64, TOTUM_SUM), TOTUM_EUNSUPPORTED);
	assert_string_equal(totum_errmsg(),
			    "c64 cannot be reduced by sum: c64 can only be moved; a sum of "
			    "complex numbers is one of twice as many f32 or f64");
	assert_int_equal(tt_reduce_check(TOTUM_F8E4M3, TOTUM_MAX), TOTUM_EUNSUPPORTED);
	assert_string_equal(totum_errmsg(),
			    "f8e4m3 cannot be reduced by max: f8e4m3 can only be moved; convert "
			    "it, to f16 for example");
}

static void test_values_outside_the_enums(void **state)
{
	static const int bad[] = {-1, TOTUM_DTYPES, 1000000, INT32_MIN};

	(void)state;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(tt_reduce_check((totum_dtype)bad[i], TOTUM_SUM), TOTUM_EINVAL);
		assert_non_null(strstr(totum_errmsg(),
				       "is no totum_dtype; use TOTUM_I8 (0) to TOTUM_C128 (16)"));
		assert_int_equal(tt_reduce_check(TOTUM_F32, (totum_op)bad[i]), TOTUM_EINVAL);
		assert_non_null(strstr(totum_errmsg(),
				       "is no totum_op; use TOTUM_SUM (0) to TOTUM_LXOR (10)"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_pairs),
		cmocka_unit_test(test_sentences),
		cmocka_unit_test(test_values_outside_the_enums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
