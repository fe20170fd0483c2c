/* SPDX-License-Identifier: BSD-3-Clause */
/* crc32c.h - the checksum of frames: CRC-32C (Castagnoli), which processors compute. */
#ifndef TT_CRC32C_H
#define TT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from `crc`, the value of the bytes before; 0 for none. */
uint32_t tt_crc32c(uint32_t crc, const void *bytes, size_t n);

#endif
