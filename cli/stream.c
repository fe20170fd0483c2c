/* SPDX-License-Identifier: BSD-3-Clause */
/* stream - copying with stores that do not read the lines which they fill. */
#include "stream.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>

enum { LINE = 64 };

bool stream_can(void)
{
	return true;
}

void stream_copy(void *to, const void *from, size_t bytes)
{
	unsigned char *out = to;
	const unsigned char *in = from;
	size_t lines = bytes / LINE * LINE;

	for (size_t at = 0; at < lines; at += sizeof(__m128i))
		_mm_stream_si128((__m128i *)(void *)(out + at),
				 _mm_loadu_si128((const __m128i *)(const void *)(in + at)));
	memcpy(out + lines, in + lines, bytes - lines);
	_mm_sfence();
}
#else
bool stream_can(void)
{
	return false;
}

void stream_copy(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}
#endif
