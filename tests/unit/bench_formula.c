/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The benchmark's sizes and bandwidths: factors by hand for 1, 2 and 4 ranks, counts that fit the
 * bytes, offsets as the header has them for calls in place, and the same reductions refused as by
 * the library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "../../cli/bench_formula.c"

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) < 1))
		fail_msg("%g instead of %g", got, want);
}

static void factors(void **state)
{
	static const struct {
		const char *name;
		double one, two, four;
	} rows[] = {
		{"allgather", 0, 0.5, 0.75}, {"reduce_scatter", 0, 0.5, 0.75},
		{"allreduce", 0, 1, 1.5},    {"alltoall", 0, 0.5, 0.75},
		{"gather", 0, 0.5, 0.75},    {"scatter", 0, 0.5, 0.75},
		{"broadcast", 1, 1, 1},      {"reduce", 1, 1, 1},
		{"barrier", 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct bench_formula *formula = bench_formula_find(rows[i].name);

		assert_non_null(formula);
		print_message("%s\n", rows[i].name);
		assert_near(bench_busbw(formula, 8000, 2e-6, 1), rows[i].one * 4e9);
		assert_near(bench_busbw(formula, 8000, 2e-6, 2), rows[i].two * 4e9);
		assert_near(bench_busbw(formula, 8000, 2e-6, 4), rows[i].four * 4e9);
		assert_true(bench_busbw(formula, 8000, 0, 1) == 0);
		assert_true(bench_busbw(formula, 0, 0, 4) == 0);
	}
	assert_near(bench_algbw(8000, 2e-6), 4e9);
	assert_true(bench_algbw(0, 1) == 0);
	assert_null(bench_formula_find("allgathe"));
	assert_null(bench_formula_find(""));
}

static void count_is_right(const struct bench_formula *formula, uint64_t bytes, size_t element,
			   int n)
{
	size_t count = bench_count(formula, bytes, element, n);
	uint64_t total = bench_total(formula, count, element, n);
	uint64_t more = bench_total(formula, count + 1, element, n);
	bool right = count >= 1 && (total <= bytes || count == 1) && more > bytes;

	if (bench_moves_nothing(formula) || !bytes)
		right = count == 0 && total == 0;
	if (!right)
		fail_msg("%s n=%d bytes=%llu element=%zu: count %zu", formula->name, n,
			 (unsigned long long)bytes, element, count);
}

static void counts(void **state)
{
	static const uint64_t sizes[] = {
		0, 1, 7, 64, 1000003, UINT64_C(5) << 32, UINT64_C(1) << 42};
	const struct bench_formula *allgather = bench_formula_find("allgather");

	(void)state;
	for (const struct bench_formula *formula = bench_formulas; formula->name; formula++)
		for (int n = 1; n <= 9; n++)
			for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
				for (size_t element = 1; element <= 16; element *= 2)
					count_is_right(formula, sizes[s], element, n);
	assert_int_equal(bench_count(allgather, 32, 4, 4), 2);
	assert_int_equal(bench_share(allgather, 2, 4), 8);
	assert_int_equal(bench_total(allgather, 2, 4, 4), 32);
}

static void buffers(void **state)
{
	static const struct {
		const char *name;
		/* of 3 ranks, count 10, rank 2 */
		size_t sends, receives, root_sends, root_receives, send_at, recv_at;
	} rows[] = {
		{"allgather", 10, 30, 10, 30, 20, 0}, {"reduce_scatter", 30, 10, 30, 10, 0, 20},
		{"allreduce", 10, 10, 10, 10, 0, 0},  {"alltoall", 30, 30, 30, 30, 0, 0},
		{"broadcast", 0, 10, 10, 10, 0, 0},   {"reduce", 10, 0, 10, 10, 0, 0},
		{"gather", 10, 0, 10, 30, 20, 0},     {"scatter", 0, 10, 30, 10, 0, 20},
		{"barrier", 0, 0, 0, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct bench_formula *formula = bench_formula_find(rows[i].name);

		print_message("%s\n", rows[i].name);
		assert_int_equal(bench_elements(formula->send, 10, 3, false), rows[i].sends);
		assert_int_equal(bench_elements(formula->recv, 10, 3, false), rows[i].receives);
		assert_int_equal(bench_elements(formula->send, 10, 3, true), rows[i].root_sends);
		assert_int_equal(bench_elements(formula->recv, 10, 3, true), rows[i].root_receives);
		assert_int_equal(bench_send_offset(formula, 10, 2), rows[i].send_at);
		assert_int_equal(bench_recv_offset(formula, 10, 2), rows[i].recv_at);
	}
	assert_null(bench_formulas[sizeof rows / sizeof *rows].name);
}

/* A pair is refused here exactly when the library refuses it. */
static void reductions(void **state)
{
	totum_comm *comm;
	uint64_t in[2] = {0}, out[2];

	(void)state;
	assert_int_equal(totum_init_threads(1, &comm), TOTUM_OK);
	for (totum_dtype dtype = 0; dtype < TOTUM_DTYPES; dtype++)
		for (totum_op op = 0; op < TOTUM_OPS; op++) {
			totum_status status = totum_allreduce(in, out, 1, dtype, op, comm);

			if ((status == TOTUM_OK) != bench_reducible(dtype, op))
				fail_msg("%s of %s: the library says %s", totum_op_name(op),
					 totum_dtype_name(dtype), totum_strerror(status));
		}
	totum_comm_free(comm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(factors),
		cmocka_unit_test(counts),
		cmocka_unit_test(buffers),
		cmocka_unit_test(reductions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
