/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unique_id.h - an id: a text that says where the ranks of one job meet and what they know each
 * other by.
 *
 *     totum1:SECRET:HOST,HOST,..:PORT
 */
#ifndef TT_UNIQUE_ID_H
#define TT_UNIQUE_ID_H

#include "launch/identity.h"

enum { TT_ID = sizeof(totum_unique_id) };

struct tt_doors;

/*
 * A fresh secret and doors on the addresses that TOTUM_INTERFACES chooses, as many as the id has
 * room for.
 */
totum_status tt_unique_id_make(const struct tt_settings *settings, char id[static TT_ID],
			       struct tt_doors *doors);
/* Pure.  TOTUM_EINVAL when this is none. */
totum_status tt_unique_id_read(const char id[static TT_ID], char root[static TT_ROOT],
			       char secret[static TT_SECRET]);

/* 32 characters that nobody can guess, and a zero. */
totum_status tt_unique_id_secret(char *text);

/*
 * The doors of ids that this process has made and that no communicator has used yet.  keep takes
 * them over, but for TOTUM_EUSAGE when there are very many; take gives them back, false when this
 * process has none for the id.
 */
totum_status tt_unique_id_keep(const char id[static TT_ID], const struct tt_doors *doors);
bool tt_unique_id_take(const char id[static TT_ID], struct tt_doors *doors);

#endif
