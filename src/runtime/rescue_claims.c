/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rescue_claims - which call do the survivors mean, and has this rank what it says?
 *
 * A failure does not reach all ranks in the same call: one may have completed the call in which
 * another failed, and have failed in a later one, with the same counts and other bytes.  So calls
 * are told apart by their numbers, and what a rank has is looked up for that number.
 */
#include <inttypes.h>

#include "host/reached.h"
#include "runtime/reached.h"
#include "runtime/rescue_parts.h"

static bool same_call(const struct tt_fingerprint *a, const struct tt_fingerprint *b)
{
	return a->kind == b->kind && a->count == b->count && a->sizes == b->sizes;
}

/* The recorder's entry of a call, NULL when there is none any more, or not yet. */
static const struct tt_entry *entry_of(const totum_comm *comm, int64_t number)
{
	const struct tt_recorder *recorder = comm->recorder;
	const struct tt_entry *entry =
		recorder && number > 0 ? &recorder->entries[number % TT_RECORDED] : NULL;

	return entry && entry->number == (uint64_t)number ? entry : NULL;
}

static bool is_completed(const struct tt_entry *entry)
{
	return entry && entry->ended && !entry->status;
}

/* The numbers of the claim but for the one that the caller means. */
static void find_numbers(const totum_comm *broken, struct tt_claim *claim)
{
	int64_t calls = broken->recorder ? (int64_t)broken->recorder->calls : 0;
	int64_t uncounted = (int64_t)broken->uncounted;

	if (broken->reached) {
		claim->latest = claim->failed = (int64_t)broken->reached->number - uncounted;
		return;
	}
	claim->latest = calls - uncounted;
	claim->failed = claim->latest + (is_completed(entry_of(broken, calls)) || !calls);
}

static totum_status refuse(int64_t number, const struct tt_fingerprint *call)
{
	char text[TT_CALL_TEXT];

	return tt_fail(TOTUM_EINVAL,
		       "a rescue of call %" PRId64
		       " with other arguments: that was %s; give it the "
		       "arguments and buffers of the call",
		       number, tt_call_describe(call, text));
}

/* Blocks of nothing are here, whoever is lost. */
static void add_empty(struct tt_rescue *rescue)
{
	const struct tt_task *task = &rescue->call->task;

	for (int rank = 0; rank < rescue->broken->nranks; rank++)
		if (!tt_size_of(task, rank))
			tt_ranks_add(rescue->mine, rank);
}

static totum_status look_up(struct tt_rescue *rescue, const struct tt_claim *claim)
{
	const totum_comm *broken = rescue->broken;
	const struct tt_fingerprint *call = &rescue->call->task.call;
	const struct tt_reached *reached = broken->reached;
	int64_t number = tt_rescue_recorded(rescue, claim->number);
	const struct tt_entry *entry = entry_of(broken, number);

	if (!broken->recorder)
		return tt_fail(TOTUM_EMEMORY, "rank %d had no memory to record its calls",
			       broken->rank);
	if (claim->number < 1 || (claim->number < claim->failed && !entry))
		return tt_fail(TOTUM_EINVAL,
			       "rank %d has not made, or has forgotten, the call that it wants to "
			       "rescue; its last one is call %" PRId64 ", and %d are remembered",
			       broken->rank, tt_rescue_recorded(rescue, claim->latest),
			       TT_RECORDED);
	if (reached && number == (int64_t)reached->number) {
		if (!same_call(&reached->call, call) || reached->recv != rescue->call->task.recv ||
		    reached->places != tt_reached_places(broken, rescue->call))
			return refuse(number, &reached->call);
		memcpy(rescue->mine, reached->blocks, rescue->row);
	} else if (entry && !same_call(&entry->call, call)) {
		return refuse(number, &entry->call);
	} else if (is_completed(entry)) {
		rescue->completed = true;
		memset(rescue->mine, 0xff, rescue->row);
	}
	add_empty(rescue);
	return TOTUM_OK;
}

