/* SPDX-License-Identifier: BSD-3-Clause */
/* hostname.h - what this host calls itself, fit for a sentence. */
#ifndef TT_HOSTNAME_H
#define TT_HOSTNAME_H

enum { TT_HOST_NAME = 64 };
/* Printable and without blanks, "?" when there is none. */
void tt_hostname(char out[static TT_HOST_NAME]);

#endif
