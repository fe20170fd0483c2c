/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with units: what is read, what is refused and with which sentence, and the way back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "base/units.h"

static void refused(totum_status status, const char *text, const char *what)
{
	if (status != TOTUM_EPARSE)
		fail_msg("'%s' was taken for %s: status %d", text, what, status);
	if (!strstr(totum_errmsg(), text))
		fail_msg("the sentence does not quote '%s': %s", text, totum_errmsg());
	if (errno)
		fail_msg("'%s' left errno at %d", text, errno);
}

static void test_int(void **state)
{
	static const char *const bad[] = {"",
					  " ",
					  "x",
					  "4x",
					  "+4",
					  "-1",
					  "--1",
					  "- 1",
					  " 4",
					  "4 ",
					  "0x10",
					  "1e3",
					  "4.0",
					  "nan",
					  "inf",
					  "257",
					  "-",
					  "1,000",
					  "\n4",
					  "4\n",
					  "99999999999999999999",
					  "9223372036854775808"};
	int64_t value = 77;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refused(tt_parse_int(bad[i], 0, 256, &value), bad[i], "an integer");
	refused(tt_parse_int("-257", -256, 256, &value), "-257", "an integer");
	refused(tt_parse_int("-9223372036854775809", INT64_MIN, INT64_MAX, &value),
		"-9223372036854775809", "an integer");
	assert_int_equal(value, 77);
	errno = ERANGE;
	assert_int_equal(tt_parse_int("256", 0, 256, &value), TOTUM_OK);
	assert_int_equal(value, 256);
	assert_int_equal(tt_parse_int("007", 0, 256, &value), TOTUM_OK);
	assert_int_equal(value, 7);
	assert_int_equal(tt_parse_int("-256", -256, 256, &value), TOTUM_OK);
	assert_int_equal(value, -256);
	assert_int_equal(tt_parse_int("9223372036854775807", 0, INT64_MAX, &value), TOTUM_OK);
	assert_true(value == INT64_MAX);
	assert_int_equal(tt_parse_int("-9223372036854775808", INT64_MIN, 0, &value), TOTUM_OK);
	assert_true(value == INT64_MIN);
}

static void test_bytes(void **state)
{
	static const char *const bad[] = {"",          " ",
					  "K",         "4Kx",
					  "-1",        "+1",
					  "1.5K",      "4k",
					  "4 K",       "4iB",
					  "4KIB",      "4KiBB",
					  "4BB",       "1e3",
					  "0x10",      "nan",
					  "4P",        "4KB ",
					  " 4",        "inf",
					  "4Ki",       "18446744073709551616",
					  "16777216T", "18014398509481984K",
					  "4K\n"};
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{"0", 0},
		{"64", 64},
		{"64B", 64},
		{"64K", 65536},
		{"64KB", 65536},
		{"64KiB", 65536},
		{"3M", 3u << 20},
		{"2G", 2ull << 30},
		{"5TiB", 5ull << 40},
		{"0T", 0},
		{"16777215T", 16777215ull << 40},
		{"18446744073709551615", UINT64_MAX},
	};
	uint64_t value = 77;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refused(tt_parse_bytes(bad[i], &value), bad[i], "a size");
	assert_true(value == 77);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		if (tt_parse_bytes(good[i].text, &value) || value != good[i].value)
			fail_msg("'%s' was read as %llu", good[i].text, (unsigned long long)value);
	}
}

static void test_bytes_round_trip(void **state)
{
	char text[TT_UNITS_TEXT];
	uint64_t back;

	(void)state;
	assert_string_equal(tt_format_bytes(65536, text), "64K");
	assert_string_equal(tt_format_bytes(1000003, text), "1000003");
	assert_string_equal(tt_format_bytes(0, text), "0");
	assert_string_equal(tt_format_bytes(1ull << 40, text), "1T");
	assert_string_equal(tt_format_bytes(1ull << 50, text), "1024T");
	assert_string_equal(tt_format_bytes(UINT64_MAX, text), "18446744073709551615");
	for (int shift = 0; shift < 64; shift++)
		for (int near = -1; near <= 1; near++) {
			uint64_t bytes = ((uint64_t)1 << shift) + (uint64_t)near;

			tt_format_bytes(bytes, text);
			if (tt_parse_bytes(text, &back) || back != bytes)
				fail_msg("%llu became '%s'", (unsigned long long)bytes, text);
		}
}

