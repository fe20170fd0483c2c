/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate_messages - the messages of one round, with their volumes in whole parts of a block.
 *
 * Records are expanded rank by rank, then gathered by sender with a counting sort, and what goes to
 * the same receiver becomes one message.  O(transfers of the round + ranks).
 */
#include <stdlib.h>
#include <string.h>

#include "proof/simulate.h"
#include "schedule/grow.h"

int64_t tt_message_scale(const struct tt_schedule *schedule, bool split)
{
	return (int64_t)schedule->pieces * (split ? 2 : 1);
}

totum_status tt_simulate_fits(const struct tt_schedule *schedule, int64_t nranks,
			      const char *topology, const struct tt_simulate_options *options)
{
	if (schedule->nranks != nranks)
		return tt_fail(TOTUM_EINVAL,
			       "the schedule has %lld ranks and topology %s has %lld; give both "
			       "the same number",
			       (long long)schedule->nranks, topology, (long long)nranks);
	for (int64_t b = 0; options->weights && b < schedule->nblocks; b++)
		if (options->weights[b] < 0)
			return tt_fail(TOTUM_EINVAL,
				       "the weight of block %lld is %lld; a size is 0 or more",
				       (long long)b, (long long)options->weights[b]);
	return TOTUM_OK;
}

totum_status tt_messages_new(const struct tt_schedule *schedule, struct tt_messages *out)
{
	size_t n = (size_t)schedule->nranks + 1;

	*out = (struct tt_messages){.first = malloc(n * sizeof *out->first),
				    .slot = calloc(n, sizeof *out->slot)};
	if (out->first && out->slot)
		return TOTUM_OK;
	tt_messages_free(out);
	return tt_fail_memory(2 * n * sizeof *out->first, "messages");
}

void tt_messages_free(struct tt_messages *messages)
{
	free(messages->items);
	free(messages->raw);
	free(messages->first);
	free(messages->slot);
	*messages = (struct tt_messages){0};
}

/* Blocks times pieces of a transfer, in parts of a block; false when that leaves 64 bits. */
static bool volume_of(const struct tt_transfer *transfer, const struct tt_simulate_options *options,
		      int64_t *volume)
{
	int64_t blocks = transfer->blocks.count;

	if (options->weights) {
		blocks = 0;
		for (int64_t i = 0; i < transfer->blocks.count; i++)
			if (__builtin_add_overflow(
				    blocks, options->weights[tt_blocks_at(&transfer->blocks, i)],
				    &blocks))
				return false;
	}
	return !__builtin_mul_overflow(
		blocks, (int64_t)transfer->npieces * (options->split ? 2 : 1), volume);
}

static totum_status add(struct tt_messages *messages, const struct tt_transfer *transfer,
			const struct tt_simulate_options *options)
{
	struct tt_message message = {.from = (int32_t)transfer->from, .to = (int32_t)transfer->to};

	if (!volume_of(transfer, options, &message.volume))
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "a message of more than 9e18 parts of blocks; use smaller shards");
	if (!message.volume)
		return TOTUM_OK;
	struct tt_message *raw =
		tt_grow(messages->raw, messages->raw_count, &messages->raw_capacity, sizeof *raw);
	if (!raw)
		return tt_fail_memory(2 * (size_t)messages->raw_count * sizeof *raw, "messages");
	messages->raw = raw;
	raw[messages->raw_count++] = message;
	return TOTUM_OK;
}

static totum_status expand(struct tt_messages *messages, const struct tt_schedule *schedule,
			   const struct tt_record *record, int64_t round,
			   const struct tt_simulate_options *options)
{
	bool single = record->primitive == TT_MOVE;
	int64_t begin = single ? record->move.from : 0, end = single ? begin + 1 : schedule->nranks;
	struct tt_transfer transfer;
	totum_status status = TOTUM_OK;

	for (int64_t rank = begin; rank < end && !status; rank++)
		if (tt_record_send(schedule, record, round, rank, &transfer))
			status = add(messages, &transfer, options);
	return status;
}

/* Orders raw by sender into items. */
static totum_status sort_by_sender(struct tt_messages *messages, int64_t nranks)
{
	size_t bytes = (size_t)messages->raw_capacity * sizeof *messages->items;

	if (messages->capacity < messages->raw_count) {
		free(messages->items);
		messages->items = malloc(bytes);
		messages->capacity = messages->items ? messages->raw_capacity : 0;
		if (!messages->items)
			return tt_fail_memory(bytes, "messages");
	}
	memset(messages->first, 0, (size_t)(nranks + 1) * sizeof *messages->first);
	for (int64_t i = 0; i < messages->raw_count; i++)
		messages->first[messages->raw[i].from + 1]++;
	for (int64_t r = 0; r < nranks; r++)
		messages->first[r + 1] += messages->first[r];
	for (int64_t i = 0; i < messages->raw_count; i++)
		messages->items[messages->first[messages->raw[i].from]++] = messages->raw[i];
	return TOTUM_OK;
}

/* Joins what goes from one rank to another; slot[to] is 1 + the current sender's message to it. */
static totum_status join(struct tt_messages *messages)
{
	int64_t kept = 0, begin = 0;

	for (int64_t i = 0; i < messages->raw_count; i++) {
		struct tt_message message = messages->items[i];

		if (kept && messages->items[kept - 1].from != message.from)
			begin = kept;
		int64_t slot = messages->slot[message.to];
		bool known =
			slot > begin && slot <= kept && messages->items[slot - 1].to == message.to;
		if (!known) {
			messages->items[kept++] = message;
			messages->slot[message.to] = kept;
		} else if (__builtin_add_overflow(messages->items[slot - 1].volume, message.volume,
						  &messages->items[slot - 1].volume)) {
			return tt_fail(
				TOTUM_EUNSUPPORTED,
				"a message of more than 9e18 parts of blocks; use smaller shards");
		}
	}
	messages->count = kept;
	return TOTUM_OK;
}

totum_status tt_messages_collect(struct tt_messages *messages, const struct tt_schedule *schedule,
				 int64_t round, const struct tt_simulate_options *options)
{
	struct tt_round_walk walk = {0};
	const struct tt_record *record;
	totum_status status = TOTUM_OK;

	messages->raw_count = messages->count = 0;
	while (!status && tt_round_next(schedule, round, &walk, &record))
		status = expand(messages, schedule, record, round, options);
	if (!status && messages->raw_count)
		status = sort_by_sender(messages, schedule->nranks);
	return status || !messages->raw_count ? status : join(messages);
}
