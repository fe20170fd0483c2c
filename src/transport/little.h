/* SPDX-License-Identifier: BSD-3-Clause */
/* little.h - numbers on a wire: little endian, of any length up to 8 bytes. */
#ifndef TT_LITTLE_H
#define TT_LITTLE_H

#include <stdint.h>

static inline void tt_put(unsigned char *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

static inline uint64_t tt_get(const unsigned char *at, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

#endif
