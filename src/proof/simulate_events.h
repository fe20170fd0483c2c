/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate_events.h - messages in time: they start, share links fairly, and end.
 *
 * A driver adds messages, launches those that may go, and is told when each is done, whereupon it
 * may launch others.  Messages that leave over the same link wait for each other's alpha.
 */
#ifndef TT_SIMULATE_EVENTS_H
#define TT_SIMULATE_EVENTS_H

#include "proof/simulate.h"

struct tt_events;

/* scale: a message's volume is in blocks / scale; done is called once for each message launched. */
totum_status tt_events_new(const struct tt_topology *topology,
			   const struct tt_simulate_options *options, int64_t scale,
			   totum_status (*done)(void *context, int64_t message, double now),
			   void *context, struct tt_events **out);
void tt_events_free(struct tt_events *events); /* NULL is legal */
/* Messages are numbered in the order of adding. */
totum_status tt_events_add(struct tt_events *events, const struct tt_message *message);
/* Forgets all messages, which must be done; the time goes on. */
void tt_events_clear(struct tt_events *events);
/* The message may leave from `now` on: its alpha follows those launched before over this link. */
void tt_events_launch(struct tt_events *events, int64_t message, double now);
/* Until nothing is under way; returns the first failure. */
totum_status tt_events_run(struct tt_events *events);

#endif
