/* SPDX-License-Identifier: BSD-3-Clause */
/* secret.h - what the ranks of a job know and nobody else does. */
#ifndef TT_SECRET_H
#define TT_SECRET_H

#include "launch/identity.h"

/*
 * From the descriptor TOTUM_SECRET_FD, else from the file TOTUM_SECRET_FILE, without the white
 * space at its end; "" when neither is set.  TOTUM_EINVAL with a sentence that names the variable.
 */
totum_status tt_secret_read(char out[static TT_SECRET]);

#endif
