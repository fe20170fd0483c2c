/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * price - what a schedule costs in the alpha-beta-gamma model.
 *
 * A round is a bag of messages (from, to, pieces).  Sorted by sender, each run is what one rank
 * sends; sorted by receiver, what one rank receives; the busiest run decides.  Shifts and exchanges
 * are alike for every rank, so that a round of them alone needs rank 0's messages only: an
 * algorithm for 1,000,000 ranks is priced from its handful of records.
 */
#include "proof/price.h"

#include <stdlib.h>

#include "proof/bound.h"

struct message {
	int64_t from, to;
	int64_t pieces; /* of all blocks together */
	bool reduce;
};

struct bag {
	struct message *messages;
	int64_t count, capacity;
};

/* What the busiest rank of a round does, in pieces. */
struct busiest {
	int64_t link; /* on one link, times the links of the machine */
	int64_t added;
	int64_t messages;
};

static totum_status put(struct bag *bag, const struct tt_transfer *transfer)
{
	if (bag->count == bag->capacity) {
		int64_t capacity = bag->capacity ? 2 * bag->capacity : 64;
		size_t bytes = (size_t)capacity * sizeof(*bag->messages);
		struct message *messages = realloc(bag->messages, bytes);

		if (!messages)
			return tt_fail_memory(bytes, "the messages of a round");
		bag->messages = messages;
		bag->capacity = capacity;
	}
	bag->messages[bag->count++] = (struct message){
		.from = transfer->from,
		.to = transfer->to,
		.pieces = transfer->blocks.count * transfer->npieces,
		.reduce = transfer->reduce,
	};
	return TOTUM_OK;
}

static totum_status put_record(struct bag *bag, const struct tt_schedule *schedule,
			       const struct tt_record *record, int64_t round, int64_t nranks)
{
	int64_t first = record->primitive == TT_MOVE ? record->move.from : 0;
	int64_t end = record->primitive == TT_MOVE ? first + 1 : nranks;
	struct tt_transfer transfer;

	for (int64_t rank = first; rank < end; rank++) {
		tt_record_send(schedule, record, round, rank, &transfer);
		totum_status status = put(bag, &transfer);

		if (status)
			return status;
	}
	return TOTUM_OK;
}

/* The messages of a round: of rank 0 alone when every rank does alike (*alike), else of all. */
static totum_status collect(struct bag *bag, const struct tt_schedule *schedule, int64_t round,
			    bool *alike)
{
	const struct tt_record *record;

	bag->count = 0;
	*alike = true;
	for (struct tt_round_walk walk = {0}; tt_round_next(schedule, round, &walk, &record);)
		if (record->primitive == TT_MOVE)
			*alike = false;
	for (struct tt_round_walk walk = {0}; tt_round_next(schedule, round, &walk, &record);) {
		totum_status status =
			put_record(bag, schedule, record, round, *alike ? 1 : schedule->nranks);

		if (status)
			return status;
	}
	return TOTUM_OK;
}

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_sender(const void *left, const void *right)
{
	const struct message *a = left, *b = right;
	int first = order(a->from, b->from);

	return first ? first : order(a->to, b->to);
}

static int by_receiver(const void *left, const void *right)
{
	const struct message *a = left, *b = right;
	int first = order(a->to, b->to);

	return first ? first : order(a->from, b->from);
}

static int64_t largest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Takes the run of one rank's messages into account; peers are neighbours in it. */
static void weigh(const struct message *run, int64_t count, bool receiving, int64_t links,
		  struct busiest *busiest)
{
	int64_t messages = 0, total = 0, longest = 0, current = 0, added = 0;

	for (int64_t i = 0; i < count; i++) {
		bool same = i > 0 && run[i].from == run[i - 1].from && run[i].to == run[i - 1].to;

		messages += !same;
		current = same ? current + run[i].pieces : run[i].pieces;
		longest = largest(longest, current);
		total += run[i].pieces;
		added += run[i].reduce ? run[i].pieces : 0;
	}
	busiest->link = largest(busiest->link, messages > links ? largest(longest * links, total)
								: longest * links);
	busiest->messages = largest(busiest->messages, messages);
	if (receiving)
		busiest->added = largest(busiest->added, added);
}

