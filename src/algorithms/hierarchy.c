/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hierarchy - an all-gather over hosts, and what it costs.
 *
 * Round t*parts + k moves part k of the outer pattern's round t, hands on inside what the round
 * before brought, and in the first rounds the host's own blocks.  The cost is summed from the same
 * shares that the moves are made of: a link between hosts carries the overlap of its two ends'
 * shares, in O(nranks * nhosts).
 */
#include "algorithms/hierarchy.h"

#include "algorithms/claims.h"
#include "algorithms/moves.h"
#include "schedule/modular.h"

/*
 * Pieces that make all shares equal may be many; this many for each rank of the smaller host make
 * them equal to a sixteenth.
 */
enum { FINE = 64, COARSE = 16 };

/* --- the outer pattern --------------------------------------------------------------------- */

int64_t tt_outer_rounds(enum tt_outer outer, int64_t nhosts)
{
	return outer == TT_OUTER_BRUCK ? tt_log_ceil(2, nhosts) : nhosts - 1;
}

struct tt_outer_send tt_outer_send(enum tt_outer outer, int64_t nhosts, int64_t round, int64_t host)
{
	int64_t distance = outer == TT_OUTER_RING     ? 1
			   : outer == TT_OUTER_DIRECT ? round + 1
						      : (int64_t)1 << round;
	int64_t count = outer != TT_OUTER_BRUCK        ? 1
			: distance < nhosts - distance ? distance
						       : nhosts - distance;
	int64_t back = outer == TT_OUTER_RING ? round : count - 1;

	return (struct tt_outer_send){.to = (host + distance) % nhosts,
				      .first = tt_wrap(host - back, nhosts),
				      .count = count};
}

/* --- shares -------------------------------------------------------------------------------- */

/* A run of units or ranks. */
struct share {
	int64_t low, high;
};

/* What the local rank carries on a host of the units of `owner`'s blocks in one part. */
static struct share share_of(const struct tt_hierarchy *hierarchy, int64_t owner, int64_t host,
			     int64_t local)
{
	int64_t units = tt_placement_size(&hierarchy->hosts, owner) * hierarchy->pieces;
	int64_t size = tt_placement_size(&hierarchy->hosts, host);

	return (struct share){.low = (local * units + size - 1) / size,
			      .high = ((local + 1) * units + size - 1) / size};
}

static struct share overlap(struct share a, struct share b)
{
	struct share both = {a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};

	return both.low < both.high ? both : (struct share){0, 0};
}

/* A rank as a carrier on its host. */
struct carrier {
	int64_t host, local;
};

/* What two carriers of the same or two hosts share of one host's blocks. */
static struct share common(const struct tt_hierarchy *hierarchy, int64_t owner, struct carrier a,
			   struct carrier b)
{
	return overlap(share_of(hierarchy, owner, a.host, a.local),
		       share_of(hierarchy, owner, b.host, b.local));
}

/* The local ranks of `host` that may carry something of what this carrier does. */
static struct share peers_of(const struct tt_hierarchy *hierarchy, struct carrier own, int64_t host)
{
	int64_t size = tt_placement_size(&hierarchy->hosts, own.host);
	int64_t there = tt_placement_size(&hierarchy->hosts, host);

	return (struct share){.low = own.local * there / size,
			      .high = ((own.local + 1) * there + size - 1) / size};
}

/* Units of all blocks of a send that both carry. */
static int64_t load(const struct tt_hierarchy *hierarchy, struct tt_outer_send send,
		    struct carrier a, struct carrier b)
{
	int64_t sum = 0;

	for (int64_t i = 0; i < send.count; i++) {
		int64_t owner = (send.first + i) % hierarchy->hosts.nhosts;
		struct share both = common(hierarchy, owner, a, b);

		sum += both.high - both.low;
	}
	return sum;
}

/* Does the host before have as many ranks, so that it stands for this one? */
static bool repeats(const struct tt_placement *hosts, int64_t host)
{
	return host > 0 && tt_placement_size(hosts, host) == tt_placement_size(hosts, host - 1);
}

/* Pieces of a block with which two hosts' ranks can share the blocks of the other equally. */
static int64_t pieces_for(const struct tt_placement *hosts)
{
	int64_t most = 1, least = hosts->nranks, fine = 1;

	if (hosts->nranks > TT_HIERARCHY_RANKS)
		return 1; /* refused anyway */
	for (int64_t g = 0; g < hosts->nhosts; g++) {
		int64_t size = tt_placement_size(hosts, g);

		most = size > most ? size : most;
		least = size < least ? size : least;
	}
	int64_t coarse = (COARSE * most + least - 1) / least;
	int64_t enough = coarse > FINE ? coarse : FINE;

	for (int64_t g = 0; g < hosts->nhosts; g++)
		for (int64_t h = 0; h < hosts->nhosts && !repeats(hosts, g); h++) {
			int64_t size = tt_placement_size(hosts, g);
			int64_t need = size / tt_common_divisor(size, tt_placement_size(hosts, h));

			fine = repeats(hosts, h) ? fine : tt_common_multiple(fine, need, enough);
		}
	int64_t pieces = fine <= enough ? fine : coarse, top = TT_MAX_PIECES / TT_HIERARCHY_PARTS;

	return pieces < top ? pieces : top;
}

