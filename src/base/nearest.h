/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nearest.h - the name that a mistyped word was probably meant to be, for "did you mean" in an
 * error.
 */
#ifndef TT_NEAREST_H
#define TT_NEAREST_H

/*
 * The one of the n names that word is nearest to, or NULL when none is near enough to be worth a
 * guess. Case does not count; NULL names are passed over; of equally near ones the first wins.
 */
const char *tt_nearest(const char *word, const char *const names[], int n);

#endif
