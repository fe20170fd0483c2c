/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host_tree - a broadcast over hosts, and what it costs.
 *
 * Hosts are counted from the root's, and the carriers of that host from the root.  A carrier's
 * share is the same run of units in each part; a unit is a piece of a block.  What one host sends
 * to the next one is the overlap of its carriers' shares with those of the other; where their
 * numbers are equal, each has one partner.
 */
#include "algorithms/host_tree.h"

#include "algorithms/claims.h"
#include "algorithms/moves.h"
#include "schedule/modular.h"

/* Pieces that make all shares equal, if not more than this. */
enum { FINE = 64 };

/* --- who carries what ---------------------------------------------------------------------- */

static int64_t host_at(const struct tt_host_tree *tree, int64_t v)
{
	return (tt_placement_host(&tree->hosts, tree->root) + v) % tree->hosts.nhosts;
}

static int64_t size_of(const struct tt_host_tree *tree, int64_t v)
{
	return tt_placement_size(&tree->hosts, host_at(tree, v));
}

static int64_t carriers_of(const struct tt_host_tree *tree, int64_t v)
{
	return tree->one ? 1 : size_of(tree, v);
}

/* The i-th rank of a host, carriers first. */
static int64_t rank_at(const struct tt_host_tree *tree, int64_t v, int64_t i)
{
	int64_t from = v == 0 ? tt_placement_local(&tree->hosts, tree->root) : 0;
	int64_t rank =
		tt_placement_rank(&tree->hosts, host_at(tree, v), (from + i) % size_of(tree, v));

	return (rank + tree->turn) % tree->hosts.nranks;
}

struct share {
	int64_t low, high;
};

static struct share share_of(const struct tt_host_tree *tree, int64_t v, int64_t i)
{
	int64_t units = tree->hosts.nranks * tree->pieces, carriers = carriers_of(tree, v);

	return (struct share){(i * units + carriers - 1) / carriers,
			      ((i + 1) * units + carriers - 1) / carriers};
}

static struct share overlap(struct share a, struct share b)
{
	struct share both = {a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};

	return both.low < both.high ? both : (struct share){0, 0};
}

static int64_t units_in(struct share share)
{
	return share.high - share.low;
}

/* --- the tree ------------------------------------------------------------------------------ */

/* How many children a host has. */
static int64_t children_of(const struct tt_host_tree *tree, int64_t v)
{
	int64_t hosts = tree->hosts.nhosts, count = 0;

	if (tree->shape == TT_TREE_CHAIN)
		return v + 1 < hosts;
	for (int64_t bit = 1; v + bit < hosts; bit *= 2)
		count += bit > v;
	return count;
}

static int64_t child_of(const struct tt_host_tree *tree, int64_t v, int64_t index)
{
	int64_t bit = 1;

	if (tree->shape == TT_TREE_CHAIN)
		return v + 1;
	while (bit <= v)
		bit *= 2;
	return v + (bit << index);
}

static int64_t parent_of(const struct tt_host_tree *tree, int64_t v)
{
	int64_t bit = 1;

	if (tree->shape == TT_TREE_CHAIN)
		return v - 1;
	while (2 * bit <= v)
		bit *= 2;
	return v - bit;
}

/* Does the root share its buffer out first? */
static bool shares_out(const struct tt_host_tree *tree)
{
	return carriers_of(tree, 0) > 1;
}

/* The round in which a host gets part 0; of the root's host the one before it may hand it on. */
static int64_t arrival(const struct tt_host_tree *tree, int64_t v)
{
	int64_t start = shares_out(tree), bit = 1, level = 0;

	if (v == 0 || tree->shape == TT_TREE_CHAIN)
		return start + v - 1;
	for (; 2 * bit <= v; bit *= 2)
		level++;
	return start + level;
}

/* --- making -------------------------------------------------------------------------------- */

struct tt_host_tree tt_host_tree_make(const struct tt_placement *hosts, int64_t root,
				      enum tt_tree_shape shape, bool one, int64_t parts)
{
	int64_t pieces = 1;

