/* SPDX-License-Identifier: BSD-3-Clause */
/* doctor_variables.h - variables that look like totum's and are not. */
#ifndef DOCTOR_VARIABLES_H
#define DOCTOR_VARIABLES_H

/*
 * Calls each(name, nearest, context) for every environment variable that begins with TOTUM_ and is
 * not one that totum knows; nearest is the one that was probably meant, or NULL.  Returns how many.
 */
int doctor_unknown_variables(void (*each)(const char *name, const char *nearest, void *context),
			     void *context);

#endif