struct tt_hierarchy tt_hierarchy_make(const struct tt_placement *hosts, enum tt_outer outer,
				      int64_t parts)
{
	return (struct tt_hierarchy){.hosts = *hosts,
				     .outer = outer,
				     .parts = hosts->nhosts > 1 ? parts : 1,
				     .pieces = pieces_for(hosts)};
}

const char *tt_hierarchy_refuses(const struct tt_hierarchy *hierarchy)
{
	return hierarchy->hosts.nranks <= TT_HIERARCHY_RANKS ? NULL : "is for at most 2048 ranks";
}

/* --- moves --------------------------------------------------------------------------------- */

/* The units of one part of a host's blocks, as whole blocks where they are. */
static void put_units(struct tt_message *message, const struct tt_hierarchy *hierarchy,
		      int64_t owner, struct share units, int64_t part)
{
	int64_t pieces = hierarchy->pieces;

	for (int64_t at = units.low, next; at < units.high; at = next) {
		next = (at / pieces + 1) * pieces;
		next = next < units.high ? next : units.high;
		tt_message_put(message, tt_placement_rank(&hierarchy->hosts, owner, at / pieces),
			       part * pieces + at % pieces, next - at);
	}
}

/* What both carry of a send goes from one rank to the other. */
static void carry(struct tt_schedule *schedule, const struct tt_hierarchy *hierarchy, int64_t round,
		  int64_t part, struct tt_outer_send send, struct carrier a, struct carrier b,
		  int64_t from, int64_t to)
{
	struct tt_message message = {.schedule = schedule, .round = round, .from = from, .to = to};

	for (int64_t i = 0; i < send.count; i++) {
		int64_t owner = (send.first + i) % hierarchy->hosts.nhosts;

		put_units(&message, hierarchy, owner, common(hierarchy, owner, a, b), part);
	}
	tt_message_flush(&message);
}

static void between(struct tt_schedule *schedule, const struct tt_hierarchy *hierarchy,
		    int64_t round, int64_t part, struct tt_outer_send send, int64_t host)
{
	const struct tt_placement *hosts = &hierarchy->hosts;

	for (int64_t i = 0; i < tt_placement_size(hosts, host); i++) {
		struct carrier own = {host, i};
		struct share peers = peers_of(hierarchy, own, send.to);

		for (int64_t j = peers.low; j < peers.high; j++)
			carry(schedule, hierarchy, round, part, send, own,
			      (struct carrier){send.to, j}, tt_placement_rank(hosts, host, i),
			      tt_placement_rank(hosts, send.to, j));
	}
}

/* Every rank of the host hands what it carries of these blocks to the others. */
static void inside(struct tt_schedule *schedule, const struct tt_hierarchy *hierarchy,
		   int64_t round, int64_t part, struct tt_outer_send send)
{
	const struct tt_placement *hosts = &hierarchy->hosts;
	int64_t size = tt_placement_size(hosts, send.to);

	for (int64_t i = 0; i < size; i++)
		for (int64_t turn = 1; turn < size; turn++) {
			struct carrier own = {send.to, i};

			carry(schedule, hierarchy, round, part, send, own, own,
			      tt_placement_rank(hosts, send.to, i),
			      tt_placement_rank(hosts, send.to, (i + turn) % size));
		}
}

void tt_hierarchy_build(struct tt_schedule *schedule, const struct tt_hierarchy *hierarchy)
{
	int64_t nhosts = hierarchy->hosts.nhosts, parts = hierarchy->parts;
	int64_t rounds = tt_outer_rounds(hierarchy->outer, nhosts);

	for (int64_t i = 0; i < rounds * parts * nhosts; i++) {
		int64_t host = i % nhosts, round = i / nhosts, part = round % parts;
		struct tt_outer_send send =
			tt_outer_send(hierarchy->outer, nhosts, round / parts, host);

		between(schedule, hierarchy, round, part, send, host);
		inside(schedule, hierarchy, round + 1, part, send);
	}
	for (int64_t i = 0; i < parts * nhosts; i++)
		inside(schedule, hierarchy, i / nhosts, i / nhosts,
		       (struct tt_outer_send){i % nhosts, i % nhosts, 1});
}

