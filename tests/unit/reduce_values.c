/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What reductions promise about the values that go wrong elsewhere, with results worked out by
 * hand: wrap-around, averages, rounding once, NaN, zeros, infinities, denormals, booleans.  At
 * every vector width, each element in every lane.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "host/reduce.h"
#include "host/simd.h"

enum { MOST_INPUTS = 9, COPIES = 37 };

struct promise {
	totum_dtype dtype;
	totum_op op;
	int n;
	uint64_t in[MOST_INPUTS], out; /* bits */
};

static void keep(const struct promise *promise, int level)
{
	size_t size = totum_dtype_size(promise->dtype);
	unsigned char in[MOST_INPUTS][COPIES * 8], out[COPIES * 8];
	const void *pointers[MOST_INPUTS];
	uint64_t got = 0;

	for (int j = 0; j < promise->n; j++) {
		pointers[j] = in[j];
		for (size_t i = 0; i < COPIES; i++)
			memcpy(in[j] + i * size, &promise->in[j], size);
	}
	tt_reduce(out, pointers, promise->n, COPIES, promise->dtype, promise->op);
	for (size_t i = 0; i < COPIES; i++) {
		memcpy(&got, out + i * size, size);
		if (got == promise->out)
			continue;
		fail_msg("%s of %d %s that begin %#llx %#llx is %#llx at %zu, not %#llx; level %d",
			 totum_op_name(promise->op), promise->n, totum_dtype_name(promise->dtype),
			 (unsigned long long)promise->in[0], (unsigned long long)promise->in[1],
			 (unsigned long long)got, i, (unsigned long long)promise->out, level);
	}
}

static void keep_all(const struct promise promises[], size_t n)
{
	for (int level = 0; level < TT_SIMD_LEVELS; level++)
		for (size_t i = 0; i < n && tt_simd_force((enum tt_simd)level); i++)
			keep(promises + i, level);
}

#define KEEP_ALL(promises) keep_all(promises, sizeof(promises) / sizeof *(promises))

static void test_integers_wrap(void **state)
{
	static const struct promise promises[] = {
		{TOTUM_U8, TOTUM_SUM, 2, {255, 254}, 253},
		{TOTUM_U8, TOTUM_SUM, 3, {255, 255, 255}, 253},
		{TOTUM_I8, TOTUM_SUM, 2, {0x7f, 1}, 0x80},
		{TOTUM_I8, TOTUM_PROD, 2, {0x80, 0xff}, 0x80},
		{TOTUM_U16, TOTUM_PROD, 2, {0x8001, 2}, 2},
		{TOTUM_I32, TOTUM_SUM, 2, {0x7fffffff, 1}, 0x80000000},
		{TOTUM_I32, TOTUM_PROD, 2, {0x80000000, 0xffffffff}, 0x80000000},
		{TOTUM_I64, TOTUM_SUM, 2, {INT64_MAX, 1}, UINT64_C(1) << 63},
		{TOTUM_I64, TOTUM_PROD, 2, {UINT64_C(1) << 63, UINT64_MAX}, UINT64_C(1) << 63},
		{TOTUM_I32, TOTUM_MIN, 2, {0x7fffffff, 0x80000000}, 0x80000000},
		{TOTUM_U32, TOTUM_MIN, 2, {0x7fffffff, 0x80000000}, 0x7fffffff},
		{TOTUM_I64, TOTUM_MAX, 2, {UINT64_C(1) << 63, 0}, 0},
		{TOTUM_U64, TOTUM_MAX, 2, {UINT64_C(1) << 63, 0}, UINT64_C(1) << 63},
	};

	(void)state;
	KEEP_ALL(promises);
}

