/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totum_tuning.h - how fast the links of a machine are, as `totum tune` measures it, and how long a
 * call then takes.
 *
 * Nothing here needs a communicator.  Functions return a totum_status as those of totum.h do, with
 * a sentence in totum_errmsg().
 */
#ifndef TOTUM_TUNING_H
#define TOTUM_TUNING_H

#include <stdio.h>

#include "totum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Facts of a tuning file, and how sure they are where they have just been measured. */
typedef struct totum_tuning totum_tuning;

/*
 * All facts of a file, or none: TOTUM_EPARSE with its name and the line that is wrong.  NULL: no
 * facts yet.  The caller frees it.
 */
TOTUM_API totum_status totum_tuning_open(const char *file, totum_tuning **out);
TOTUM_API void totum_tuning_free(totum_tuning *tuning); /* NULL is legal */
/* The same facts give the same bytes. */
TOTUM_API totum_status totum_tuning_write(const totum_tuning *tuning, FILE *out);
/* The facts as a table, with intervals of those that totum_tuning_link has put there. */
TOTUM_API totum_status totum_tuning_show(const totum_tuning *tuning, FILE *out);
/*
 * Puts what `from` knows into `into`: a class of links, the rates of adding or of copying, and the
 * decisions for one collective and placement each replace those that are there as a whole.
 */
TOTUM_API totum_status totum_tuning_merge(totum_tuning *into, const totum_tuning *from);

/* Messages of one class of links: how many bytes, and the seconds that each took. */
typedef struct totum_link_samples {
	int between; /* 0: inside a host; 1: between hosts */
	/* 1: round after round, each rank received as much while it sent; 0: nothing came back */
	int both_ways;
	size_t n;
	const double *bytes, *seconds; /* [n], in any order, some for each size */
	double exchange;               /* both directions at once against one, as a factor */
	double together; /* what all ranks of a host send at once, against one that only sends */
	int64_t ports;   /* peers that a rank sends to at once and still gains */
} totum_link_samples;
/*
 * Fits lines to the samples, in pieces where the times have a knee: to a low quantile for each
 * size, or with both_ways to the median, where a size whose samples are far apart counts less.
 * Puts the class of links into the tuning, rounded to four digits.  TOTUM_EINVAL when there are
 * fewer than four sizes.
 */
TOTUM_API totum_status totum_tuning_link(totum_tuning *tuning, const totum_link_samples *samples);

/* B/s of each rank while all of its host do the same; 0: not known. */
typedef struct totum_rates {
	double add_cached, add_memory;
	double copy_cached, copy_memory, copy_stream; /* stream: past the caches */
} totum_rates;
/* Those of adding, and those of copying, are known as a whole or not at all. */
TOTUM_API totum_status totum_tuning_rates(totum_tuning *tuning, const totum_rates *rates);

/* A decision, which goes before prices. */
typedef struct totum_use {
	const char *collective, *algorithm; /* the latter as totum_comm_configure takes it */
	int nranks, nhosts;
	uint64_t low, high; /* total bytes, both included */
	const char *note;   /* a line for who reads the file, which no program does; NULL: none */
} totum_use;
/*
 * Puts a decision into the tuning; for one collective and placement by ascending sizes.
 * TOTUM_EINVAL when it is not above those that are there, or names nothing that exists.
 */
TOTUM_API totum_status totum_tuning_use(totum_tuning *tuning, const totum_use *use);

typedef struct totum_prediction {
	char algorithm[96];
	double seconds; /* with it */
	double bound;   /* what none can go below that sends over the same links */
} totum_prediction;
/*
 * How long a call takes: of a problem string without a topology, like
 * "allgather:n=8:bytes=64K:algo=ring"; without algo of what a call runs: on several hosts what the
 * tuning decides, else the choice by price.  hosts[r] is the host of rank r, in any numbering;
 * NULL: all ranks are on one.  The lines of the tuning are those for
 * messages of a rank's share of the bytes; NULL: built-in costs.
 * TOTUM_EUNSUPPORTED when the algorithm is none that has a schedule.  One rank sends nothing: 0.
 */
TOTUM_API totum_status totum_predict(const char *problem, const int hosts[],
				     const totum_tuning *tuning, totum_prediction *out);

#ifdef __cplusplus
}
#endif
#endif
