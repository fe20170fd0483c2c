/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks share a host: hosts by their lowest rank, arithmetic like tables, text and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "schedule/ir.h"
#include "schedule/placement.h"
#include "unit/random_placement.h"

/* All answers against what follows from host_of alone, rank by rank. */
static void check_tables(const struct tt_placement *placement, const int32_t *given,
			 const char *what)
{
	int64_t next = 0, sum = 0;

	for (int64_t rank = 0; rank < placement->nranks; rank++) {
		int64_t host = tt_placement_host(placement, rank), local = 0, lowest = rank;

		for (int64_t other = rank - 1; other >= 0; other--)
			if (given[other] == given[rank]) {
				local++;
				lowest = other;
			}
		if (lowest == rank && host != next++)
			fail_msg("%s: host %lld of rank %lld is not numbered by its lowest rank",
				 what, (long long)host, (long long)rank);
		if (host != tt_placement_host(placement, lowest) ||
		    local != tt_placement_local(placement, rank) ||
		    tt_placement_rank(placement, host, local) != rank)
			fail_msg("%s: rank %lld is on host %lld as local rank %lld", what,
				 (long long)rank, (long long)host,
				 (long long)tt_placement_local(placement, rank));
	}
	assert_int_equal(next, placement->nhosts);
	int64_t most = 0;

	for (int64_t host = 0; host < placement->nhosts; host++) {
		int64_t size = tt_placement_size(placement, host);

		assert_true(size > 0);
		sum += size;
		most = size > most ? size : most;
	}
	assert_int_equal(sum, placement->nranks);
	assert_int_equal(most, tt_placement_most(placement));
}

static void check_text(const struct tt_placement *placement)
{
	char text[2048], cut[8];
	struct tt_placement back;
	size_t length = tt_placement_write(placement, text, sizeof text);

	assert_int_equal(length, strlen(text));
	if (tt_placement_parse(text, &back) || !tt_placement_equal(placement, &back))
		fail_msg("'%s' reads as something else", text);
	assert_int_equal(tt_placement_write(placement, cut, sizeof cut), length);
	assert_memory_equal(cut, text, length < sizeof cut ? length + 1 : sizeof cut - 1);
	tt_placement_free(&back);
}

static void random_ones(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct random_placement random = random_placement(seed, 9, 7);
		struct tt_placement placement;
		char what[40];

		snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
		assert_int_equal(tt_placement_make(random.nranks, random.host_of, &placement),
				 TOTUM_OK);
		check_tables(&placement, random.host_of, what);
		check_text(&placement);
		tt_placement_free(&placement);
	}
}

static void packed_ones(void **state)
{
	int32_t host_of[40];

	(void)state;
	for (int64_t nranks = 1; nranks <= 40; nranks++)
		for (int64_t nhosts = 1; nhosts <= nranks; nhosts++) {
			struct tt_placement packed = tt_placement_packed(nranks, nhosts), table;
			char what[60];

			for (int64_t rank = 0; rank < nranks; rank++)
				host_of[rank] = (int32_t)tt_placement_host(&packed, rank);
			snprintf(what, sizeof what, "%lld ranks on %lld hosts", (long long)nranks,
				 (long long)nhosts);
			check_tables(&packed, host_of, what);
			check_text(&packed);
			for (int64_t host = 1; host < nhosts; host++)
				assert_in_range(tt_placement_size(&packed, host - 1) -
							tt_placement_size(&packed, host),
						0, 1);
			assert_int_equal(tt_placement_make(nranks, host_of, &table), TOTUM_OK);
			assert_true(tt_placement_equal(&packed, &table));
			tt_placement_free(&table);
			tt_placement_free(&packed);
		}
}

static void texts(void **state)
{
	static const struct {
		const char *text, *written;
		int64_t nranks, nhosts;
	} good[] = {
		{"2x4", "2x4", 8, 2},         {"1x1", "1x1", 1, 1},
		{"4", "1x4", 4, 1},           {"3+1+2", "3+1+2", 6, 3},
		{"2+2", "2x2", 4, 2},         {"0,1,0,1", "0,1,0,1", 4, 2},
		{"7,7,3,7", "0,0,1,0", 4, 2}, {"5,5,2,2,9", "2+2+1", 5, 3},
		{"1,0", "2x1", 2, 2},         {"16777216x1", "16777216x1", 1 << 24, 1 << 24},
	};
	static const char *const bad[] = {
		"",      "x",     "2x",        "x4",        "2x4x1",      "0x4",
		"2x0",   "3+",    "+3",        "3++1",      "0+1",        "0",
		"1,",    ",1",    "1,,2",      "-1,0",      " 1,0",       "1, 0",
		"0,1+1", "1x2,3", "16777217",  "5000x5000", "16777216+1", "99999999999999999999,1",
		"1.5+2", "a",     "0,16777217"};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct tt_placement placement;
		char out[64];

		if (tt_placement_parse(good[i].text, &placement))
			fail_msg("'%s': %s", good[i].text, totum_errmsg());
		tt_placement_write(&placement, out, sizeof out);
		assert_string_equal(out, good[i].written);
		assert_int_equal(placement.nranks, good[i].nranks);
		assert_int_equal(placement.nhosts, good[i].nhosts);
		tt_placement_free(&placement);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct tt_placement placement;

		if (tt_placement_parse(bad[i], &placement) != TOTUM_EPARSE)
			fail_msg("'%s' was read as a placement", bad[i]);
		assert_non_null(strstr(totum_errmsg(), "is no placement"));
	}
}

static void sizes(void **state)
{
	int32_t host_of[1] = {INT32_MIN};
	struct tt_placement placement;

	(void)state;
	assert_int_equal(tt_placement_make(0, host_of, &placement), TOTUM_EINVAL);
	assert_int_equal(tt_placement_make(TT_MAX_RANKS + 1, host_of, &placement), TOTUM_EINVAL);
	assert_int_equal(tt_placement_make(1, host_of, &placement), TOTUM_OK);
	assert_int_equal(tt_placement_host(&placement, 0), 0);
	tt_placement_free(&placement);
	tt_placement_free(&placement);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_ones),
		cmocka_unit_test(packed_ones),
		cmocka_unit_test(texts),
		cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