/* --- cost ---------------------------------------------------------------------------------- */

/* What goes on in a round: the outer rounds whose exchange and hand-on it has, -1 for none. */
struct activity {
	int64_t exchange, hand_on;
	bool own; /* the hosts' own blocks are handed on, too */
};

/* Of a round: units on the busiest link, messages of the busiest rank. */
struct busiest {
	int64_t units, ports;
};

static void raise_to(int64_t *most, int64_t value)
{
	*most = value > *most ? value : *most;
}

/* The host that a host receives from, and what, in an outer round. */
static struct tt_outer_send incoming(const struct tt_hierarchy *hierarchy, int64_t round,
				     int64_t host, int64_t *from)
{
	int64_t nhosts = hierarchy->hosts.nhosts;
	int64_t distance = tt_outer_send(hierarchy->outer, nhosts, round, 0).to;

	*from = tt_wrap(host - distance, nhosts);
	return tt_outer_send(hierarchy->outer, nhosts, round, *from);
}

/* Messages between a rank and the ranks of another host. */
static int64_t count_between(const struct tt_hierarchy *hierarchy, struct tt_outer_send send,
			     struct carrier own, int64_t host, struct busiest *busiest)
{
	struct share peers = peers_of(hierarchy, own, host);
	int64_t messages = 0;

	for (int64_t i = peers.low; i < peers.high; i++) {
		int64_t units = load(hierarchy, send, own, (struct carrier){host, i});

		messages += units > 0;
		raise_to(&busiest->units, units);
	}
	return messages;
}

/* What a rank hands to each of the others on its host. */
static int64_t handed(const struct tt_hierarchy *hierarchy, struct activity activity,
		      struct carrier own)
{
	int64_t from, units = activity.own ? hierarchy->pieces : 0;

	if (tt_placement_size(&hierarchy->hosts, own.host) == 1)
		return 0;
	if (activity.hand_on >= 0)
		units += load(hierarchy, incoming(hierarchy, activity.hand_on, own.host, &from),
			      own, own);
	return units;
}

static void weigh_rank(const struct tt_hierarchy *hierarchy, struct activity activity,
		       struct carrier own, int64_t handing, struct busiest *busiest)
{
	int64_t size = tt_placement_size(&hierarchy->hosts, own.host);
	int64_t units = handed(hierarchy, activity, own), from;
	int64_t sends = units > 0 ? size - 1 : 0, receives = handing - (units > 0);

	if (activity.exchange >= 0) {
		struct tt_outer_send out = tt_outer_send(hierarchy->outer, hierarchy->hosts.nhosts,
							 activity.exchange, own.host);
		struct tt_outer_send in = incoming(hierarchy, activity.exchange, own.host, &from);

		sends += count_between(hierarchy, out, own, out.to, busiest);
		receives += count_between(hierarchy, in, own, from, busiest);
	}
	raise_to(&busiest->units, units);
	raise_to(&busiest->ports, sends);
	raise_to(&busiest->ports, receives);
}

static struct busiest weigh(const struct tt_hierarchy *hierarchy, struct activity activity)
{
	const struct tt_placement *hosts = &hierarchy->hosts;
	struct busiest busiest = {0};

	for (int64_t host = 0; host < hosts->nhosts; host++) {
		int64_t size = tt_placement_size(hosts, host), handing = 0;

		for (int64_t i = 0; i < size; i++)
			handing += handed(hierarchy, activity, (struct carrier){host, i}) > 0;
		for (int64_t i = 0; i < size; i++)
			weigh_rank(hierarchy, activity, (struct carrier){host, i}, handing,
				   &busiest);
	}
	return busiest;
}

struct tt_cost tt_hierarchy_cost(const struct tt_hierarchy *hierarchy)
{
	int64_t rounds = tt_outer_rounds(hierarchy->outer, hierarchy->hosts.nhosts);
	int64_t units = 0, ports = 0;
	bool hands = tt_placement_most(&hierarchy->hosts) > 1;

	for (int64_t t = 0; t <= rounds; t++) {
		int64_t exchange = t < rounds ? t : -1;
		bool own = t == 0;
		struct busiest first = weigh(hierarchy, (struct activity){exchange, t - 1, own});

		units += first.units;
		raise_to(&ports, first.ports);
		if (exchange < 0 || hierarchy->parts == 1)
			continue;
		struct busiest later = weigh(hierarchy, (struct activity){t, t, own});

		units += later.units * (hierarchy->parts - 1);
		raise_to(&ports, later.ports);
	}
	return (struct tt_cost){.rounds = rounds * hierarchy->parts + hands,
				.volume = tt_blocks_of(units, hierarchy->parts * hierarchy->pieces),
				.ports = ports};
}
