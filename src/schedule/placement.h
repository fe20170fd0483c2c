/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * placement.h - which ranks share a host.
 *
 * Hosts are numbered 0.. by their lowest rank, and the ranks of a host ascend, so that equal
 * placements are equal numbers on every rank.
 */
#ifndef TT_PLACEMENT_H
#define TT_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct tt_placement {
	int64_t nranks, nhosts;
	/*
	 * [nranks]; or all NULL: packed, rank after rank on host after host, as equal as possible,
	 * the first hosts having one more.
	 */
	int32_t *host_of;
	int32_t *first; /* [nhosts + 1]: where the ranks of a host begin in `ranks` */
	int32_t *ranks; /* [nranks]: host by host */
	int32_t *local; /* [nranks]: how many lower ranks share the rank's host */
};

/* 1 <= nhosts <= nranks.  Holds no memory and needs no free. */
struct tt_placement tt_placement_packed(int64_t nranks, int64_t nhosts);
/*
 * The placement of rank r on host_of[r], hosts in any numbering of int32_t.  O(nranks log nranks).
 * TOTUM_EINVAL when nranks is not 1 to TT_MAX_RANKS, TOTUM_EMEMORY.
 */
totum_status tt_placement_make(int64_t nranks, const int32_t *host_of, struct tt_placement *out);
void tt_placement_free(struct tt_placement *placement); /* a packed or zeroed one is legal */

/* 0 <= host < nhosts, 0 <= rank < nranks, 0 <= local < the host's size. */
int64_t tt_placement_host(const struct tt_placement *placement, int64_t rank);
int64_t tt_placement_local(const struct tt_placement *placement, int64_t rank);
int64_t tt_placement_size(const struct tt_placement *placement, int64_t host);
int64_t tt_placement_rank(const struct tt_placement *placement, int64_t host, int64_t local);
/* The ranks of the largest host. */
int64_t tt_placement_most(const struct tt_placement *placement);
/* The same ranks on the same hosts? */
bool tt_placement_equal(const struct tt_placement *a, const struct tt_placement *b);

/*
 * "2x4": 2 hosts of 4 ranks each, packed; "3+1+2": packed, these sizes ("4": one host); "0,1,0,1":
 * the host of each rank, in any numbering.  TOTUM_EPARSE with a sentence that quotes the text.
 */
totum_status tt_placement_parse(const char *text, struct tt_placement *out);
/*
 * The shortest of the three forms, which reads as the same placement; at most `size` bytes with the
 * end.  Returns its length without the end, which is >= size when it was cut.
 */
size_t tt_placement_write(const struct tt_placement *placement, char *out, size_t size);

#endif
