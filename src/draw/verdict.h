/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.h - what the verifier found, in words. */
#ifndef TT_VERDICT_H
#define TT_VERDICT_H

#include <stdio.h>

#include "proof/verify.h"

/* claims: whether the algorithm's claims were held against the counts. */
void tt_draw_verdict(const struct tt_schedule *schedule, const struct tt_verify_report *report,
		     bool claims, FILE *out);

#endif
