/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options - values of command line options.
 *
 * The C library's readers take blanks, signs, hexadecimal, "inf" and overflow in silence.  Here the
 * shape of a text is checked letter by letter, and the library converts what has passed.  The
 * command never calls setlocale, so the decimal point is a point.
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char sentence[512];

const char *option_error(void)
{
	return sentence;
}

__attribute__((format(printf, 1, 2))) static bool refuse(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof sentence, format, args);
	va_end(args);
	return false;
}

static const char *skip_digits(const char *text)
{
	while (isdigit((unsigned char)*text))
		text++;
	return text;
}

bool option_int(const char *text, long low, long high, long *out)
{
	const char *digits = text + (*text == '-');
	const char *end = skip_digits(digits);

	if (end == digits || *end)
		return refuse("'%.40s' is not an integer: %ld to %ld is accepted", text, low, high);
	errno = 0;
	long value = strtol(text, NULL, 10);

	if (errno || value < low || value > high)
		return refuse("'%.40s' is out of range: %ld to %ld is accepted", text, low, high);
	*out = value;
	return true;
}

/* The power of 1024 that a suffix stands for; -1 for none. */
static int byte_power(const char *suffix)
{
	static const char units[] = "KMGT";

	if (!strcmp(suffix, "") || !strcmp(suffix, "B"))
		return 0;
	const char *unit = strchr(units, suffix[0]);

	if (!unit ||
	    (strcmp(suffix + 1, "") && strcmp(suffix + 1, "B") && strcmp(suffix + 1, "iB")))
		return -1;
	return (int)(unit - units) + 1;
}

bool option_bytes(const char *text, uint64_t *out)
{
	const char *end = skip_digits(text);
	int power = byte_power(end);

	if (end == text || power < 0)
		return refuse("'%.40s' is not a size: an integer, then nothing, K, M, G or T "
			      "(powers of 1024), like 64K",
			      text);
	errno = 0;
	unsigned long long number = strtoull(text, NULL, 10);

	if (errno || number > UINT64_MAX >> (10 * power))
		return refuse("'%.40s' is more than 64 bits can count: give fewer bytes", text);
	*out = (uint64_t)number << (10 * power);
	return true;
}

/* The end of the number that text begins with (digits, fraction, exponent); text for none. */
static const char *skip_number(const char *text)
{
	const char *end = skip_digits(text);

	if (end == text)
		return text;
	if (*end == '.') {
		const char *fraction = skip_digits(end + 1);

		if (fraction == end + 1)
			return text;
		end = fraction;
	}
	if (*end == 'e' || *end == 'E') {
		const char *digits = end + 1 + (end[1] == '-' || end[1] == '+');

		if (isdigit((unsigned char)*digits))
			end = skip_digits(digits);
	}
	return end;
}

bool option_seconds(const char *text, double *out)
{
	static const struct {
		const char *name;
		double times, over; /* number * times / over: both exact, one rounding */
	} units[] = {
		{"ns", 1, 1e9}, {"us", 1, 1e6}, {"ms", 1, 1e3},
		{"s", 1, 1},    {"m", 60, 1},   {"h", 3600, 1},
	};
	const char *end = skip_number(text);
	double number = end == text ? -1 : strtod(text, NULL);

	if (number == 0 && !*end) {
		*out = 0;
		return true;
	}
	for (size_t i = 0; number >= 0 && i < sizeof units / sizeof *units; i++) {
		double seconds = number * units[i].times / units[i].over;

		if (strcmp(end, units[i].name))
			continue;
		if (!isfinite(seconds))
			return refuse("'%.40s' is too long a time: give less than 1e300s", text);
		*out = seconds;
		return true;
	}
	return refuse("'%.40s' is not a time: a number, then ns, us, ms, s, m or h, like 1.5s",
		      text);
}

bool option_choice(const char *text, const char *const names[], int *out)
{
	char known[256] = "";

	for (int i = 0; names[i]; i++) {
		size_t used = strlen(known);

		if (!strcmp(text, names[i])) {
			*out = i;
			return true;
		}
		snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", names[i]);
	}
	return refuse("'%.40s' is not known here: give one of %s", text, known);
}
