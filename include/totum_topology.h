/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totum_topology.h - the wires: topologies, the bounds they set, and schedules simulated on them.
 *
 * A topology is named by a SPEC ("ring:8", "torus:4x4", "fattree:4x8,taper=2",
 * "boxes:2x8,inside=300,outside=25", "2x4" for hosts x ranks, ..), by a file in totum's text form
 * (totum-topo(1)), or by a host's hwloc XML, "hwloc:FILE.xml".  Everything is as in totum_lab.h:
 * statuses, sentences, streams of the caller's.
 */
#ifndef TOTUM_TOPOLOGY_H
#define TOTUM_TOPOLOGY_H

#include <stdio.h>

#include "totum_lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- topologies ------------------------------------------------------------------------------ */

/* Ranks and switches, and the directed links between them. */
typedef struct totum_topology totum_topology;

/* The caller frees it. */
TOTUM_API totum_status totum_topology_open(const char *file_or_spec, totum_topology **out);
TOTUM_API void totum_topology_free(totum_topology *topology); /* NULL is legal */

/* What no schedule of a collective can beat on these wires. */
typedef struct totum_limits {
	/* exact: blocks (1/nranks of the bytes) per `unit` of capacity */
	int64_t lambda_over, lambda_under;
	int64_t unit;          /* B/s: the greatest common divisor of all capacities */
	int64_t rounds;        /* at least, when a rank sends one message a round */
	double latency;        /* seconds at least for the start-up times alone */
	double seconds;        /* at least for the bytes that were asked about, latency included */
	char bottleneck[320];  /* the links that set lambda, in a sentence */
} totum_limits;

/* collective: "allgather", ..; bytes: the size M of the result. */
TOTUM_API totum_status totum_topology_limits(const totum_topology *topology, const char *collective,
					     uint64_t bytes, totum_limits *out);

typedef enum totum_picture {
	TOTUM_PICTURE_TEXT, /* a drawing in letters, with facts and limits below */
	TOTUM_PICTURE_SVG,
	TOTUM_PICTURE_DOT,  /* for Graphviz */
	TOTUM_PICTURE_JSON, /* facts, limits, vertices and links */
	TOTUM_PICTURE_TOPO  /* the text form of totum_topology_open */
} totum_picture;

/* All zero: text, all-gather of 1M, no limit of columns. */
typedef struct totum_topology_view {
	totum_picture picture;
	const char *collective; /* whose limits are shown; NULL: allgather */
	uint64_t bytes;         /* their M; 0: 1M */
	int width;              /* columns of text to stay within; 0: no limit */
	const char *command;    /* the command line, which pictures show; NULL: none */
} totum_topology_view;

TOTUM_API totum_status totum_topology_show(const totum_topology *topology,
					   const totum_topology_view *view, FILE *out);

/* --- simulation ------------------------------------------------------------------------------ */

typedef enum totum_model {
	TOTUM_LOAD, /* rounds with barriers; a round lasts as long as its most loaded link */
	TOTUM_FLOW, /* rounds with barriers; messages share links max-min fairly at every moment */
	TOTUM_READY /* fair sharing, no barriers: a message leaves when what it carries is there */
} totum_model;

/* All zero: text, the load model, ties one way, an alpha for each message. */
typedef struct totum_simulation_view {
	const char *topology; /* where the problem names none, and for schedules */
	totum_model model;
	int split;            /* half of each message on either of two equally good routes */
	int overlap;          /* messages that leave over one link pay one alpha together */
	int rounds;           /* list the rounds */
	int loads;            /* list the load of every link in each round; load model */
	totum_format format;  /* TOTUM_TEXT or TOTUM_JSON */
	FILE *trace;          /* all messages in time: for Perfetto, chrome://tracing; NULL: none */
	const char *command;
} totum_simulation_view;

typedef struct totum_simulation {
	int64_t rounds, messages;
	double seconds, bound; /* predicted, and what no schedule can beat */
	/*
	 * load model: blocks per unit on the busiest link, summed over rounds; 0/0 when it leaves
	 * 64 bits, and in other models
	 */
	int64_t volume_over, volume_under;
	int64_t unit; /* B/s */
} totum_simulation;

/*
 * The schedule that solves a problem, on its topology; the planner chooses where the problem names
 * no algorithm.  result and out may be NULL.  Shift algorithms on a symmetric SPEC take any number
 * of ranks.
 */
TOTUM_API totum_status totum_simulate(const char *problem, const totum_simulation_view *view,
				      totum_simulation *result, FILE *out);
/* Any schedule of `bytes` bytes (M) on view->topology. */
TOTUM_API totum_status totum_schedule_simulate(const totum_schedule *schedule, uint64_t bytes,
					       const totum_simulation_view *view,
					       totum_simulation *result, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
