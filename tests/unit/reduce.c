/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every dtype with every op it takes, at every vector width of this processor, against the oracle:
 * at all offsets and small counts between guard pages, in place, with many inputs, and as a part of
 * a larger vector.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "guarded.h"
#include "host/reduce.h"
#include "host/simd.h"
#include "reduce_oracle.h"

enum { MOST = 70, INPUTS = 40, LONGEST = 3000, OFFSETS = 64, POISON = 0xa5 };

static uint64_t random_bits(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Bits that tell errors apart: any, extremes and NaNs, small numbers that add up exactly, zeros. */
static uint64_t element(totum_dtype dtype, int input, size_t index)
{
	static const uint64_t f32s[] = {0x7f800000, 0xff800000, 0x7f800001, 0xffc12345, 0x80000000,
					0x00000001, 0x807fffff, 0x7f7fffff, 0x3f800001, 0x33800000};
	uint64_t random = random_bits(((uint64_t)dtype << 40) + ((uint64_t)input << 32) + index);
	uint64_t choice = random_bits(random) % 16, special = f32s[random % 10];
	size_t size = totum_dtype_size(dtype);

	if (choice < 5)
		return low_bits(random, size);
	if (choice == 5)
		return 0;
	if (!is_float(dtype))
		return low_bits(choice < 8 ? UINT64_C(1) << (8 * size - 1) : random % 5, size);
	if (choice < 8 && dtype == TOTUM_F64)
		return special << 32 | (special & 1);
	if (choice < 8)
		return dtype == TOTUM_F32 ? special : special >> 16 | (special & 1);
	return encode(((double)(random % 4096) - 2048) / 64, dtype);
}

/* INPUTS inputs of LONGEST elements each, as raw bits and as they lie in memory. */
struct inputs {
	uint64_t raw[INPUTS][LONGEST];
	unsigned char bytes[INPUTS][LONGEST * 8];
};

static struct inputs *inputs_new(totum_dtype dtype)
{
	struct inputs *in = malloc(sizeof *in);
	size_t size = totum_dtype_size(dtype);

	assert_non_null(in);
	for (int j = 0; j < INPUTS; j++)
		for (size_t i = 0; i < LONGEST; i++) {
			in->raw[j][i] = element(dtype, j, i);
			memcpy(in->bytes[j] + i * size, &in->raw[j][i], size);
		}
	return in;
}

static void expect(const struct inputs *in, int n, size_t count, totum_dtype dtype, totum_op op,
		   int divisor, unsigned char *out)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t place[INPUTS] = {0};

		for (int j = 0; j < n; j++)
			place[j] = in->raw[j][i];
		uint64_t result = oracle(place, n, dtype, op, divisor);
		memcpy(out + i * totum_dtype_size(dtype), &result, totum_dtype_size(dtype));
	}
}

/* Says which element is wrong. */
static void compare(const unsigned char *got, const unsigned char *want, size_t count,
		    totum_dtype dtype, totum_op op)
{
	size_t size = totum_dtype_size(dtype), i = 0;
	uint64_t a = 0, b = 0;

	if (count == 0 || memcmp(got, want, count * size) == 0)
		return;
	while (memcmp(got + i * size, want + i * size, size) == 0)
		i++;
	memcpy(&a, got + i * size, size);
	memcpy(&b, want + i * size, size);
	fail_msg("%s %s element %zu is %#llx, not %#llx: %s", totum_dtype_name(dtype),
		 totum_op_name(op), i, (unsigned long long)a, (unsigned long long)b, guarded_say());
}

static void expect_poison(const unsigned char *from, const unsigned char *to)
{
	for (; from < to; from++)
		if (*from != POISON)
			fail_msg("a byte outside the output was written: %s", guarded_say());
}

typedef void check_function(totum_dtype dtype, totum_op op, const struct inputs *in);

static void for_all_pairs(check_function *check)
{
	for (int dtype = 0; dtype <= TOTUM_BOOL; dtype++) {
		struct inputs *in = inputs_new((totum_dtype)dtype);

		for (int level = 0; level < TT_SIMD_LEVELS; level++)
			for (int op = 0; op < TOTUM_OPS; op++) {
				guarded_case.numbers[0] = level;
				guarded_case.numbers[1] = dtype;
				guarded_case.numbers[2] = op;
				if (is_legal((totum_dtype)dtype, (totum_op)op) &&
				    tt_simd_force((enum tt_simd)level))
					check((totum_dtype)dtype, (totum_op)op, in);
			}
		free(in);
	}
}

/* One area for the output and one for each of up to five inputs; and one for a long output. */
static struct guarded areas[6], long_area;