static void weigh_all(struct bag *bag, bool receiving, int64_t links, struct busiest *busiest)
{
	qsort(bag->messages, (size_t)bag->count, sizeof(*bag->messages),
	      receiving ? by_receiver : by_sender);
	for (int64_t start = 0, end; start < bag->count; start = end) {
		const struct message *run = &bag->messages[start];

		for (end = start + 1; end < bag->count; end++)
			if (receiving ? bag->messages[end].to != run->to
				      : bag->messages[end].from != run->from)
				break;
		weigh(run, end - start, receiving, links, busiest);
	}
}

static struct busiest weigh_round(struct bag *bag, bool alike, int64_t links)
{
	struct busiest busiest = {0};

	if (!bag->count)
		return busiest;
	weigh_all(bag, false, links, &busiest);
	if (alike) /* what rank 0 sends is what every rank sends, and so what every rank receives */
		weigh(bag->messages, bag->count, true, links, &busiest);
	else
		weigh_all(bag, true, links, &busiest);
	return busiest;
}

totum_status tt_price_count(const struct tt_schedule *schedule, int64_t links, struct tt_price *out)
{
	struct bag bag = {0};
	struct tt_price price = {.rounds = schedule->rounds};
	__int128 link = 0, added = 0;

	if (links < 1 || links > TT_MAX_RANKS)
		return tt_fail(TOTUM_EINVAL, "a rank has 1 to %d links, not %lld", TT_MAX_RANKS,
			       (long long)links);
	for (int64_t round = 0; round < schedule->rounds; round++) {
		bool alike;
		totum_status status = collect(&bag, schedule, round, &alike);

		if (status) {
			free(bag.messages);
			return status;
		}
		struct busiest busiest = weigh_round(&bag, alike, links);

		link += busiest.link;
		added += busiest.added;
		price.ports = largest(price.ports, busiest.messages);
		price.queued += busiest.messages ? (busiest.messages - 1) / links : 0;
	}
	free(bag.messages);
	price.volume = tt_fraction_of(link, (__int128)schedule->pieces * links);
	price.added = tt_fraction_of(added, schedule->pieces);
	if (!tt_fraction_valid(price.volume) || !tt_fraction_valid(price.added))
		return tt_fail(
			TOTUM_EUNSUPPORTED,
			"the volume of %s on %lld ranks does not fit a fraction of 64-bit numbers",
			schedule->name, (long long)schedule->nranks);
	*out = price;
	return TOTUM_OK;
}

totum_status tt_price_own(const struct tt_schedule *schedule, struct tt_price *out)
{
	totum_status status = tt_price_count(schedule, 1, out);

	if (status || out->ports <= 1)
		return status;
	return tt_price_count(schedule, out->ports, out);
}

/* Blocks that the busiest rank must send or receive, and additions that it must do. */
static void needs(enum tt_collective collective, int64_t nranks, int64_t *blocks, int64_t *added)
{
	*blocks = nranks - 1;
	*added = tt_reduces(collective) ? nranks - 1 : 0;
	if (collective == TT_ALLREDUCE)
		*blocks = 2 * (nranks - 1);
	if (nranks > 1 && (collective == TT_BROADCAST || collective == TT_REDUCE))
		*blocks = nranks;
}

struct tt_price tt_price_least(enum tt_collective collective, int64_t nranks, int64_t ports,
			       int64_t links)
{
	int64_t blocks, added;

	needs(collective, nranks, &blocks, &added);
	return (struct tt_price){.rounds = tt_bound_rounds(nranks, ports),
				 .volume = tt_fraction_of(blocks, links),
				 .added = tt_fraction_of(added, 1),
				 .ports = ports};
}

double tt_price_seconds(const struct tt_price *price, int64_t nranks, uint64_t total,
			const struct tt_machine *machine)
{
	double block = (double)total / (double)nranks;

	return (double)price->rounds * machine->alpha + (double)price->queued * machine->overhead +
	       tt_fraction_value(price->volume) * block / machine->beta +
	       tt_fraction_value(price->added) * block * machine->gamma;
}
