/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * units - numbers with units, read strictly.
 *
 * The C library's readers take blanks, signs, hexadecimal, "inf" and the locale's decimal comma,
 * and report a number that is too large through errno only.  Here the shape of a number is checked
 * first, letter by letter, and the library converts what is left, in the C locale whatever the
 * program's own is.
 */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	double times, over; /* both exact, so that number * times / over is rounded once */
};

static const struct unit seconds_units[] = {
	{"ns", 1, 1e9}, {"us", 1, 1e6}, {"ms", 1, 1e3}, {"s", 1, 1},
	{"m", 60, 1},   {"h", 3600, 1}, {NULL, 0, 0},
};
static const struct unit rate_units[] = {
	{"B/s", 1, 1},      {"KB/s", 1e3, 1},    {"MB/s", 1e6, 1},   {"GB/s", 1e9, 1},
	{"TB/s", 1e12, 1},  {"bit/s", 1, 8},     {"kbit/s", 1e3, 8}, {"Mbit/s", 1e6, 8},
	{"Gbit/s", 1e9, 8}, {"Tbit/s", 1e12, 8}, {NULL, 0, 0},
};
static const char byte_units[] = "KMGT";

static totum_status refuse(const char *text, const char *accepted)
{
	return tt_fail(TOTUM_EPARSE, "'%.40s' is not %s", text, accepted);
}

static const char *skip_digits(const char *text)
{
	while (isdigit((unsigned char)*text))
		text++;
	return text;
}

/* The end of the decimal number that text begins with (digits, fraction, exponent), or NULL. */
static const char *skip_number(const char *text)
{
	const char *end = skip_digits(text);

	if (end == text)
		return NULL;
	if (*end == '.') {
		const char *fraction = skip_digits(end + 1);

		if (fraction == end + 1)
			return NULL;
		end = fraction;
	}
	if (*end == 'e' || *end == 'E') {
		const char *digits = end + 1 + (end[1] == '-' || end[1] == '+');

		if (skip_digits(digits) != digits)
			end = skip_digits(digits);
	}
	return end;
}

/* Converts what skip_number has passed; false when no finite double is near it. */
static bool convert(const char *text, double *out)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	errno = 0;
	*out = c ? strtod_l(text, NULL, c) : strtod(text, NULL);
	bool fits = errno == 0;

	if (c)
		freelocale(c);
	errno = 0;
	return fits;
}

static totum_status parse_scaled(const char *text, const struct unit *units, bool bare_zero,
				 const char *accepted, double *out)
{
	const char *end = skip_number(text);
	double number;

	if (!end)
		return refuse(text, accepted);
	bool fits = convert(text, &number);

	if (bare_zero && *end == '\0' && fits && number == 0) {
		*out = 0;
		return TOTUM_OK;
	}
	while (units->name && strcmp(units->name, end) != 0)
		units++;
	if (!units->name)
		return refuse(text, accepted);
	number = number * units->times / units->over;
	if (!fits || !isfinite(number))
		return tt_fail(TOTUM_EPARSE,
			       "'%.40s' is too large or too small to be told from infinity or 0: "
			       "give a number between 1e-300 and 1e300",
			       text);
	*out = number;
	return TOTUM_OK;
}

totum_status tt_parse_seconds(const char *text, double *out)
{
	return parse_scaled(text, seconds_units, true,
			    "a time: a number, then ns, us, ms, s, m or h, like 1.5us", out);
}

totum_status tt_parse_rate(const char *text, double *out)
{
	return parse_scaled(
		text, rate_units, false,
		"a rate: a number, then B/s, KB/s, MB/s, GB/s, TB/s (powers of 1000), bit/s, "
		"kbit/s, Mbit/s, Gbit/s or Tbit/s, like 10GB/s",
		out);
}

