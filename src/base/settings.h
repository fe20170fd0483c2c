/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.h - the TOTUM_ variables: read once, checked whole, refused with a sentence. */
#ifndef TT_SETTINGS_H
#define TT_SETTINGS_H

#include <stdbool.h>

#include "base/status.h"

enum tt_wait_policy { TT_WAIT_AUTO, TT_WAIT_SPIN, TT_WAIT_YIELD, TT_WAIT_SLEEP };

enum tt_single_copy { TT_SINGLE_COPY_AUTO, TT_SINGLE_COPY_OFF, TT_SINGLE_COPY_ON };

enum tt_transport_choice { TT_TRANSPORT_AUTO, TT_TRANSPORT_TCP, TT_TRANSPORT_UCX };

struct tt_settings {
	/* TOTUM_LAUNCHER: totum, openmpi, pmi, slurm, torchrun, none; "" = look */
	char launcher[16];
	/* TOTUM_ALGO: "ring", "bruck,radix=3"; "" = auto. Alike on all ranks. */
	char algo[96];
	double timeout;           /* TOTUM_TIMEOUT: seconds until a wait gives up */
	enum tt_wait_policy wait; /* TOTUM_WAIT: auto, spin, yield, sleep */
	/* TOTUM_INTERFACES: names, beginnings, addresses, subnets, ^ excludes; "" = choose */
	char interfaces[256];
	/* TOTUM_STREAMS: connections of a pair of ranks. Alike on all ranks. */
	int streams;
	bool checksum;            /* TOTUM_CHECKSUM: 0, 1. Alike on all ranks. */
	int64_t chaos;            /* TOTUM_CHAOS: a seed, 0: off */
	bool encrypt;             /* TOTUM_ENCRYPT: 0, 1. Alike on all ranks. */
	bool debug;               /* TOTUM_DEBUG: off, info */
	enum tt_single_copy single_copy; /* TOTUM_SINGLE_COPY: auto, off, on. Alike on all ranks. */
	/* TOTUM_TRANSPORT: auto, tcp, ucx. Alike on all ranks. */
	enum tt_transport_choice transport;
	char trace[200];          /* TOTUM_TRACE: prefix of the trace's files, "" = off */
	/* TOTUM_TUNING: a tuning file, "" = built-in numbers. Its facts are alike on all ranks. */
	char tuning[256];
	/* TOTUM_FLIGHT: prefix of the flight records written on failure, "" = off */
	char flight[200];
	/* TOTUM_SHARE_FROM: bytes of an allocation that is shared, read by libtotum_share.so */
	uint64_t share_from;
	uint64_t memory_limit;    /* TOTUM_MEMORY_LIMIT: bytes of totum_alloc on a rank, 0: none */
};

struct tt_variable {
	const char *name, *meaning;
	const char *fallback; /* the value that holds when it is unset, "": none */
	/* Puts the value into the settings; NULL of what a launcher sets: identity.h. */
	totum_status (*read)(const struct tt_variable *variable, const char *value,
			     struct tt_settings *out);
};
/* Every variable that totum reads; the list ends with a NULL name. */
extern const struct tt_variable tt_variables[];

/*
 * TOTUM_EINVAL when a variable holds a wrong value or when a TOTUM_ variable is none of ours (the
 * sentence names the nearest one).
 */
totum_status tt_settings_read(struct tt_settings *out);

#endif
