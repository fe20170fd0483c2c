/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bundle_reduce - several all-reduces as one: every rank stages all its vectors as one stream, and
 * reduces them all.
 *
 * The dtypes and ops may differ.  Every vector begins at a multiple of the largest element, so that
 * a beat's window, which is one too, never cuts an element.  The order of a sum is rank order as in
 * a call alone, so the bits are the same.
 */
#include "host/inputs.h"
#include "host/kinds.h"
#include "host/reduce.h"

enum { ELEMENT = 8 /* bytes of the largest element */ };

static size_t room(const struct tt_task *member)
{
	return (member->bytes + ELEMENT - 1) / ELEMENT * ELEMENT;
}

/* The part of a member that lies in the stream's window [first, end). */
struct part {
	struct tt_task *member;
	size_t offset, bytes; /* within the member */
	size_t at;            /* within the window */
};

/* The window's next part after `*start`, the place of member *i in the stream; false at the end. */
static bool next_part(const struct tt_task *bundle, int *i, size_t *start, size_t first, size_t end,
		      struct part *out)
{
	for (; *i < bundle->nmembers && *start < end; (*i)++) {
		struct tt_task *member = bundle->members[*i];
		size_t from = *start > first ? *start : first, begins = *start;
		size_t to = tt_least(*start + member->bytes, end);
		*start += room(member);
		if (from >= to)
			continue;
		*out = (struct part){member, from - begins, to - from, from - first};
		(*i)++;
		return true;
	}
	return false;
}

static void reduces_begin(const struct tt_host *host, struct tt_task *bundle)
{
	bundle->longest = 0;
	for (int i = 0; i < bundle->nmembers; i++)
		bundle->longest += room(bundle->members[i]);
	bundle->small = bundle->longest <= tt_inline(bundle);
	bundle->ahead = bundle->longest > host->stage;
}

static void reduces_fill(struct tt_host *host, struct tt_task *bundle, struct tt_slot *slot,
			 unsigned char *stage)
{
	size_t now = tt_part(bundle->longest, bundle->at, host->stage), start = 0;
	unsigned char *to = now <= tt_inline(bundle) ? slot->small : stage;
	struct part part;

	for (int i = 0; next_part(bundle, &i, &start, bundle->at, bundle->at + now, &part);)
		tt_copy(to + part.at, part.member->send + part.offset, part.bytes);
}

static void reduces_combine(struct tt_host *host, struct tt_task *bundle)
{
	size_t now = tt_part(bundle->longest, bundle->took, host->stage), start = 0;
	uint32_t beat = tt_taken_beat(host, bundle);
	struct part part;

	for (int i = 0; next_part(bundle, &i, &start, bundle->took, bundle->took + now, &part);) {
		const struct tt_task *member = part.member;
		const void **inputs =
			tt_inputs_put(host, bundle, beat, now, part.at, member->send + part.offset);
		tt_reduce(member->recv + part.offset, inputs, host->nranks,
			  part.bytes / totum_dtype_size(member->dtype), member->dtype, member->op);
	}
}

static bool reduces_next(struct tt_host *host, struct tt_task *bundle)
{
	bundle->at += host->stage;
	return bundle->at < bundle->longest;
}

const struct tt_task_kind tt_kind_bundle_reduce = {reduces_begin, reduces_fill, NULL,
						   reduces_combine, reduces_next};
