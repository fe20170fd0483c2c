/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totum_info.h - what can be set from outside, and what totum makes of the environment that this
 * process has.
 *
 * For tools that show or check a configuration; a program that only communicates needs none of it.
 * Nothing here needs a communicator, and nothing is kept from one call to the next: the environment
 * is read anew.
 */
#ifndef TOTUM_INFO_H
#define TOTUM_INFO_H

#include "totum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many variables totum knows; their numbers are 0 and on, in the order of their names. */
TOTUM_API int totum_variable_count(void);
/* NULL for a number that is none, here and below. */
TOTUM_API const char *totum_variable_name(int index);
/* One line. */
TOTUM_API const char *totum_variable_meaning(int index);
/* What holds when it is unset; "" when that is nothing, or not one value. */
TOTUM_API const char *totum_variable_default(int index);
/* What the environment says, NULL when it is unset. */
TOTUM_API const char *totum_variable_value(int index);
/* 1 when `totum run` sets it for its ranks and nobody else should, else 0. */
TOTUM_API int totum_variable_is_launchers(int index);
/* TOTUM_EINVAL when the environment's value is wrong; what launchers set is checked by
 * totum_launcher_find. */
TOTUM_API totum_status totum_variable_check(int index);

/* The launchers whose variables are understood, in the order in which they are looked for. */
TOTUM_API int totum_launcher_count(void);
TOTUM_API const char *totum_launcher_name(int index);
/* The variable whose presence means that this process is a rank of that launcher. */
TOTUM_API const char *totum_launcher_variable(int index);
/*
 * Whom totum_init would believe, "none" when it is alone, and which rank of how many this process
 * is.  The failure that totum_init would report when variables are wrong, unknown, incomplete or
 * contradictory.  Out pointers may be NULL.
 */
TOTUM_API totum_status totum_launcher_find(const char **name, int *rank, int *nranks);

#ifdef __cplusplus
}
#endif
#endif
