/* SPDX-License-Identifier: BSD-3-Clause */
/* launched.h - is this process a rank already? */
#ifndef LAUNCHED_H
#define LAUNCHED_H

#include <stdbool.h>

/* Has a launcher said which rank this is?  By the variables that totum_init looks at. */
bool launched(void);

#endif
