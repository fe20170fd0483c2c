/* SPDX-License-Identifier: BSD-3-Clause */
/* size.h - a number of bytes as text, in the grammar that all of totum has. */
#ifndef SIZE_H
#define SIZE_H

#include <stdbool.h>
#include <stddef.h>

/* An integer, then nothing, K, M, G or T, with or without iB or B; false, *out untouched, for
 * anything else. */
static inline bool size_parse(const char *text, size_t *out)
{
	static const char units[] = "KMGT";
	size_t number = 0;
	int shift = 0;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *text - '0', &number))
			return false;
	for (int i = 0; units[i]; i++)
		if (*text == units[i])
			shift = 10 * (i + 1);
	text += shift != 0;
	text += shift && text[0] == 'i' && text[1] == 'B'; /* "KiB" becomes "KB" */
	text += *text == 'B';
	if (*text || number > (size_t)-1 >> shift)
		return false;
	*out = number << shift;
	return true;
}

#endif
