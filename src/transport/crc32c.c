/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * crc32c - by the processor's instruction where it has one, else by a table of 16
 * entries, half a byte at a time.
 *
 * Polynomial 0x1edc6f41, reflected: 0x82f63b78 (RFC 3720, appendix B.4).
 */
#include "transport/crc32c.h"

#include <string.h>

static uint32_t by_table(uint32_t crc, const unsigned char *at, size_t n)
{
	static const uint32_t table[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
		0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
		0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
		0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};

	for (size_t i = 0; i < n; i++) {
		crc ^= at[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t
by_instruction(uint32_t crc, const unsigned char *at, size_t n)
{
	uint64_t wide = crc, word;

	for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
		memcpy(&word, at, sizeof word);
		wide = __builtin_ia32_crc32di(wide, word);
	}
	crc = (uint32_t)wide;
	for (; n; n--)
		crc = __builtin_ia32_crc32qi(crc, *at++);
	return crc;
}

uint32_t tt_crc32c(uint32_t crc, const void *bytes, size_t n)
{
	return ~(__builtin_cpu_supports("sse4.2") ? by_instruction(~crc, bytes, n)
						  : by_table(~crc, bytes, n));
}
#else
uint32_t tt_crc32c(uint32_t crc, const void *bytes, size_t n)
{
	return ~by_table(~crc, bytes, n);
}
#endif
