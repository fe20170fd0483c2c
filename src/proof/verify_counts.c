/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify_counts.c - messages and blocks per round, against limits (V4) and claims (V8).
 *
 * What goes from one rank to one other in a round is one message.  Where a round has only shifts,
 * or only exchanges, all ranks do as rank 0 does and it alone is counted: O(records of the round);
 * else O(its moves).
 */
#include <stdlib.h>

#include "proof/verify_internal.h"
#include "schedule/grow.h"

struct message {
	int64_t from, to, pieces;
};

struct counter {
	struct tt_verifier verifier;
	int64_t limit;
	struct message *messages; /* of the round */
	int64_t count, capacity;
	int64_t *received; /* [nranks]: messages that a rank receives in the round; 0 between rounds
			    */
	__int128 volume, traffic;
	int64_t largest;
};

static totum_status put(struct counter *counter, const struct tt_transfer *transfer)
{
	struct message *messages =
		tt_grow(counter->messages, counter->count, &counter->capacity, sizeof(*messages));

	if (!messages)
		return tt_fail_memory(2 * (size_t)counter->count * sizeof(*messages),
				      "the moves of a round");
	counter->messages = messages;
	messages[counter->count++] =
		(struct message){.from = transfer->from,
				 .to = transfer->to,
				 .pieces = transfer->blocks.count * transfer->npieces};
	return TOTUM_OK;
}

/* Has the round only shifts, or only exchanges? */
static bool alike(const struct tt_schedule *schedule, int64_t round)
{
	struct tt_round_walk walk = {0};
	const struct tt_record *record;
	unsigned primitives = 0;

	while (tt_round_next(schedule, round, &walk, &record))
		primitives |= 1u << record->primitive;
	return primitives == 1u << TT_SHIFT || primitives == 1u << TT_EXCHANGE;
}

static totum_status collect(struct counter *counter, int64_t round, int64_t nranks)
{
	const struct tt_schedule *schedule = counter->verifier.schedule;
	struct tt_round_walk walk = {0};
	const struct tt_record *record;
	totum_status status = TOTUM_OK;

	counter->count = 0;
	while (!status && tt_round_next(schedule, round, &walk, &record)) {
		bool one = record->primitive == TT_MOVE;
		int64_t first = one ? record->move.from : 0, end = one ? first + 1 : nranks;

		for (int64_t rank = first; rank < end && !status; rank++) {
			struct tt_transfer transfer;

			if (tt_record_send(schedule, record, round, rank, &transfer))
				status = put(counter, &transfer);
		}
	}
	return status;
}