static void test_averages(void **state)
{
	static const struct promise promises[] = {
		{TOTUM_I8, TOTUM_AVG, 2, {100, 100}, 100},
		{TOTUM_I8, TOTUM_AVG, 2, {0x80, 0x80}, 0x80},
		{TOTUM_I8, TOTUM_AVG, 2, {0xfd, 0xfc}, 0xfd}, /* -7/2 is -3 */
		{TOTUM_I8, TOTUM_AVG, 2, {3, 4}, 3},
		{TOTUM_I8, TOTUM_AVG, 3, {0xff, 0xff, 0}, 0}, /* -2/3 */
		{TOTUM_U8, TOTUM_AVG, 3, {255, 255, 254}, 254},
		{TOTUM_I16, TOTUM_AVG, 5, {0x8000, 0x8000, 0x8000, 0x8000, 0x8001}, 0x8001},
		{TOTUM_I32, TOTUM_AVG, 2, {0x7fffffff, 0x7fffffff}, 0x7fffffff},
		{TOTUM_U32, TOTUM_AVG, 2, {0xffffffff, 0xfffffffd}, 0xfffffffe},
		{TOTUM_I64, TOTUM_AVG, 2, {INT64_MAX, 1}, (uint64_t)(INT64_MIN / 2)}, /* wraps */
		{TOTUM_U64, TOTUM_AVG, 2, {UINT64_MAX, 3}, 1},                        /* wraps */
		{TOTUM_F32, TOTUM_AVG, 2, {0x3f800000, 0x40000000}, 0x3fc00000},
		{TOTUM_F32, TOTUM_AVG, 3, {0x3f800000, 0, 0}, 0x3eaaaaab}, /* 1/3 */
		{TOTUM_F64, TOTUM_AVG, 3, {0x3ff0000000000000, 0, 0}, 0x3fd5555555555555},
		{TOTUM_F16, TOTUM_AVG, 2, {0x7bff, 0x7bff}, 0x7bff}, /* the sum is no f16 */
		{TOTUM_BF16, TOTUM_AVG, 3, {0x3f80, 0, 0}, 0x3eab},
	};

	(void)state;
	KEEP_ALL(promises);
}

static void test_halves_round_once(void **state)
{
	static const struct promise promises[] = {
		{TOTUM_F16, TOTUM_SUM, 2, {0x7bff, 0x7bff}, 0x7c00}, /* 65504 twice: infinity */
		{TOTUM_F16, TOTUM_SUM, 2, {0xfbff, 0xfbff}, 0xfc00},
		{TOTUM_F16, TOTUM_SUM, 2, {0x7bff, 0x4b80}, 0x7bff}, /* 65504 + 15 */
		{TOTUM_F16, TOTUM_SUM, 2, {0x7bff, 0x4c00}, 0x7c00}, /* 65504 + 16, a tie to even */
		/* 65504 twice and back again: the sum in between is no f16 */
		{TOTUM_F16, TOTUM_SUM, 3, {0x7bff, 0x7bff, 0xfbff}, 0x7bff},
		/* 1 and seven times 2^-11, half a last place: 3.5 of them, a tie to even; singly
		   all would be lost */
		{TOTUM_F16,
		 TOTUM_SUM,
		 8,
		 {0x3c00, 0x1000, 0x1000, 0x1000, 0x1000, 0x1000, 0x1000, 0x1000},
		 0x3c04},
		/* the same with bf16: 2^-8 */
		{TOTUM_BF16,
		 TOTUM_SUM,
		 8,
		 {0x3f80, 0x3b80, 0x3b80, 0x3b80, 0x3b80, 0x3b80, 0x3b80, 0x3b80},
		 0x3f84},
		{TOTUM_BF16, TOTUM_SUM, 2, {0x3f80, 0x3b80}, 0x3f80}, /* ties to even */
		{TOTUM_BF16, TOTUM_SUM, 2, {0x3f81, 0x3b80}, 0x3f82},
		{TOTUM_BF16, TOTUM_SUM, 2, {0x7f7f, 0x7f7f}, 0x7f80},
		{TOTUM_BF16, TOTUM_SUM, 2, {0x7f7f, 0x7b00}, 0x7f80}, /* carries into infinity */
		{TOTUM_F16, TOTUM_SUM, 2, {0x0001, 0x0001}, 0x0002},  /* denormals */
		{TOTUM_F16, TOTUM_SUM, 2, {0x03ff, 0x0001}, 0x0400},
		{TOTUM_F16, TOTUM_SUM, 2, {0x0400, 0x8001}, 0x03ff},
		{TOTUM_F16,
		 TOTUM_PROD,
		 2,
		 {0x0001, 0x3800},
		 0x0000}, /* half the least: a tie to even */
		{TOTUM_F16, TOTUM_PROD, 2, {0x0003, 0x3800}, 0x0002},
		{TOTUM_F16, TOTUM_PROD, 2, {0x8001, 0x3800}, 0x8000},
		{TOTUM_F16, TOTUM_PROD, 2, {0x0001, 0x3801}, 0x0001},
		{TOTUM_BF16, TOTUM_SUM, 2, {0x0001, 0x0001}, 0x0002},
		{TOTUM_BF16, TOTUM_PROD, 2, {0x0001, 0x3f00}, 0x0000},
	};

	(void)state;
	KEEP_ALL(promises);
}

