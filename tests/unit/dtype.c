/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and names of dtypes and ops, there and back, and what is said to names that are none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "totum.h"

static const struct {
	totum_dtype dtype;
	const char *name;
	size_t size;
} dtypes[TOTUM_DTYPES] = {
	{TOTUM_I8, "i8", 1},     {TOTUM_I16, "i16", 2},       {TOTUM_I32, "i32", 4},
	{TOTUM_I64, "i64", 8},   {TOTUM_U8, "u8", 1},         {TOTUM_U16, "u16", 2},
	{TOTUM_U32, "u32", 4},   {TOTUM_U64, "u64", 8},       {TOTUM_F16, "f16", 2},
	{TOTUM_BF16, "bf16", 2}, {TOTUM_F32, "f32", 4},       {TOTUM_F64, "f64", 8},
	{TOTUM_BOOL, "bool", 1}, {TOTUM_F8E4M3, "f8e4m3", 1}, {TOTUM_F8E5M2, "f8e5m2", 1},
	{TOTUM_C64, "c64", 8},   {TOTUM_C128, "c128", 16},
};

static const char *const ops[TOTUM_OPS] = {"sum", "prod", "min",  "max", "avg", "band",
					   "bor", "bxor", "land", "lor", "lxor"};

static void test_dtypes(void **state)
{
	(void)state;
	for (int i = 0; i < TOTUM_DTYPES; i++) {
		totum_dtype back = TOTUM_DTYPES;

		assert_int_equal(totum_dtype_size(dtypes[i].dtype), dtypes[i].size);
		assert_string_equal(totum_dtype_name(dtypes[i].dtype), dtypes[i].name);
		assert_int_equal(totum_dtype_parse(dtypes[i].name, &back), TOTUM_OK);
		assert_int_equal(back, dtypes[i].dtype);
	}
}

static void test_ops(void **state)
{
	(void)state;
	for (int i = 0; i < TOTUM_OPS; i++) {
		totum_op back = TOTUM_OPS;

		assert_string_equal(totum_op_name((totum_op)i), ops[i]);
		assert_int_equal(totum_op_parse(ops[i], &back), TOTUM_OK);
		assert_int_equal(back, i);
	}
}

static void test_values_outside_the_enums(void **state)
{
	static const int bad[] = {-1, TOTUM_DTYPES, 1000000, INT32_MIN, INT32_MAX};

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(totum_dtype_size((totum_dtype)bad[i]), 0);
		assert_null(totum_dtype_name((totum_dtype)bad[i]));
		assert_null(totum_op_name((totum_op)bad[i]));
	}
	assert_null(totum_op_name(TOTUM_OPS));
}

static void refuse_dtype(const char *name, const char *sentence)
{
	totum_dtype dtype = TOTUM_C64;

	assert_int_equal(totum_dtype_parse(name, &dtype), TOTUM_EINVAL);
	assert_int_equal(dtype, TOTUM_C64);
	assert_string_equal(totum_errmsg(), sentence);
}

static void refuse_op(const char *name, const char *sentence)
{
	totum_op op = TOTUM_LOR;

	assert_int_equal(totum_op_parse(name, &op), TOTUM_EINVAL);
	assert_int_equal(op, TOTUM_LOR);
	assert_string_equal(totum_errmsg(), sentence);
}

#define THERE_ARE                                                                                  \
	"there are i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, bool, f8e4m3, "      \
	"f8e5m2, c64, c128"

static void test_names_that_are_none(void **state)
{
	(void)state;
	refuse_dtype("double", "\"double\" is no dtype; " THERE_ARE);
	refuse_dtype("", "\"\" is no dtype; " THERE_ARE);
	refuse_dtype("f32 ", "\"f32 \" is no dtype; did you mean f32? " THERE_ARE);
	refuse_dtype("BF16", "\"BF16\" is no dtype; did you mean bf16? " THERE_ARE);
	refuse_dtype("f8e4m4", "\"f8e4m4\" is no dtype; did you mean f8e4m3? " THERE_ARE);
	refuse_dtype(NULL, "the name of the dtype is NULL; give one such as \"i8\"");
	refuse_op("summ", "\"summ\" is no op; did you mean sum? there are sum, prod, min, max, "
			  "avg, band, bor, "
			  "bxor, land, lor, lxor");
	refuse_op(NULL, "the name of the op is NULL; give one such as \"sum\"");
}

/* A name of any length is quoted in part and overruns nothing. */
static void test_long_names(void **state)
{
	char name[5000];
	totum_dtype dtype;

	(void)state;
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = 0;
	assert_int_equal(totum_dtype_parse(name, &dtype), TOTUM_EINVAL);
	assert_non_null(strstr(totum_errmsg(), "xxx\" is no dtype; there are i8"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dtypes),
		cmocka_unit_test(test_ops),
		cmocka_unit_test(test_values_outside_the_enums),
		cmocka_unit_test(test_names_that_are_none),
		cmocka_unit_test(test_long_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
