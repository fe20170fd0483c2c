/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h - the few numbers that prices are made with, and their text form. */
#ifndef TT_MACHINE_H
#define TT_MACHINE_H

#include "base/status.h"
#include "base/units.h"

struct tt_machine {
	double alpha;    /* seconds that a message takes apart from its bytes */
	double beta;     /* bytes a second of one link in one direction */
	double gamma;    /* seconds to add one byte to another */
	double overhead; /* seconds for each message that follows another on its link in the same
			    round */
	int64_t links;   /* links that a rank drives at once, each in both directions; 1 to
			    TT_MAX_RANKS */
};

/* alpha=1us, beta=10GB/s, one link; additions and further messages cost nothing. */
extern const struct tt_machine tt_machine_default;

/*
 * "alpha=1us,beta=10GB/s,gamma=20GB/s,overhead=200ns,links=2", in any order, what is left out keeps
 * the value that *machine has.  gamma is written as the rate at which a rank adds; "gamma=0": at no
 * cost.  TOTUM_EINVAL with a sentence, *machine unchanged.
 */
totum_status tt_machine_parse(const char *text, struct tt_machine *machine);

/* At most `digits` significant digits, without zeros at the end: "3us", "734.0032us", "10GB/s". */
const char *tt_short_seconds(double seconds, int digits, char out[static TT_UNITS_TEXT]);
const char *tt_short_rate(double rate, int digits, char out[static TT_UNITS_TEXT]);

enum { TT_MACHINE_TEXT = 160 };
/* The same text, without what is zero. */
const char *tt_machine_text(const struct tt_machine *machine, char out[static TT_MACHINE_TEXT]);

#endif