	for (int64_t host = 0; host < hosts->nhosts && !one; host++) {
		int64_t size = tt_placement_size(hosts, host);

		pieces = tt_common_multiple(pieces, size / tt_common_divisor(size, hosts->nranks),
					    FINE);
	}
	return (struct tt_host_tree){.hosts = *hosts,
				     .root = root,
				     .shape = shape,
				     .one = one,
				     .parts = parts,
				     .pieces = pieces <= FINE ? pieces : FINE};
}

const char *tt_host_tree_refuses(const struct tt_host_tree *tree)
{
	int64_t most = tt_placement_most(&tree->hosts);

	if (tree->hosts.nhosts > TT_TREE_HOSTS)
		return "is for at most 2048 hosts";
	return tt_too_many_records(tree->hosts.nranks * (tree->one ? 2 : most + 1) * tree->parts);
}

static void send(struct tt_schedule *schedule, const struct tt_host_tree *tree, int64_t round,
		 int64_t part, struct share units, int64_t from, int64_t to)
{
	struct tt_message message = {.schedule = schedule, .round = round, .from = from, .to = to};
	int64_t pieces = tree->pieces;

	for (int64_t at = units.low, next; at < units.high; at = next) {
		next = (at / pieces + 1) * pieces;
		next = next < units.high ? next : units.high;
		tt_message_put(&message, at / pieces, part * pieces + at % pieces, next - at);
	}
	tt_message_flush(&message);
}

/* What the carriers of v's parent have goes to those of v. */
static void pass_on(struct tt_schedule *schedule, const struct tt_host_tree *tree, int64_t v,
		    int64_t part)
{
	int64_t u = parent_of(tree, v), round = arrival(tree, v) + part;

	for (int64_t i = 0; i < carriers_of(tree, u); i++)
		for (int64_t j = 0; j < carriers_of(tree, v); j++)
			send(schedule, tree, round, part,
			     overlap(share_of(tree, u, i), share_of(tree, v, j)),
			     rank_at(tree, u, i), rank_at(tree, v, j));
}

/* Each carrier of v hands its share to the rest of the host, but for the root, who has it. */
static void hand_on(struct tt_schedule *schedule, const struct tt_host_tree *tree, int64_t v,
		    int64_t part)
{
	int64_t size = size_of(tree, v), round = arrival(tree, v) + 1 + part;

	for (int64_t i = 0; i < carriers_of(tree, v); i++)
		for (int64_t turn = 1; turn < size; turn++) {
			int64_t other = (i + turn) % size;

			if (v > 0 || other > 0)
				send(schedule, tree, round, part, share_of(tree, v, i),
				     rank_at(tree, v, i), rank_at(tree, v, other));
		}
}

void tt_host_tree_build(struct tt_schedule *schedule, const struct tt_host_tree *tree)
{
	for (int64_t part = 0; part < tree->parts; part++) {
		for (int64_t i = 1; i < carriers_of(tree, 0); i++)
			send(schedule, tree, part, part, share_of(tree, 0, i), rank_at(tree, 0, 0),
			     rank_at(tree, 0, i));
		for (int64_t v = 0; v < tree->hosts.nhosts; v++) {
			if (v > 0)
				pass_on(schedule, tree, v, part);
			hand_on(schedule, tree, v, part);
		}
	}
}

/* --- cost ---------------------------------------------------------------------------------- */

struct busiest {
	int64_t units, ports;
};

static void raise_to(int64_t *most, int64_t value)
{
	*most = value > *most ? value : *most;
}

/* Is some part on its way to v, or being handed on there, in a round? */
static bool arrives(const struct tt_host_tree *tree, int64_t v, int64_t round)
{
	int64_t part = round - arrival(tree, v);

	return v > 0 && part >= 0 && part < tree->parts;
}

