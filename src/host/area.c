/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * area - offsets within a communicator's shared memory; every rank's slots start on a page of their
 * own, so that the pages lie where their writer first touches them.
 */
#include "host/area.h"

static size_t pages(size_t bytes)
{
	return (bytes + TT_PAGE - 1) / TT_PAGE * TT_PAGE;
}

static size_t desks_at(void)
{
	return pages(sizeof(struct tt_head));
}

static size_t slots_at(int nranks)
{
	return desks_at() + pages((size_t)nranks * sizeof(struct tt_desk));
}

size_t tt_area_stage_bytes(int nranks)
{
	size_t least = (size_t)nranks * TT_LINE, usual = nranks > 2 ? TT_STAGE : TT_STAGE_TWO;

	return pages(least > usual ? least : usual);
}

size_t tt_area_foreword_bytes(int nranks)
{
	return pages((size_t)nranks * TT_FOREWORD);
}

static size_t stage_room(int nranks)
{
	/* a page more for the shift */
	return tt_area_foreword_bytes(nranks) + tt_area_stage_bytes(nranks) + TT_PAGE;
}

/* The slots of a rank, and then its stages. */
static size_t rank_slots(int nranks)
{
	return pages(TT_BEATS * sizeof(struct tt_slot)) + TT_STAGES * stage_room(nranks);
}

static size_t channels_at(int nranks)
{
	return slots_at(nranks) + (size_t)nranks * rank_slots(nranks);
}

size_t tt_area_bytes(int nranks)
{
	return channels_at(nranks) +
	       pages(TT_LANES * (size_t)nranks * (size_t)nranks * sizeof(struct tt_channel));
}

struct tt_head *tt_area_head(void *area)
{
	return area;
}

struct tt_desk *tt_area_desk(void *area, int rank)
{
	return (struct tt_desk *)((char *)area + desks_at()) + rank;
}

struct tt_slot *tt_area_slot(void *area, int nranks, int rank, uint32_t beat)
{
	size_t at = slots_at(nranks) + (size_t)rank * rank_slots(nranks);

	return (struct tt_slot *)((char *)area + at) + beat % TT_BEATS;
}

unsigned char *tt_area_stage(void *area, int nranks, int rank, uint32_t beat)
{
	size_t at = slots_at(nranks) + (size_t)rank * rank_slots(nranks) +
		    pages(TT_BEATS * sizeof(struct tt_slot));

	return (unsigned char *)area + at + beat % TT_STAGES * stage_room(nranks) +
	       tt_area_foreword_bytes(nranks);
}

struct tt_channel *tt_area_channel(void *area, int nranks, enum tt_lane lane, int from, int to)
{
	struct tt_channel *first = (struct tt_channel *)((char *)area + channels_at(nranks));

	return first + ((size_t)lane * (size_t)nranks + (size_t)from) * (size_t)nranks + (size_t)to;
}
