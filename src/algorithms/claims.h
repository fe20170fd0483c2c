/* SPDX-License-Identifier: BSD-3-Clause */
/* claims.h - formulas that several algorithms state about themselves; terms as in algorithm.h. */
#ifndef TT_CLAIMS_H
#define TT_CLAIMS_H

#include "algorithms/algorithm.h"

/* The smallest k with base^k >= n, by multiplication; base >= 2, n >= 1. */
int64_t tt_log_ceil(int64_t base, int64_t n);
/* Is n a power of base, 1 included? */
bool tt_is_power(int64_t base, int64_t n);
/* The largest k with k*k <= n; n >= 1. */
int64_t tt_root_floor(int64_t n);
/* over/under blocks in lowest terms; both >= 0, under > 0. */
struct tt_fraction tt_blocks_of(int64_t over, int64_t under);

/* ceil(log2 nranks) rounds. */
int64_t tt_rounds_log2(int64_t nranks, const int64_t *values);
/* nranks-1 blocks: no less is possible with one port. */
struct tt_fraction tt_volume_least(int64_t nranks, const int64_t *values);
/* One message a round. */
int64_t tt_ports_one(int64_t nranks, const int64_t *values);
/* refuses: recursive exchanges in pairs. */
const char *tt_needs_power_of_two(int64_t nranks, const int64_t *values);

#endif
