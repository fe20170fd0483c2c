/* SPDX-License-Identifier: BSD-3-Clause */
/* window.h - a result that the ranks of a communicator share on their host. */
#ifndef TT_WINDOW_H
#define TT_WINDOW_H

#include "runtime/work.h"

struct totum_window {
	totum_comm *comm;
	unsigned char *data; /* within the heap of the communicator's rank 0 */
	size_t bytes;
	struct totum_window *next;
};

/* Collective over comm, which is entered. */
totum_status tt_window_create(totum_comm *comm, size_t bytes, totum_window **out);
totum_status tt_window_free(totum_window *window);
/* Does recv lie at the start of a window of comm that holds `bytes`? */
bool tt_window_is(const totum_comm *comm, const void *recv, size_t bytes);

#endif
