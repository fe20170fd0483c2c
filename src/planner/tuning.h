/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tuning.h - what was measured on a machine, as a file: a fact or a decision a line.
 *
 *     totum tuning 1
 *     link inside exchange=1.71 ports=1 together=1.30
 *     piece inside from=0 alpha=420ns beta=3120MB/s
 *     piece inside from=32K alpha=4100ns beta=9800MB/s
 *     add cached=21GB/s memory=6500MB/s
 *     copy cached=18GB/s memory=5100MB/s stream=9300MB/s
 *     use allgather n=8 hosts=2 bytes=1:64K algo=bruck,radix=3
 *     end
 *
 * The first line names the format and its version, the last one says that nothing is missing.
 * Empty lines and lines that begin with # do not count.  docs/tuning.md says what the facts mean.
 *
 * All numbers are whole ones (ps, B/s, hundredths), so that ranks which read equal texts have equal
 * facts, bit for bit, and choose alike.
 */
#ifndef TT_TUNING_H
#define TT_TUNING_H

#include <stdio.h>

#include "algorithms/algorithm.h"

enum tt_link_class { TT_INSIDE, TT_BETWEEN, TT_LINK_CLASSES }; /* of a host, hosts */

enum { TT_TUNING_PIECES = 8, TT_TUNING_USES = 1 << 16, TT_TUNING_BYTES = 1 << 24 };
enum { TT_TUNING_NOTE = 200 };

/* Messages of `from` bytes and more, up to the next piece: seconds = alpha + bytes/beta. */
struct tt_tuning_piece {
	uint64_t from;
	int64_t alpha; /* ps */
	int64_t beta;  /* B/s */
};

struct tt_tuning_link {
	int npieces;                                     /* 0: nothing is known of this class */
	struct tt_tuning_piece pieces[TT_TUNING_PIECES]; /* ascending, the first from 0 */
	int64_t exchange; /* both directions at once against one of them, in hundredths */
	int64_t ports;    /* how many peers a rank sends to at once and still gains */
	int64_t together; /* what all ranks of a host send at once, against one that only sends */
};

/* Rates in B/s, of each rank while all of its host do the same; 0: not known. */
enum tt_rate {
	TT_ADD_CACHED,
	TT_ADD_MEMORY,
	TT_COPY_CACHED,
	TT_COPY_MEMORY,
	TT_COPY_STREAM, /* past the caches */
	TT_RATES
};

/* A decision: of total bytes low to high, this algorithm. */
struct tt_tuning_use {
	enum tt_collective collective;
	int64_t nranks, nhosts;
	uint64_t low, high;
	char algorithm[TT_ALGORITHM_TEXT];
	char note[TT_TUNING_NOTE]; /* written as a comment, and not read again; "": none */
};

struct tt_tuning {
	struct tt_tuning_link links[TT_LINK_CLASSES];
	int64_t rates[TT_RATES];
	int64_t nuses;
	struct tt_tuning_use *uses; /* by collective, nranks, nhosts, low; they do not overlap */
};

/* "inside", "between" */
const char *tt_link_class_name(enum tt_link_class class);

/* Without facts.  The caller frees it. */
totum_status tt_tuning_new(struct tt_tuning **out);
void tt_tuning_free(struct tt_tuning *tuning); /* NULL is legal */

/*
 * All of a text or nothing: TOTUM_EPARSE with "NAME:LINE: sentence".  tt_tuning_open reads it from
 * a file, and fails with TOTUM_ESYSTEM when there is none.
 */
totum_status tt_tuning_read(const char *text, size_t length, const char *name,
			    struct tt_tuning **out);
totum_status tt_tuning_open(const char *file, struct tt_tuning **out);
/* The same facts give the same bytes, which read as the same facts. */
void tt_tuning_write(const struct tt_tuning *tuning, FILE *out);

/* Its place is behind those of the same collective, nranks and nhosts; TOTUM_EINVAL: not above. */
totum_status tt_tuning_add_use(struct tt_tuning *tuning, const struct tt_tuning_use *use);
/*
 * Puts what `from` knows into `into`: a class of links, the rates of adding or copying, and the
 * decisions for one collective, nranks and nhosts each replace those that are there as a whole.
 */
totum_status tt_tuning_merge(struct tt_tuning *into, const struct tt_tuning *from);

/* The algorithm that was decided on, or NULL. */
const char *tt_tuning_find_use(const struct tt_tuning *tuning, enum tt_collective collective,
			       int64_t nranks, int64_t nhosts, uint64_t bytes);
/* Of the facts, whatever file they came from; never 0, but 0 for NULL: the built-in numbers. */
uint64_t tt_tuning_hash(const struct tt_tuning *tuning);

#endif
