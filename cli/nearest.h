/* SPDX-License-Identifier: BSD-3-Clause */
/* nearest.h - how far a mistyped word is from a name, for "did you mean" in a refusal. */
#ifndef NEAREST_H
#define NEAREST_H

enum { NEAREST_FAR = 1000 };

/*
 * Letters to insert, delete, replace or swap with a neighbour; NEAREST_FAR when the two are too
 * unlike, or too long, for a guess.
 */
int nearest_distance(const char *word, const char *name);

#endif