static void place(totum_dtype dtype, const struct inputs *in, int n, long offset,
		  const void *pointers[])
{
	for (int j = 0; j < n; j++) {
		unsigned char *at = areas[1 + j].start + (offset + 13 * j) % OFFSETS;

		memcpy(at, in->bytes[j], MOST * totum_dtype_size(dtype));
		pointers[j] = at;
	}
}

static void check_offset(totum_dtype dtype, totum_op op, const struct inputs *in, int n,
			 long offset, const unsigned char *want)
{
	unsigned char *out = areas[0].start + (offset * 5 + 7) % OFFSETS;
	const void *pointers[5];

	place(dtype, in, n, offset, pointers);
	for (size_t count = 0; count <= MOST; count++) {
		size_t bytes = count * totum_dtype_size(dtype);

		if (n != 2 && (count + (size_t)offset) % 5)
			continue;
		guarded_case.numbers[5] = (long)count;
		memset(areas[0].start, POISON, MOST * 8 + 2 * OFFSETS);
		tt_reduce(out, pointers, n, count, dtype, op);
		compare(out, want, count, dtype, op);
		expect_poison(areas[0].start, out);
		expect_poison(out + bytes, areas[0].start + MOST * 8 + 2 * OFFSETS);
	}
	for (int j = 0; j < n; j++)
		assert_memory_equal(pointers[j], in->bytes[j], MOST * totum_dtype_size(dtype));
}

static void check_offsets(totum_dtype dtype, totum_op op, const struct inputs *in)
{
	unsigned char want[MOST * 8];

	for (int n = 1; n <= 5; n++) {
		guarded_case.numbers[3] = n;
		expect(in, n, MOST, dtype, op, n, want);
		for (long offset = 0; offset < OFFSETS; offset++) {
			guarded_case.numbers[4] = offset;
			check_offset(dtype, op, in, n, offset, want);
		}
	}
}

static void test_offsets(void **state)
{
	(void)state;
	guarded_case.format = "level %ld dtype %ld op %ld n %ld offset %ld count %ld";
	for_all_pairs(check_offsets);
}

static void check_ends(totum_dtype dtype, totum_op op, const struct inputs *in)
{
	unsigned char want[MOST * 8];
	const void *pointers[5];

	for (int n = 1; n <= 5; n++) {
		expect(in, n, MOST, dtype, op, n, want);
		for (size_t count = 0; count <= MOST; count++) {
			size_t bytes = count * totum_dtype_size(dtype);
			unsigned char *out = areas[0].end - bytes;

			guarded_case.numbers[3] = n;
			guarded_case.numbers[4] = (long)count;
			for (int j = 0; j < n; j++)
				pointers[j] = memcpy(areas[1 + j].end - bytes, in->bytes[j], bytes);
			memset(out - OFFSETS, POISON, bytes + OFFSETS);
			tt_reduce(out, pointers, n, count, dtype, op);
			compare(out, want, count, dtype, op);
			expect_poison(out - OFFSETS, out);
		}
	}
}

static void test_ends_at_a_guard_page(void **state)
{
	(void)state;
	guarded_case.format =
		"level %ld dtype %ld op %ld n %ld count %ld, all ending at a guard page";
	for_all_pairs(check_ends);
}

static void check_in_place(totum_dtype dtype, totum_op op, const struct inputs *in)
{
	unsigned char want[MOST * 8];
	const void *pointers[5];

	for (int n = 1; n <= 5; n++) {
		expect(in, n, MOST, dtype, op, n, want);
		for (int own = 0; own < n; own++)
			for (size_t count = 0; count <= MOST; count++) {
				guarded_case.numbers[3] = n;
				guarded_case.numbers[4] = own;
				guarded_case.numbers[5] = (long)count;
				place(dtype, in, n, (long)count, pointers);
				unsigned char *out =
					areas[1 + own].start + ((long)count + 13 * own) % OFFSETS;
				tt_reduce(out, pointers, n, count, dtype, op);
				compare(out, want, count, dtype, op);
				size_t done = count * totum_dtype_size(dtype);
				assert_memory_equal(out + done, in->bytes[own] + done,
						    MOST * totum_dtype_size(dtype) - done);
			}
	}
}

static void test_in_place(void **state)
{
	(void)state;
	guarded_case.format = "level %ld dtype %ld op %ld n %ld in place of input %ld count %ld";
	for_all_pairs(check_in_place);
}

static void check_many(totum_dtype dtype, totum_op op, const struct inputs *in)
{
	static const int ns[] = {2, 8, 9, 33, INPUTS};
	static const size_t counts[] = {127, 256, 515, 2047, LONGEST};
	unsigned char *want = malloc(LONGEST * 8);
	const void *pointers[INPUTS];

	for (int k = 0; k < 5; k++) {
		for (int j = 0; j < ns[k]; j++)
			pointers[j] = in->bytes[j];
		expect(in, ns[k], LONGEST, dtype, op, ns[k], want);
		for (int c = 0; c < 5; c++) {
			guarded_case.numbers[3] = ns[k];
			unsigned char *out = long_area.end - counts[c] * totum_dtype_size(dtype);

			guarded_case.numbers[4] = (long)counts[c];
			tt_reduce(out, pointers, ns[k], counts[c], dtype, op);
			compare(out, want, counts[c], dtype, op);
		}
	}
	free(want);
}