static bool handed(const struct tt_host_tree *tree, int64_t v, int64_t round)
{
	int64_t part = round - 1 - arrival(tree, v);

	return size_of(tree, v) > 1 && part >= 0 && part < tree->parts;
}

/* Messages between the share of one carrier and the carriers of another host. */
static int64_t count_between(const struct tt_host_tree *tree, struct share own, int64_t v,
			     struct busiest *busiest)
{
	int64_t messages = 0;

	for (int64_t j = 0; j < carriers_of(tree, v); j++) {
		int64_t units = units_in(overlap(own, share_of(tree, v, j)));

		messages += units > 0;
		raise_to(&busiest->units, units);
	}
	return messages;
}

/* What the i-th rank of the root's host exchanges with the others there. */
static void weigh_at_root(const struct tt_host_tree *tree, int64_t i, int64_t round, int64_t *sends,
			  int64_t *receives, struct busiest *busiest)
{
	int64_t size = size_of(tree, 0), carriers = carriers_of(tree, 0);
	bool hands = handed(tree, 0, round), shares = shares_out(tree) && round < tree->parts;
	bool carries = i < carriers;

	if (i == 0) {
		*sends += hands ? size - 1 : shares ? carriers - 1 : 0;
		return;
	}
	*sends += hands && carries ? size - 2 : 0;
	*receives += hands ? carriers - carries : shares && carries;
	raise_to(&busiest->units, (hands ? units_in(share_of(tree, 0, 0)) : 0) +
					  (shares && carries ? units_in(share_of(tree, 0, i)) : 0));
	if (hands && carries && size > 2)
		raise_to(&busiest->units, units_in(share_of(tree, 0, i)));
}

static void weigh_rank(const struct tt_host_tree *tree, int64_t v, int64_t i, int64_t round,
		       struct busiest *busiest)
{
	int64_t sends = 0, receives = 0, carriers = carriers_of(tree, v);
	bool carries = i < carriers;

	for (int64_t c = 0; carries && c < children_of(tree, v); c++)
		if (arrives(tree, child_of(tree, v, c), round))
			sends += count_between(tree, share_of(tree, v, i), child_of(tree, v, c),
					       busiest);
	if (carries && arrives(tree, v, round))
		receives += count_between(tree, share_of(tree, v, i), parent_of(tree, v), busiest);
	if (v == 0) {
		weigh_at_root(tree, i, round, &sends, &receives, busiest);
	} else if (handed(tree, v, round)) {
		sends += carries ? size_of(tree, v) - 1 : 0;
		receives += carriers - carries;
		raise_to(&busiest->units, carries ? units_in(share_of(tree, v, i)) : 0);
	}
	raise_to(&busiest->ports, sends);
	raise_to(&busiest->ports, receives);
}

static bool idle(const struct tt_host_tree *tree, int64_t v, int64_t round)
{
	bool busy = arrives(tree, v, round) || handed(tree, v, round) ||
		    (v == 0 && shares_out(tree) && round < tree->parts);

	for (int64_t c = 0; !busy && c < children_of(tree, v); c++)
		busy = arrives(tree, child_of(tree, v, c), round);
	return !busy;
}

struct tt_cost tt_host_tree_cost(const struct tt_host_tree *tree)
{
	int64_t hosts = tree->hosts.nhosts, rounds = 0, units = 0, ports = 0;

	for (int64_t v = 0; v < hosts && tree->hosts.nranks > 1; v++)
		raise_to(&rounds, arrival(tree, v) + tree->parts + (size_of(tree, v) > 1));
	for (int64_t round = 0; round < rounds; round++) {
		struct busiest busiest = {0};

		for (int64_t v = 0; v < hosts; v++)
			for (int64_t i = 0; !idle(tree, v, round) && i < size_of(tree, v); i++)
				weigh_rank(tree, v, i, round, &busiest);
		units += busiest.units;
		raise_to(&ports, busiest.ports);
	}
	return (struct tt_cost){.rounds = rounds,
				.volume = tt_blocks_of(units, tree->parts * tree->pieces),
				.ports = ports};
}
