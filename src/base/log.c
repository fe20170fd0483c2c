/* SPDX-License-Identifier: BSD-3-Clause */
/* log - one line an event, written with one call so that lines of several ranks do not mix. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/hostname.h"

static atomic_bool enabled; /* the log sink: relaxed, a late reader only misses a line */

void tt_log_enable(void)
{
	atomic_store_explicit(&enabled, true, memory_order_relaxed);
}

bool tt_log_enabled(void)
{
	return atomic_load_explicit(&enabled, memory_order_relaxed);
}

void tt_log(const char *format, ...)
{
	char host[TT_HOST_NAME], line[1024];
	va_list args;

	if (!tt_log_enabled())
		return;
	tt_hostname(host);
	int at = snprintf(line, sizeof line - 1, "%s:%d totum INFO ", host, (int)getpid());
	va_start(args, format);
	int more = vsnprintf(line + at, sizeof line - 1 - (size_t)at, format, args);
	va_end(args);
	int end = more < (int)sizeof line - 2 - at ? at + more : (int)sizeof line - 2;
	line[end] = '\n';
	if (write(STDERR_FILENO, line, (size_t)end + 1) < 0)
		return; /* nowhere to say so */
}