static void test_many_inputs(void **state)
{
	(void)state;
	guarded_case.format = "level %ld dtype %ld op %ld n %ld count %ld";
	for_all_pairs(check_many);
}

/* A block of many inputs is written when all have been read, wherever the output's own one is. */
static void check_many_in_place(totum_dtype dtype, totum_op op, const struct inputs *in)
{
	static const int owns[] = {0, 1, 7, 8, 20, INPUTS - 1};
	size_t bytes = LONGEST * totum_dtype_size(dtype);
	unsigned char *want = malloc(bytes), *out = malloc(bytes);
	const void *pointers[INPUTS];

	expect(in, INPUTS, LONGEST, dtype, op, INPUTS, want);
	for (int k = 0; k < 6; k++) {
		guarded_case.numbers[3] = owns[k];
		for (int j = 0; j < INPUTS; j++)
			pointers[j] = in->bytes[j];
		pointers[owns[k]] = memcpy(out, in->bytes[owns[k]], bytes);
		tt_reduce(out, pointers, INPUTS, LONGEST, dtype, op);
		compare(out, want, LONGEST, dtype, op);
	}
	free(out);
	free(want);
}

static void test_many_inputs_in_place(void **state)
{
	(void)state;
	guarded_case.format = "level %ld dtype %ld op %ld in place of input %ld of 40";
	for_all_pairs(check_many_in_place);
}

/* The same bits alone and as a part of a larger vector. */
static void check_parts(totum_dtype dtype, totum_op op, const struct inputs *in)
{
	size_t size = totum_dtype_size(dtype);
	unsigned char *whole = malloc(LONGEST * size), part[300 * 8];
	const void *pointers[3] = {in->bytes[0], in->bytes[1], in->bytes[2]};

	tt_reduce(whole, pointers, 3, LONGEST, dtype, op);
	for (uint64_t k = 0; k < 200; k++) {
		size_t first = random_bits(k) % (LONGEST - 300), count = random_bits(~k) % 300;
		const void *inside[3];

		for (int j = 0; j < 3; j++)
			inside[j] = in->bytes[j] + first * size;
		guarded_case.numbers[3] = (long)first;
		guarded_case.numbers[4] = (long)count;
		tt_reduce(part, inside, 3, count, dtype, op);
		compare(part, whole + first * size, count, dtype, op);
	}
	free(whole);
}

static void test_part_of_a_larger_vector(void **state)
{
	(void)state;
	guarded_case.format = "level %ld dtype %ld op %ld elements %ld and %ld more";
	for_all_pairs(check_parts);
}

/* in op inout: the new one comes from the left; AVG is not divided until told. */
static void check_hops(totum_dtype dtype, totum_op op, const struct inputs *in)
{
	bool average = op == TOTUM_AVG;
	size_t size = totum_dtype_size(dtype);
	unsigned char inout[MOST * 8], want[MOST * 8];

	memcpy(inout, in->bytes[1], MOST * size);
	tt_reduce_pair(inout, in->bytes[0], MOST, dtype, op);
	expect(in, 2, MOST, dtype, average ? TOTUM_SUM : op, 2, want);
	compare(inout, want, MOST, dtype, op);
	if (!average)
		return;
	memcpy(inout, in->bytes[0], MOST * size);
	tt_reduce_divide(inout, MOST, dtype, 7);
	expect(in, 1, MOST, dtype, TOTUM_AVG, 7, want);
	compare(inout, want, MOST, dtype, op);
}

static void test_hops(void **state)
{
	(void)state;
	guarded_case.format = "level %ld dtype %ld op %ld, in pairs";
	for_all_pairs(check_hops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_ends_at_a_guard_page),
		cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_many_inputs),
		cmocka_unit_test(test_many_inputs_in_place),
		cmocka_unit_test(test_part_of_a_larger_vector),
		cmocka_unit_test(test_hops),
	};
	for (int i = 0; i < 6; i++)
		areas[i] = guarded_new(1);
	long_area = guarded_new(LONGEST * 8 / 4096 + 1);
	for (int level = 0; level < TT_SIMD_LEVELS; level++)
		if (!tt_simd_force((enum tt_simd)level))
			print_message(
				"vector level %d is not tested: this processor does not have it\n",
				level);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (int i = 0; i < 6; i++)
		guarded_free(areas[i]);
	guarded_free(long_area);
	return failed;
}
