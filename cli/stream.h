/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h - copying past the caches, where the processor can. */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>

/* Does stream_copy differ from memcpy here? */
bool stream_can(void);
/* to is aligned to a page. */
void stream_copy(void *to, const void *from, size_t bytes);

#endif
