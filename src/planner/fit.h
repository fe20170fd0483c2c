/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h - alpha and beta of a link, from how long messages of many sizes took. */
#ifndef TT_FIT_H
#define TT_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct tt_sample {
	double bytes;   /* >= 0 */
	double seconds; /* > 0 */
	double spread;  /* tt_fit and tt_fit_steady find it: of a size's samples, as a part of its
			   time */
};

enum { TT_FIT_PIECES = 4, TT_FIT_LEAST = 4, TT_FIT_SIZES = 256 };

/* seconds = alpha + bytes/beta; each with the interval that holds it with 95% confidence. */
struct tt_line {
	double alpha, alpha_low, alpha_high; /* seconds, >= 0 */
	double beta, beta_low, beta_high;    /* B/s; INFINITY: the time does not grow */
	double error;                        /* the greatest |predicted/taken - 1| */
};

struct tt_fit_piece {
	double from, to; /* its first and last size */
	struct tt_line line;
};

struct tt_fit {
	int npieces;
	struct tt_fit_piece pieces[TT_FIT_PIECES];
	bool drops; /* where pieces meet, the larger message is predicted to take less */
};

/*
 * One line through all samples as they are, n >= TT_FIT_LEAST of two sizes or more; weights as in
 * tt_fit.  TOTUM_EINVAL with a sentence for fewer, and for a time or size that is none.
 */
totum_status tt_fit_line(const struct tt_sample *samples, int64_t n, struct tt_line *out);

/*
 * Samples in any order, some for each size: the size's time is the one that 5% of them do not
 * exceed, the least of up to 20.  TOTUM_EINVAL with a sentence when there are fewer than
 * TT_FIT_LEAST sizes or more than TT_FIT_SIZES, or a time or size that is none; TOTUM_EMEMORY.
 */
totum_status tt_fit(const struct tt_sample *samples, int64_t n, struct tt_fit *out);
/*
 * The same of links in steady use, where a sample may be too short as well: the size's time is the
 * median, and a size whose samples are far apart counts less.
 */
totum_status tt_fit_steady(const struct tt_sample *samples, int64_t n, struct tt_fit *out);

#endif
