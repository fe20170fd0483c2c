/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * circulant.h - round-optimal broadcast of n parts on a circulant graph: who sends which part when.
 *
 * skip[0] = 1 .. skip[q] = N, each half of the next one, rounded up.  Rounds come in phases of q. 
 * In round k of a phase the place r behind the root sends one part to the place r+skip[k]; after
 * n-1+q rounds, of which the first `idle` ones of the first phase are left out, every place has got
 * every part exactly once. Traeff, "(Poly)logarithmic time construction of round-optimal n-block
 * broadcast schedules", 2022.
 */
#ifndef TT_CIRCULANT_H
#define TT_CIRCULANT_H

#include <stdbool.h>
#include <stdint.h>

enum { TT_CIRCULANT_SKIPS = 26 };

struct tt_circulant {
	int64_t n, q, skip[TT_CIRCULANT_SKIPS];
	/* [(q+1) * (n+1)]: how many x below the second index have the first as base */
	int32_t *before;
	/* [n * q]: what place r receives in round k; q less when it is of the phase before */
	int32_t *part;
};

/* For n <= TT_MAX_RANKS, in O(n q^2); false without memory. Free it in either case. */
bool tt_circulant_make(struct tt_circulant *plan, int64_t n);
void tt_circulant_free(struct tt_circulant *plan);

/* How many rounds of the first phase are left out when there are so many parts. */
int64_t tt_circulant_idle(const struct tt_circulant *plan, int64_t parts);
/* The part that place r sends to r + skip[i mod q] in round i, idle ones counted; -1: none. */
int64_t tt_circulant_part(const struct tt_circulant *plan, int64_t r, int64_t i, int64_t parts);

#endif