static void test_order_is_rank_order(void **state)
{
	static const struct promise promises[] = {
		{TOTUM_F32,
		 TOTUM_SUM,
		 3,
		 {0x4cbebc20, 0xccbebc20, 0x3f800000},
		 0x3f800000},                                                       /* 1e8 -1e8 1 */
		{TOTUM_F32, TOTUM_SUM, 3, {0x4cbebc20, 0x3f800000, 0xccbebc20}, 0}, /* 1e8 1 -1e8 */
		{TOTUM_F32,
		 TOTUM_SUM,
		 4,
		 {0x3f800000, 0x33800000, 0x33800000, 0x33800000},
		 0x3f800000},
		{TOTUM_F32,
		 TOTUM_SUM,
		 4,
		 {0x33800000, 0x33800000, 0x3f800000, 0x33800000},
		 0x3f800002},
		{TOTUM_F64,
		 TOTUM_SUM,
		 3,
		 {0x4340000000000000, 0x3ff0000000000000, 0xc340000000000000},
		 0},
		{TOTUM_F32,
		 TOTUM_PROD,
		 3,
		 {0x7f000000, 0x7f000000, 0},
		 0x7fc00000}, /* infinity times 0 */
		{TOTUM_F32, TOTUM_PROD, 3, {0x7f000000, 0, 0x7f000000}, 0},
	};

	(void)state;
	KEEP_ALL(promises);
}

static void test_nan_wins_and_is_one(void **state)
{
	static const struct promise promises[] = {
		{TOTUM_F32, TOTUM_SUM, 2, {0x3f800000, 0xffc12345}, 0x7fc00000},
		{TOTUM_F32, TOTUM_SUM, 2, {0x7f800001, 0xffc12345}, 0x7fc00000},
		{TOTUM_F32, TOTUM_SUM, 2, {0xffc12345, 0x7f800001}, 0x7fc00000},
		{TOTUM_F32, TOTUM_SUM, 2, {0x7f800000, 0xff800000}, 0x7fc00000}, /* inf - inf */
		{TOTUM_F32, TOTUM_SUM, 1, {0x7fffffff}, 0x7fc00000},
		{TOTUM_F32, TOTUM_MIN, 2, {0x7fc00001, 0xff800000}, 0x7fc00000},
		{TOTUM_F32, TOTUM_MIN, 2, {0xff800000, 0xffc00001}, 0x7fc00000},
		{TOTUM_F32, TOTUM_MIN, 3, {0x3f800000, 0x7f800001, 0xff800000}, 0x7fc00000},
		{TOTUM_F32, TOTUM_MAX, 2, {0xffffffff, 0x7f800000}, 0x7fc00000},
		{TOTUM_F32, TOTUM_MAX, 2, {0x7f800000, 0xff800001}, 0x7fc00000},
		{TOTUM_F64,
		 TOTUM_MIN,
		 2,
		 {0xfff0000000000000, 0xfff0000000000001},
		 0x7ff8000000000000},
		{TOTUM_F64,
		 TOTUM_MAX,
		 2,
		 {0xfff8000000000000, 0x7ff0000000000000},
		 0x7ff8000000000000},
		{TOTUM_F64,
		 TOTUM_SUM,
		 2,
		 {0x7ff0000000000000, 0xfff0000000000000},
		 0x7ff8000000000000},
		{TOTUM_F16, TOTUM_MIN, 2, {0xfc01, 0xfc00}, 0x7e00},
		{TOTUM_F16, TOTUM_MAX, 2, {0x7c00, 0xffff}, 0x7e00},
		{TOTUM_F16, TOTUM_SUM, 2, {0x7c01, 0x3c00}, 0x7e00},
		{TOTUM_F16, TOTUM_SUM, 2, {0x7c00, 0xfc00}, 0x7e00},
		{TOTUM_BF16, TOTUM_MIN, 2, {0xff81, 0xff80}, 0x7fc0},
		{TOTUM_BF16, TOTUM_MAX, 2, {0x7f80, 0xffff}, 0x7fc0},
		{TOTUM_BF16,
		 TOTUM_SUM,
		 2,
		 {0x7f81, 0xffff},
		 0x7fc0}, /* rounding must not carry it away */
		{TOTUM_BF16, TOTUM_AVG, 2, {0x7fff, 0x3f80}, 0x7fc0},
	};

	(void)state;
	KEEP_ALL(promises);
}