static int by_ends(const void *left, const void *right)
{
	const struct message *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* Sorts the messages and joins those between the same two ranks. */
static void join(struct counter *counter)
{
	int64_t kept = 0;

	if (counter->count)
		qsort(counter->messages, (size_t)counter->count, sizeof(*counter->messages),
		      by_ends);
	for (int64_t i = 0; i < counter->count; i++) {
		struct message *message = &counter->messages[i];

		if (kept && by_ends(message, &counter->messages[kept - 1]) == 0)
			counter->messages[kept - 1].pieces += message->pieces;
		else
			counter->messages[kept++] = *message;
	}
	counter->count = kept;
}

static void note_ports(struct counter *counter, int64_t round, int64_t rank, int64_t messages,
		       bool sending)
{
	struct tt_verify_report *report = counter->verifier.report;
	int64_t *most = sending ? &report->sends : &report->receives;

	if (messages > *most)
		*most = messages;
	if (counter->limit && messages > counter->limit)
		tt_violate(&counter->verifier, TT_V4_PORTS, round, rank, -1,
			   "round %lld: rank %lld %s %lld messages, more than its %lld ports",
			   (long long)round, (long long)rank, sending ? "sends" : "receives",
			   (long long)messages, (long long)counter->limit);
}

static void weigh(struct counter *counter, int64_t round, bool all_alike)
{
	int64_t largest = 0, sends = 0;

	counter->verifier.times = all_alike ? counter->verifier.schedule->nranks : 1;
	for (int64_t i = 0; i < counter->count; i++) {
		const struct message *message = &counter->messages[i];

		if (message->pieces > largest)
			largest = message->pieces;
		counter->traffic += (__int128)message->pieces * counter->verifier.times;
		counter->received[all_alike ? 0 : message->to]++;
		sends++;
		if (i + 1 == counter->count || message[1].from != message->from) {
			note_ports(counter, round, message->from, sends, true);
			sends = 0;
		}
	}
	for (int64_t i = 0; i < counter->count; i++) {
		int64_t rank = all_alike ? 0 : counter->messages[i].to;

		if (counter->received[rank])
			note_ports(counter, round, rank, counter->received[rank], false);
		counter->received[rank] = 0;
	}
	counter->volume += largest;
	if (largest > counter->largest)
		counter->largest = largest;
}

static void check_claims(const struct tt_verifier *verifier, const struct tt_claims *claims)
{
	const struct tt_verify_report *report = verifier->report;
	int64_t ports = report->sends > report->receives ? report->sends : report->receives;
	char claimed[TT_FRACTION_TEXT], counted[TT_FRACTION_TEXT];

	if (claims->rounds != report->rounds)
		tt_violate(verifier, TT_V8_COUNTS, report->rounds, 0, -1,
			   "the schedule has %lld rounds, not %lld as claimed",
			   (long long)report->rounds, (long long)claims->rounds);
	if (claims->ports != ports)
		tt_violate(verifier, TT_V8_COUNTS, report->rounds, 0, -1,
			   "a rank has up to %lld messages in a round, not %lld as claimed",
			   (long long)ports, (long long)claims->ports);
	if (!tt_fraction_valid(claims->volume) ||
	    tt_fraction_compare(claims->volume, report->volume))
		tt_violate(
			verifier, TT_V8_COUNTS, report->rounds, 0, -1,
			"the largest messages of all rounds sum up to %s blocks, not %s as claimed",
			tt_fraction_text(report->volume, counted),
			tt_fraction_text(claims->volume, claimed));
}

static totum_status finish(const struct counter *counter)
{
	const struct tt_schedule *schedule = counter->verifier.schedule;
	struct tt_verify_report *report = counter->verifier.report;

	report->rounds = schedule->rounds;
	report->volume = tt_fraction_of(counter->volume, schedule->pieces);
	report->largest = tt_fraction_of(counter->largest, schedule->pieces);
	report->traffic = tt_fraction_of(counter->traffic, schedule->pieces);
	if (!tt_fraction_valid(report->volume) || !tt_fraction_valid(report->traffic))
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "the traffic of schedule '%s' on %lld ranks does not fit 64 bits",
			       schedule->name, (long long)schedule->nranks);
	return TOTUM_OK;
}

totum_status tt_verify_counts(const struct tt_verifier *verifier,
			      const struct tt_verify_options *options)
{
	const struct tt_schedule *schedule = verifier->schedule;
	struct counter counter = {.verifier = *verifier, .limit = options->ports};
	totum_status status = TOTUM_OK;

	counter.received = calloc((size_t)schedule->nranks, sizeof(*counter.received));
	if (!counter.received)
		return tt_fail_memory((size_t)schedule->nranks * sizeof(*counter.received),
				      "a proof");
	for (int64_t round = 0; round < schedule->rounds && !status; round++) {
		bool all_alike = alike(schedule, round);

		status = collect(&counter, round, all_alike ? 1 : schedule->nranks);
		if (status)
			break;
		join(&counter);
		weigh(&counter, round, all_alike);
	}
	free(counter.messages);
	free(counter.received);
	if (!status)
		status = finish(&counter);
	if (!status && options->claims) {
		counter.verifier.times = 1;
		check_claims(&counter.verifier, options->claims);
	}
	return status;
}
