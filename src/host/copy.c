/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy - memcpy where that is fast, and streaming copies in vectors of 16, 32 or 64 bytes.
 *
 * A streaming store wants an aligned vector, and whole cache lines, or the processor's write
 * buffers are sent out half full.  So the head up to a line's edge and the tail after the last one
 * are copied plainly, and the lines between are stored whole, from any alignment of the source.
 * Streaming stores are not ordered with others; the fence at the end makes them so.
 */
#include "host/copy.h"

#include "host/simd.h"

#include <stdint.h>
#include <string.h>

/* LEAST: below it, head, tail and fence cost more than streaming saves. */
enum { LINE = 64, PAGE = 4096, LEAST = 4096 };

/* Line by line, in whatever vectors the compiler has: the loads of a line come before its stores.
 */
static void copy_lines(char *dst, const char *src, size_t bytes)
{
	char line[LINE];
	size_t at = 0;

	for (; bytes - at >= LINE; at += LINE) {
		memcpy(line, src + at, LINE);
		memcpy(dst + at, line, LINE);
	}
	memcpy(dst + at, src + at, bytes - at);
}

/*
 * Where the destination lies up to 63 bytes above the source within a page, loads seem to depend on
 * stores, and the processor's string copy goes byte by byte.  (Measured in a private cache, Zen 4:
 * 3.5 GB/s, line by line 41, elsewhere 58.)
 */
void tt_copy_long(void *dst, const void *src, size_t bytes)
{
	size_t above = ((uintptr_t)dst - (uintptr_t)src) % PAGE;

	if (above > 0 && above < LINE)
		copy_lines(dst, src, bytes);
	else
		memcpy(dst, src, bytes);
}

#if defined(__x86_64__)
#include <immintrin.h>

static void stream_base(char *dst, const char *src, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += LINE) {
		const __m128i *from = (const __m128i *)(src + at);
		__m128i *to = (__m128i *)(dst + at);
		__m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
		__m128i c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);

		_mm_stream_si128(to, a);
		_mm_stream_si128(to + 1, b);
		_mm_stream_si128(to + 2, c);
		_mm_stream_si128(to + 3, d);
	}
}

__attribute__((target("avx2"))) static void stream_avx2(char *dst, const char *src, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += LINE) {
		const __m256i *from = (const __m256i *)(src + at);
		__m256i *to = (__m256i *)(dst + at);
		__m256i a = _mm256_loadu_si256(from), b = _mm256_loadu_si256(from + 1);

		_mm256_stream_si256(to, a);
		_mm256_stream_si256(to + 1, b);
	}
}

__attribute__((target("avx512f"))) static void stream_avx512(char *dst, const char *src,
							     size_t bytes)
{
	for (size_t at = 0; at < bytes; at += LINE)
		_mm512_stream_si512((void *)(dst + at), _mm512_loadu_si512(src + at));
}

static void stream_lines(char *dst, const char *src, size_t bytes)
{
	switch (tt_simd_level()) {
	case TT_SIMD_AVX512:
		stream_avx512(dst, src, bytes);
		break;
	case TT_SIMD_AVX2:
		stream_avx2(dst, src, bytes);
		break;
	default:
		stream_base(dst, src, bytes);
	}
	_mm_sfence();
}
#else
/* C has no other streaming store to offer that gcc and clang share; the library's copy chooses for
 * itself. */
static void stream_lines(char *dst, const char *src, size_t bytes)
{
	tt_copy(dst, src, bytes);
}
#endif

void tt_copy_streaming(void *dst, const void *src, size_t bytes)
{
	size_t head = -(uintptr_t)dst % LINE;

	if (bytes < head + LINE) {
		tt_copy(dst, src, bytes);
		return;
	}
	size_t lines = (bytes - head) / LINE * LINE;
	char *to = dst;
	const char *from = src;

	memcpy(to, from, head);
	stream_lines(to + head, from + head, lines);
	memcpy(to + head + lines, from + head + lines, bytes - head - lines);
}

void tt_copy_best(void *dst, const void *src, size_t bytes, bool will_not_fit)
{
	if (will_not_fit && bytes >= LEAST)
		tt_copy_streaming(dst, src, bytes);
	else
		tt_copy(dst, src, bytes);
}
