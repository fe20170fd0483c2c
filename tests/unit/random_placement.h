/* SPDX-License-Identifier: BSD-3-Clause */
/* random_placement.h - ranks on hosts of any size, packed or shuffled, from a seed. */
#ifndef RANDOM_PLACEMENT_H
#define RANDOM_PLACEMENT_H

#include <stdint.h>

enum { RANDOM_RANKS = 256 };

struct random_placement {
	int64_t nranks;
	int32_t host_of[RANDOM_RANKS];
};

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* 1 to `hosts` hosts of 1 to `most` ranks each; of odd seeds shuffled; host numbers have gaps. */
static inline struct random_placement random_placement(uint64_t seed, int64_t hosts, int64_t most)
{
	struct random_placement out = {0};
	uint64_t state = seed;
	int64_t nhosts = (int64_t)(random_next(&state) % (uint64_t)hosts) + 1;

	for (int64_t host = 0; host < nhosts; host++) {
		int64_t size = (int64_t)(random_next(&state) % (uint64_t)most) + 1;

		for (int64_t i = 0; i < size && out.nranks < RANDOM_RANKS; i++)
			out.host_of[out.nranks++] = (int32_t)(97 - 3 * host);
	}
	for (int64_t i = out.nranks - 1; seed % 2 && i > 0; i--) {
		int64_t j = (int64_t)(random_next(&state) % (uint64_t)(i + 1));
		int32_t host = out.host_of[i];

		out.host_of[i] = out.host_of[j];
		out.host_of[j] = host;
	}
	return out;
}

#endif