static void test_zeros_and_infinities(void **state)
{
	static const struct promise promises[] = {
		{TOTUM_F32, TOTUM_SUM, 2, {0x80000000, 0x80000000}, 0x80000000},
		{TOTUM_F32, TOTUM_SUM, 2, {0x80000000, 0}, 0},
		{TOTUM_F32, TOTUM_SUM, 1, {0x80000000}, 0x80000000},
		{TOTUM_F32, TOTUM_MIN, 2, {0x80000000, 0}, 0x80000000},
		{TOTUM_F32, TOTUM_MIN, 2, {0, 0x80000000}, 0x80000000},
		{TOTUM_F32, TOTUM_MAX, 2, {0x80000000, 0}, 0},
		{TOTUM_F64, TOTUM_MIN, 2, {0, 0x8000000000000000}, 0x8000000000000000},
		{TOTUM_F16, TOTUM_MAX, 2, {0x8000, 0}, 0},
		{TOTUM_BF16, TOTUM_MIN, 2, {0, 0x8000}, 0x8000},
		{TOTUM_F16, TOTUM_SUM, 2, {0x8000, 0x8000}, 0x8000},
		{TOTUM_F32, TOTUM_MAX, 2, {0xff800000, 0xff7fffff}, 0xff7fffff},
		{TOTUM_F32, TOTUM_MIN, 2, {0xff800000, 0xff7fffff}, 0xff800000},
		{TOTUM_F32, TOTUM_SUM, 2, {0x7f7fffff, 0x7f7fffff}, 0x7f800000},
		{TOTUM_F32, TOTUM_SUM, 2, {0x00000001, 0x00000001}, 0x00000002}, /* denormals */
		{TOTUM_F32, TOTUM_MIN, 2, {0x00000001, 0x80000001}, 0x80000001},
		{TOTUM_F16, TOTUM_MAX, 2, {0xfc00, 0xfbff}, 0xfbff},
	};

	(void)state;
	KEEP_ALL(promises);
}

static void test_truth(void **state)
{
	static const struct promise promises[] = {
		{TOTUM_BOOL, TOTUM_SUM, 2, {1, 1}, 1},
		{TOTUM_BOOL, TOTUM_SUM, 2, {2, 255}, 1},
		{TOTUM_BOOL, TOTUM_SUM, 1, {7}, 1},
		{TOTUM_BOOL, TOTUM_PROD, 2, {2, 4}, 1},
		{TOTUM_BOOL, TOTUM_MIN, 2, {2, 0}, 0},
		{TOTUM_BOOL, TOTUM_MAX, 2, {0, 128}, 1},
		{TOTUM_BOOL, TOTUM_BAND, 2, {2, 4}, 1},
		{TOTUM_BOOL, TOTUM_BXOR, 2, {2, 4}, 0},
		{TOTUM_BOOL, TOTUM_BXOR, 3, {2, 4, 8}, 1},
		{TOTUM_I32, TOTUM_BAND, 2, {2, 4}, 0},
		{TOTUM_I32, TOTUM_LAND, 2, {2, 4}, 1},
		{TOTUM_I32, TOTUM_LAND, 1, {0x80000000}, 1},
		{TOTUM_U64, TOTUM_LOR, 2, {0, UINT64_C(1) << 40}, 1},
		{TOTUM_I16, TOTUM_LXOR, 3, {2, 4, 0x8000}, 1},
		{TOTUM_U8, TOTUM_LXOR, 2, {2, 4}, 0},
		{TOTUM_U8, TOTUM_BXOR, 2, {2, 4}, 6},
	};

	(void)state;
	KEEP_ALL(promises);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers_wrap),
		cmocka_unit_test(test_averages),
		cmocka_unit_test(test_halves_round_once),
		cmocka_unit_test(test_order_is_rank_order),
		cmocka_unit_test(test_nan_wins_and_is_one),
		cmocka_unit_test(test_zeros_and_infinities),
		cmocka_unit_test(test_truth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