static void test_seconds(void **state)
{
	static const char *const bad[] = {
		"",       " ",       "s",      "1",   "1x",  "-1s", "+1s", "1 s",   "nan",
		"nans",   "inf",     "inf",    "1e",  "1es", "1.s", ".5s", "1,5us", "1e400s",
		"1e308h", "1e-400s", "0x1p3s", "1US", "1s ", "1ss", "0x",  "00x",   "1e+s"};
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{"0", 0},          {"0s", 0},       {"0.0", 0},          {"1.5us", 1.5e-6},
		{"30s", 30},       {"2m", 120},     {"1h", 3600},        {"7ns", 7e-9},
		{"2.5ms", 2.5e-3}, {"1e-6s", 1e-6}, {"1.5e3us", 1.5e-3}, {"2E0s", 2},
	};
	double value = 77;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refused(tt_parse_seconds(bad[i], &value), bad[i], "a time");
	assert_true(value == 77);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		if (tt_parse_seconds(good[i].text, &value) || value != good[i].value)
			fail_msg("'%s' was read as %.17g", good[i].text, value);
	}
}

static void test_rate(void **state)
{
	static const char *const bad[] = {"",       "0",      "10",     "10G",      "10GB",
					  "-1B/s",  "1 GB/s", "1gb/s",  "1e400B/s", "1e300TB/s",
					  "nanB/s", "GB/s",   "1KiB/s", "1Kbit/s",  "1GB/sx"};
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{"10GB/s", 1e10},   {"1.5KB/s", 1500},     {"3B/s", 3},      {"2TB/s", 2e12},
		{"8bit/s", 1},      {"100Gbit/s", 12.5e9}, {"1kbit/s", 125}, {"16Mbit/s", 2e6},
		{"1Tbit/s", 125e9}, {"0B/s", 0},           {"7MB/s", 7e6},
	};
	double value = 77;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refused(tt_parse_rate(bad[i], &value), bad[i], "a rate");
	assert_true(value == 77);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		if (tt_parse_rate(good[i].text, &value) || value != good[i].value)
			fail_msg("'%s' was read as %.17g", good[i].text, value);
	}
}

static void test_format(void **state)
{
	static const struct {
		double seconds;
		int digits;
		const char *text;
	} times[] = {
		{741.0032e-6, 7, "741.0032us"},
		{105.8576e-6, 7, "105.8576us"},
		{0, 3, "0s"},
		{1e-6, 3, "1.00us"},
		{30, 3, "30.0s"},
		{3600, 3, "3600s"},
		{999.6e-6, 3, "1.00ms"},
		{999.4e-6, 3, "999us"},
		{0.5e-9, 3, "0.500ns"},
		{2205.0096e-6, 8, "2.2050096ms"},
		{1.5e-3, 0, "1.50ms"},
		{12e-3, 99, "12.000000000000000ms"},
		{-2e-3, 3, "-2.00ms"},
		{1e-30, 3, "1e-21ns"},
		{1e30, 3, "1e+30s"},
	};
	char text[TT_UNITS_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		assert_string_equal(tt_format_seconds(times[i].seconds, times[i].digits, text),
				    times[i].text);
	assert_string_equal(tt_format_seconds(INFINITY, 3, text), "inf");
	assert_string_equal(tt_format_seconds(NAN, 3, text), "nan");
	assert_string_equal(tt_format_rate(1e10, 3, text), "10.0GB/s");
	assert_string_equal(tt_format_rate(12.5e12, 3, text), "12.5TB/s");
	assert_string_equal(tt_format_rate(999, 3, text), "999B/s");
	assert_string_equal(tt_format_rate(0, 3, text), "0B/s");
}

/* A program that has set a locale with a decimal comma reads and writes the same texts. */
static void test_locale(void **state)
{
	static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
						 "fr_FR.utf8"};
	char text[TT_UNITS_TEXT];
	double value;
	size_t i = 0;

	(void)state;
	while (i < sizeof with_comma / sizeof *with_comma && !setlocale(LC_ALL, with_comma[i]))
		i++;
	if (i == sizeof with_comma / sizeof *with_comma) {
		print_message("skipped: this machine has no locale with a decimal comma\n");
		skip();
	}
	assert_int_equal(tt_parse_seconds("1.5us", &value), TOTUM_OK);
	assert_true(value == 1.5e-6);
	assert_string_equal(tt_format_seconds(1.5e-6, 3, text), "1.50us");
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_int),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_bytes_round_trip),
		cmocka_unit_test(test_seconds),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
