/* SPDX-License-Identifier: BSD-3-Clause */
/* log.h - the log that the user asked for with TOTUM_DEBUG=info; silent otherwise. */
#ifndef TT_LOG_H
#define TT_LOG_H

#include <stdbool.h>

/* From now on, and for the whole process. */
void tt_log_enable(void);
bool tt_log_enabled(void);
/* One line on standard error: "host:pid totum INFO text". */
void tt_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
