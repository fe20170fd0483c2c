/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate.h - a schedule on a topology: which links its messages share, and how long that takes.
 *
 * A message takes the route of topology/route.h and occupies all its links at once (cut-through).
 * Three models:
 *
 *   load       rounds with a barrier between them; a round takes
 *                  alpha * (messages that leave a rank one after the other over one link, at most)
 *                  + the longest sum of hop times + max over links of load/capacity.
 *              Loads are exact fractions of blocks.
 *   flow       the same rounds, but messages share links max-min fairly from moment to moment.
 *   ready      flows without barriers: a message leaves when what it carries is there, as the
 *              executor does it.
 *
 * The messages of one rank to another in a round are one message.
 */
#ifndef TT_SIMULATE_H
#define TT_SIMULATE_H

#include "proof/fraction.h"
#include "schedule/ir.h"
#include "topology/topology.h"

/* What one round does to the links; valid during the call. */
struct tt_round_load {
	int64_t round, messages;
	int64_t latency;           /* ps: the alphas and hops of the round */
	struct tt_fraction load;   /* blocks per topology->unit: the greatest load/capacity */
	int32_t busiest;           /* that link; -1 when nothing moves */
	const int64_t *loads;      /* [nlinks], in blocks / scale */
	int64_t scale;
	double start, seconds;
};

/* A message in time; in load it ends when the most loaded link on its way has carried all. */
struct tt_message_span {
	int64_t round, from, to;
	double blocks, start, end; /* seconds; start includes no alpha */
};

struct tt_simulate_options {
	bool split;             /* half of each message on either of two equally good routes */
	bool overlap;           /* messages that leave over one link pay one alpha together */
	const int64_t *weights; /* [nblocks]: the size of each block in blocks; NULL: 1 each */
	double block_bytes;     /* bytes of a block of weight 1; 0: only latencies take time */
	/* May be NULL.  Called for each round (load; flow, without the loads), in order, and for
	 * each message. */
	void (*round)(void *context, const struct tt_round_load *load);
	void (*message)(void *context, const struct tt_message_span *span);
	void *context;
};

struct tt_simulation {
	int64_t rounds, messages;
	int64_t latency;           /* load: ps, sum over rounds */
	/* load: blocks per unit on the busiest link, summed over rounds; 0/0: beyond 64 bits. */
	struct tt_fraction volume;
	int64_t unit;              /* B/s */
	double seconds;
};

/*
 * TOTUM_EINVAL when the schedule's ranks are not the topology's or no route joins two ranks,
 * TOTUM_EUNSUPPORTED when numbers leave 64 bits.  options NULL: all zero.
 */
totum_status tt_simulate_load(const struct tt_schedule *schedule,
			      const struct tt_topology *topology,
			      const struct tt_simulate_options *options, struct tt_simulation *out);
totum_status tt_simulate_flow(const struct tt_schedule *schedule,
			      const struct tt_topology *topology,
			      const struct tt_simulate_options *options, struct tt_simulation *out);
totum_status tt_simulate_ready(const struct tt_schedule *schedule,
			       const struct tt_topology *topology,
			       const struct tt_simulate_options *options,
			       struct tt_simulation *out);
/*
 * load for a schedule of shifts on a symmetric shape, by arithmetic: O(records * dimensions),
 * whatever nranks is.  TOTUM_EUNSUPPORTED for other records, shapes, or with weights.
 * Observers are not called.
 */
totum_status tt_simulate_symmetric(const struct tt_schedule *schedule, const struct tt_shape *shape,
				   const struct tt_simulate_options *options,
				   struct tt_simulation *out);

/*
 * load for any schedule on a ring, line, torus, mesh or hypercube, without its graph.  Observers
 * are not called.
 */
totum_status tt_simulate_grid(const struct tt_schedule *schedule, const struct tt_shape *shape,
			      const struct tt_simulate_options *options, struct tt_simulation *out);

/* --- for the simulators themselves ----------------------------------------------------------- */

struct tt_message {
	int32_t from, to;
	int64_t volume; /* in blocks / tt_message_scale */
};

struct tt_messages {
	struct tt_message *items;
	int64_t count, capacity;
	struct tt_message *raw; /* scratch */
	int64_t raw_count, raw_capacity;
	int64_t *first, *slot;  /* scratch, [nranks + 1] */
};

/* In how many parts a block is counted: pieces, twice that when halves go different ways. */
int64_t tt_message_scale(const struct tt_schedule *schedule, bool split);
totum_status tt_messages_new(const struct tt_schedule *schedule, struct tt_messages *out);
void tt_messages_free(struct tt_messages *messages);
/* The messages of a round, ordered by sender; those without volume are dropped. */
totum_status tt_messages_collect(struct tt_messages *messages, const struct tt_schedule *schedule,
				 int64_t round, const struct tt_simulate_options *options);
/* TOTUM_EINVAL unless the schedule has as many ranks as that topology and no weight is negative. */
totum_status tt_simulate_fits(const struct tt_schedule *schedule, int64_t nranks,
			      const char *topology, const struct tt_simulate_options *options);

#endif
