/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_predict.h - what a call should take, by the costs of the links. */
#ifndef BENCH_PREDICT_H
#define BENCH_PREDICT_H

#include "bench.h"
#include "totum_tuning.h"

/* Reads the file that TOTUM_TUNING names; NULL without one.  False: it is wrong, which was said. */
bool bench_predict_open(totum_tuning **out);
/*
 * Fills predicted and bound of a row, where its algorithm has a schedule that can be priced, of
 * ranks on these hosts.
 */
void bench_predict(const struct bench_options *options, int nranks, const int hosts[],
		   const totum_tuning *tuning, struct bench_row *row);
/* How much longer the call took than predicted, as a part of that. */
double bench_error(const struct bench_row *row);

#endif
