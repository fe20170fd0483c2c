/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reached - the end of a failed all-gather on one host: what has been taken, and what still stands
 * in the slots and stages of peers.
 *
 * A rank takes its peers' bytes in turn and gives up at the first that is dead, so the bytes of
 * others, dead ones too, may stand published and untaken.  They stay: whoever refills a slot or a
 * stage has seen this rank's later beats (area.h), which it never publishes; and the survivors'
 * list in a stage (runtime/shrink.c) is written when this rank has come to the shrink, not before.
 *
 * An offered buffer is its owner's again once the owner has left the call.  It counts when it was
 * read in time; and it is read here, if that is in shared memory, of an owner that is known to have
 * died before anybody left: who could complete the call lacks this rank's last beat.
 */
#include "host/reached.h"

#include "host/kinds.h"
#include "host/source.h"

/* Is it published, and for this very call? */
static bool stands(const struct tt_host *host, const struct tt_slot *slot, uint32_t beat)
{
	return tt_host_arrived(slot, beat) && slot->number == (uint16_t)host->calls &&
	       tt_call_same(&slot->call, &host->call);
}

/* The block of a peer whose first slot says where it lies. */
static bool take_offered(struct tt_host *host, const struct tt_task *task, int peer,
			 const struct tt_slot *slot)
{
	struct tt_source source;

	if (!atomic_load_explicit(&tt_area_desk(host->area, peer)->fell, memory_order_relaxed))
		return false;
	memcpy(&source, slot->small, sizeof source);
	if (source.kind != TT_SOURCE_HEAP && source.kind != TT_SOURCE_SHARED)
		return false;
	const unsigned char *from = tt_source_map(host, peer, &source);
	if (from)
		tt_put(task, task->recv + tt_place_of(task, peer), from, tt_size_of(task, peer));
	return from != NULL;
}

/* Peer's block from its part of the task's beat `next` on; true when that was all of it. */
static bool take_standing(struct tt_host *host, const struct tt_task *task, int peer, uint32_t next)
{
	size_t bytes = tt_size_of(task, peer), got = next * host->stage;
	unsigned char *to = task->recv + tt_place_of(task, peer);
	bool may = !atomic_load_explicit(&host->desk->shrinking, memory_order_relaxed);

	for (; may && got < bytes; next++) {
		uint32_t beat = host->beat + 1 - task->step + next;
		const struct tt_slot *slot = tt_host_slot(host, peer, beat);
		size_t now = tt_part(bytes, got, host->stage);
		if (!stands(host, slot, beat))
			break;
		if (slot->flags & TT_SLOT_OFFERS) /* the task's first, so all of it */
			return take_offered(host, task, peer, slot);
		tt_put(task, to + got,
		       tt_stage_get(slot, tt_host_stage(host, peer, beat), now, tt_inline(task)),
		       now);
		got += now;
	}
	return got >= bytes;
}

void tt_task_reached(struct tt_host *host, const struct tt_task *task, unsigned char *blocks)
{
	for (int i = 1; i < host->nranks; i++) {
		int peer = tt_host_peer(host, i);
		uint32_t beats = task->taking + (i < task->taken); /* that have been taken */
		bool offered = task->offers && beats > 0 && host->offered[peer];
		if (offered || take_standing(host, task, peer, beats))
			tt_ranks_add(blocks, peer);
	}
}