struct tt_claim tt_rescue_claim(struct tt_rescue *rescue, int back)
{
	const totum_comm *broken = rescue->broken;
	const struct tt_fingerprint *call = &rescue->call->task.call;
	struct tt_claim claim = {.rank = broken->rank,
				 .nranks = broken->nranks,
				 .kind = call->kind,
				 .count = call->count,
				 .sizes = call->sizes};

	find_numbers(broken, &claim);
	claim.number = claim.latest - back;
	claim.status = look_up(rescue, &claim);
	return claim;
}

/* Are the survivors ranks of the same broken communicator, each one once? */
static totum_status find_places(struct tt_rescue *rescue)
{
	int nranks = rescue->broken->nranks;

	for (int rank = 0; rank < nranks; rank++)
		rescue->place[rank] = -1;
	for (int i = 0; i < rescue->n; i++) {
		const struct tt_claim *claim = &rescue->claims[i];
		if (claim->nranks != nranks || claim->rank < 0 || claim->rank >= nranks ||
		    rescue->place[claim->rank] >= 0)
			return tt_fail(TOTUM_EMISMATCH,
				       "the ranks of a rescue give different failed communicators; "
				       "let all give the one that totum_comm_shrink got");
		rescue->place[claim->rank] = i;
	}
	return TOTUM_OK;
}

/* The first call that a survivor has not completed; when there is none, the last one of all. */
static int64_t wanted_call(const struct tt_rescue *rescue)
{
	int64_t first = rescue->claims[0].failed;
	bool failed = false;

	for (int i = 1; i < rescue->n; i++)
		if (rescue->claims[i].failed < first)
			first = rescue->claims[i].failed;
	for (int i = 0; i < rescue->n; i++)
		failed |= rescue->claims[i].failed == first && rescue->claims[i].latest == first;
	return failed ? first : first - 1;
}

static totum_status compare(struct tt_rescue *rescue, const struct tt_claim *a,
			    const struct tt_claim *b)
{
	struct tt_fingerprint first = {.kind = a->kind, .count = a->count, .sizes = a->sizes},
			      second = {.kind = b->kind, .count = b->count, .sizes = b->sizes};
	char one[TT_CALL_TEXT], other[TT_CALL_TEXT];

	if (a->number != b->number)
		return tt_fail(TOTUM_EMISMATCH,
			       "rank %d rescues its call %" PRId64 ", but rank %d its call %" PRId64
			       "; let all give the arguments of call %" PRId64 ", the first that "
			       "one of them has not completed",
			       a->rank, tt_rescue_recorded(rescue, a->number), b->rank,
			       tt_rescue_recorded(rescue, b->number),
			       tt_rescue_recorded(rescue, wanted_call(rescue)));
	if (same_call(&first, &second))
		return TOTUM_OK;
	return tt_fail(TOTUM_EMISMATCH,
		       "rank %d rescues %s, but rank %d %s%s; let all give the arguments of the "
		       "call that failed",
		       a->rank, tt_call_describe(&first, one), b->rank,
		       tt_call_describe(&second, other),
		       strcmp(one, other) ? "" : " with other counts of single ranks");
}

totum_status tt_rescue_judge(struct tt_rescue *rescue, int *back, const char *why)
{
	totum_status status = find_places(rescue);

	for (int i = 0; i < rescue->n && !status; i++) {
		const struct tt_claim *claim = &rescue->claims[i];
		if (claim->status && i == rescue->survivors->rank)
			status = tt_fail((totum_status)claim->status, "%s", why);
		else if (claim->status)
			status = tt_fail((totum_status)claim->status,
					 "rank %d refuses the rescue; its own error says why",
					 claim->rank);
	}
	for (int i = 1; i < rescue->n && !status; i++) {
		status = compare(rescue, &rescue->claims[0], &rescue->claims[i]);
		if (rescue->claims[0].number != rescue->claims[i].number)
			*back = (int)(rescue->claims[rescue->survivors->rank].latest -
				      wanted_call(rescue));
	}
	return status;
}