totum_status tt_parse_int(const char *text, int64_t low, int64_t high, int64_t *out)
{
	bool minus = low < 0 && *text == '-';
	const char *end = skip_digits(text + minus);

	if (end == text + minus || *end)
		return tt_fail(TOTUM_EPARSE, "'%.40s' is not an integer: %lld to %lld is accepted",
			       text, (long long)low, (long long)high);
	errno = 0;
	long long value = strtoll(text, NULL, 10);
	bool fits = errno == 0 && value >= low && value <= high;

	errno = 0;
	if (!fits)
		return tt_fail(TOTUM_EPARSE, "'%.40s' is out of range: %lld to %lld is accepted",
			       text, (long long)low, (long long)high);
	*out = value;
	return TOTUM_OK;
}

/* The power of 1024 that a suffix stands for; -1 for none. */
static int byte_power(const char *suffix)
{
	if (strcmp(suffix, "") == 0 || strcmp(suffix, "B") == 0)
		return 0;
	const char *unit = strchr(byte_units, suffix[0]);

	if (!unit ||
	    (strcmp(suffix + 1, "") && strcmp(suffix + 1, "B") && strcmp(suffix + 1, "iB")))
		return -1;
	return (int)(unit - byte_units) + 1;
}

totum_status tt_parse_bytes(const char *text, uint64_t *out)
{
	const char *end = skip_digits(text);
	int power = byte_power(end);

	if (end == text || power < 0)
		return refuse(text, "a size: an integer, then nothing, K, M, G or T (powers of "
				    "1024), like 64K");
	errno = 0;
	unsigned long long number = strtoull(text, NULL, 10);
	bool fits = errno == 0 && number <= UINT64_MAX >> (10 * power);

	errno = 0;
	if (!fits)
		return tt_fail(TOTUM_EPARSE,
			       "'%.40s' is more than 64 bits can count: give fewer bytes", text);
	*out = (uint64_t)number << (10 * power);
	return TOTUM_OK;
}

const char *tt_format_bytes(uint64_t bytes, char out[static TT_UNITS_TEXT])
{
	int power = 0;

	while (bytes && bytes % 1024 == 0 && power < 4) {
		bytes /= 1024;
		power++;
	}
	snprintf(out, TT_UNITS_TEXT, "%llu%.*s", (unsigned long long)bytes, power > 0,
		 power ? &byte_units[power - 1] : "");
	return out;
}

/* snprintf with a decimal point, whatever the program's locale has. */
__attribute__((format(printf, 2, 3))) static void print_plain(char out[static TT_UNITS_TEXT],
							      const char *format, ...)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t old = c ? uselocale(c) : (locale_t)0;
	va_list args;

	va_start(args, format);
	vsnprintf(out, TT_UNITS_TEXT, format, args);
	va_end(args);
	if (!c)
		return;
	uselocale(old);
	freelocale(c);
}

/* value in the last of n ascending units, 1000 apart, in which it does not round to less than 1. */
static const char *format_scaled(double value, int digits, const struct unit *units, int n,
				 char out[static TT_UNITS_TEXT])
{
	digits = digits < 3 ? 3 : digits > 17 ? 17 : digits;
	double size = fabs(value) * (1 + 0.5 * pow(10, -digits)); /* leads with the printed digit */
	int last = 0;

	while (last < n - 1 && size >= units[last + 1].times / units[last + 1].over)
		last++;
	double number = value * units[last].over / units[last].times;

	size = size * units[last].over / units[last].times;
	if (!(size >= 1e-3 && size < 1e15)) {
		print_plain(out, "%.*g%s", digits, number, isfinite(value) ? units[last].name : "");
		return out;
	}
	int decimals = digits - 1 - (int)floor(log10(size));

	print_plain(out, "%.*f%s", decimals > 0 ? decimals : 0, number, units[last].name);
	return out;
}

const char *tt_format_seconds(double seconds, int digits, char out[static TT_UNITS_TEXT])
{
	if (seconds == 0)
		return strcpy(out, "0s"); /* no unit fits it: the plain one */
	return format_scaled(seconds, digits, seconds_units, 4, out);
}

const char *tt_format_rate(double rate, int digits, char out[static TT_UNITS_TEXT])
{
	if (rate == 0)
		return strcpy(out, "0B/s");
	return format_scaled(rate, digits, rate_units, 5, out);
}
