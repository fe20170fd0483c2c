/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather.h - the work of an all-gather, for its three forms and for its rescue. */
#ifndef TT_API_ALLGATHER_H
#define TT_API_ALLGATHER_H

#include "runtime/work.h"

/* Checks the arguments of `call`, a name for sentences.  The work is freed by tt_work_free. */
totum_status tt_prepare_allgather(struct tt_work *work, totum_comm *comm, const char *call,
				  const void *send, void *recv, size_t count, totum_dtype dtype);
totum_status tt_prepare_allgatherv(struct tt_work *work, totum_comm *comm, const char *call,
				   const void *send, size_t count, void *recv,
				   const size_t counts[], const size_t displs[], totum_dtype dtype);

#endif
