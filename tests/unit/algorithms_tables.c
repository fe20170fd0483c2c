/* SPDX-License-Identifier: BSD-3-Clause */
/* Known schedules, move by move, and known costs: that an algorithm is the one it is named for. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms_replay.h"

enum { MOST_RANKS = 40, TEXT = 1000 };

static struct tt_schedule *built(enum tt_collective collective, const char *algorithm,
				 int64_t nranks)
{
	struct tt_schedule *schedule = NULL;

	if (tt_algorithm_build(collective, algorithm, nranks, 0, &schedule))
		fail_msg("%s:n=%lld:algo=%s: %s", tt_collective_name(collective), (long long)nranks,
			 algorithm, totum_errmsg());
	return schedule;
}

/* What rank sends to peer in a round: bit p of cells[b] for piece p of block b; how many blocks. */
static int64_t sent(const struct tt_schedule *schedule, int64_t round, int64_t rank, int64_t peer,
		    uint32_t cells[MOST_RANKS])
{
	struct tt_round_walk walk = {0};
	const struct tt_record *record;
	struct tt_transfer transfer;
	int64_t touched = 0;

	memset(cells, 0, MOST_RANKS * sizeof *cells);
	while (tt_round_next(schedule, round, &walk, &record)) {
		if (!tt_record_send(schedule, record, round, rank, &transfer) ||
		    transfer.to != peer)
			continue;
		for (int64_t i = 0; i < transfer.blocks.count; i++)
			cells[tt_blocks_at(&transfer.blocks, i)] |= ((1u << transfer.npieces) - 1)
								    << transfer.piece;
	}
	for (int64_t block = 0; block < schedule->nblocks; block++)
		touched += cells[block] != 0;
	return touched;
}

static void describe_message(const struct tt_schedule *schedule, int64_t peer,
			     const uint32_t cells[MOST_RANKS], char *out)
{
	int comma = 0;

	out += sprintf(out, "%lld:", (long long)peer);
	for (int64_t block = 0; block < schedule->nblocks; block++) {
		if (!cells[block])
			continue;
		out += sprintf(out, "%s%lld", comma++ ? "," : "", (long long)block);
		for (int piece = 0; piece < schedule->pieces; piece++)
			if (cells[block] != (1u << schedule->pieces) - 1 &&
			    cells[block] >> piece & 1)
				out += sprintf(out, "%c", 'a' + piece);
	}
}

/* All that a rank sends: "1:0; 3:0 | 1:3a; 3:1b", rounds, in them partners, with their blocks. */
static void describe(const struct tt_schedule *schedule, int64_t rank, char out[TEXT])
{
	uint32_t cells[MOST_RANKS];

	out[0] = '\0';
	for (int64_t round = 0; round < schedule->rounds; round++) {
		int messages = 0;

		strcat(out, round ? " | " : "");
		for (int64_t peer = 0; peer < schedule->nranks; peer++) {
			if (!sent(schedule, round, rank, peer, cells))
				continue;
			strcat(out, messages++ ? "; " : "");
			describe_message(schedule, peer, cells, out + strlen(out));
		}
	}
}

static void test_moves(void **state)
{
	static const struct {
		const char *algorithm;
		int64_t nranks, rank;
		const char *sends;
	} tables[] = {
		{"ring", 4, 0, "1:0 | 1:3 | 1:2"},
		{"ring", 4, 1, "2:1 | 2:0 | 2:3"},
		{"ring", 4, 2, "3:2 | 3:1 | 3:0"},
		{"ring", 4, 3, "0:3 | 0:2 | 0:1"},
		{"bidirectional_ring", 4, 0, "1:0; 3:0 | 1:3a; 3:1b"},
		{"bidirectional_ring", 5, 0, "1:0; 4:0 | 1:4; 4:1"},
		{"bidirectional_ring,whole=1", 4, 0, "1:0; 3:0 | 1:3"},
		{"bidirectional_ring", 2, 0, "1:0"},
		{"neighbor_exchange", 6, 0, "1:0 | 5:0,1 | 1:4,5"},
		{"neighbor_exchange", 6, 1, "0:1 | 2:0,1 | 0:2,3"},
		{"recursive_doubling", 8, 5, "4:5 | 7:4,5 | 1:4,5,6,7"},
		{"recursive_doubling_folded", 5, 4, "0:4 |  |  | "},
		{"recursive_doubling_folded", 5, 0, " | 1:0,4 | 2:0,1,4 | 4:0,1,2,3"},
		{"recursive_multiplying,radix=3", 9, 4, "3:4; 5:4 | 1:3,4,5; 7:3,4,5"},
		{"distance_halving", 8, 5, "1:5 | 7:1,5 | 4:1,3,5,7"},
		{"bruck", 5, 0, "4:0 | 3:0,1 | 1:0"},
		{"bruck", 6, 0, "5:0 | 4:0,1 | 2:0,1"},
		{"bruck", 7, 0, "6:0 | 5:0,1 | 3:0,1,2"},
		{"bruck,radix=3", 9, 0, "7:0; 8:0 | 3:0,1,2; 6:0,1,2"},
		{"bruck,radix=3", 8, 0, "6:0; 7:0 | 2:0,1; 5:0,1,2"},
		{"prefix", 5, 0, "1:0 | 2:0,4 | 4:0"},
		{"prefix,balanced=1", 5, 0, "1:0 | 2:0 | 3:0,4"},
		{"sparbit", 5, 0, "4:0 | 2:0 | 1:0,3"},
		{"sparbit", 6, 0, "4:0 | 2:0 | 1:0,2,4"},
		{"sparbit", 7, 0, "4:0 | 2:0,3 | 1:0,3,5"},
		{"pat,aggregate=2", 8, 0, "4:0 | 2:0,4 | 1:2,6 | 1:0,4"},
		{"pat,aggregate=4", 7, 0, "4:0 | 2:0,3 | 1:0,3,5"},
		{"swing", 8, 0, "3:0 | 7:0,3 | 1:0,3,4,7"},
		{"swing", 8, 1, "6:1 | 2:1,6 | 0:1,2,5,6"},
		{"hypercube", 4, 0, "1:0a; 2:0b | 1:0b,2b; 2:0a,1a"},
		{"torus,y=3", 6, 0, "1:0 | 1:2 | 3:0,1,2"},
		{"torus,y=3,multiport=1", 9, 4,
		 "1:4d; 3:4b; 5:4a; 7:4c | 1:7d; 3:5b; 5:3a; 7:1c | "
		 "1:3b,4b,5b; 3:1d,4d,7d; 5:1c,4c,7c; 7:3a,4a,5a | "
		 "1:6b,7b,8b; 3:2d,5d,8d; 5:0c,3c,6c; 7:0a,1a,2a"},
		{"gather_broadcast", 4, 0, " |  | 2:0,1 | 1:0,2,3"},
		{"gather_broadcast,resend=1", 4, 0, " |  | 2:0,1,2,3 | 1:0,1,2,3"},
		{"direct", 4, 2, "0:2; 1:2; 3:2"},
	};
	char text[TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct tt_schedule *schedule =
			built(TT_ALLGATHER, tables[i].algorithm, tables[i].nranks);

		describe(schedule, tables[i].rank, text);
		if (strcmp(text, tables[i].sends))
			fail_msg("%s, %lld ranks: rank %lld sends\n%s, not\n%s",
				 tables[i].algorithm, (long long)tables[i].nranks,
				 (long long)tables[i].rank, text, tables[i].sends);
		tt_schedule_free(schedule);
	}
}

static void test_costs(void **state)
{
	static const struct {
		enum tt_collective collective;
		const char *algorithm;
		int64_t nranks, rounds;
		struct tt_fraction volume;
		int64_t ports;
	} tables[] = {
		{TT_ALLGATHER, "ring", 8, 7, {7, 1}, 1},
		{TT_ALLGATHER, "bidirectional_ring", 8, 4, {7, 2}, 2},
		{TT_ALLGATHER, "bidirectional_ring,whole=1", 8, 4, {4, 1}, 2},
		{TT_ALLGATHER, "bidirectional_ring", 9, 4, {4, 1}, 2},
		{TT_ALLGATHER, "neighbor_exchange", 10, 5, {9, 1}, 1},
		{TT_ALLGATHER, "recursive_doubling", 32, 5, {31, 1}, 1},
		{TT_ALLGATHER, "recursive_doubling_folded", 5, 4, {10, 1}, 1},
		{TT_ALLGATHER, "recursive_doubling_folded", 6, 4, {12, 1}, 1},
		{TT_ALLGATHER, "recursive_doubling_folded", 7, 4, {13, 1}, 1},
		{TT_ALLGATHER, "recursive_doubling_folded", 9, 5, {19, 1}, 1},
		{TT_ALLGATHER, "recursive_doubling_folded", 12, 5, {26, 1}, 1},
		{TT_ALLGATHER, "recursive_doubling_folded", 13, 5, {27, 1}, 1},
		{TT_ALLGATHER, "recursive_doubling_folded", 20, 6, {46, 1}, 1},
		{TT_ALLGATHER, "recursive_doubling_folded", 16, 4, {15, 1}, 1},
		{TT_ALLGATHER, "distance_halving", 16, 4, {15, 1}, 1},
		{TT_ALLGATHER, "recursive_multiplying,radix=3", 27, 3, {13, 1}, 2},
		{TT_ALLGATHER, "bruck", 13, 4, {12, 1}, 1},
		{TT_ALLGATHER, "bruck,radix=3", 8, 2, {4, 1}, 2},
		{TT_ALLGATHER, "bruck,radix=3", 9, 2, {4, 1}, 2},
		{TT_ALLGATHER, "bruck,radix=3", 27, 3, {13, 1}, 2},
		{TT_ALLGATHER, "bruck,radix=5", 25, 2, {6, 1}, 4},
		{TT_ALLGATHER, "prefix,balanced=1", 39, 6, {38, 1}, 1},
		{TT_ALLGATHER, "prefix,balanced=1,ports=2", 8, 2, {4, 1}, 2},
		{TT_ALLGATHER, "sparbit", 13, 4, {12, 1}, 1},
		{TT_ALLGATHER, "pat", 8, 7, {7, 1}, 1},
		{TT_ALLGATHER, "pat,aggregate=2", 8, 4, {7, 1}, 1},
		{TT_ALLGATHER, "pat,aggregate=4", 8, 3, {7, 1}, 1},
		{TT_ALLGATHER, "pat", 12, 11, {11, 1}, 1},
		{TT_ALLGATHER, "pat,aggregate=2", 12, 8, {11, 1}, 1},
		{TT_ALLGATHER, "pat,aggregate=4", 12, 5, {11, 1}, 1},
		{TT_ALLGATHER, "pat,aggregate=8", 12, 4, {11, 1}, 1},
		{TT_ALLGATHER, "pat", 33, 32, {32, 1}, 1},
		{TT_ALLGATHER, "pat,aggregate=2", 33, 32, {32, 1}, 1},
		{TT_ALLGATHER, "pat,aggregate=4", 33, 17, {32, 1}, 1},
		{TT_ALLGATHER, "pat,aggregate=8", 33, 10, {32, 1}, 1},
		{TT_ALLGATHER, "pat,aggregate=16", 33, 7, {32, 1}, 1},
		{TT_ALLGATHER, "pat,aggregate=32", 33, 6, {32, 1}, 1},
		{TT_ALLGATHER, "swing", 12, 4, {11, 1}, 1},
		{TT_ALLGATHER, "swing", 13, 5, {12, 1}, 12},
		{TT_ALLGATHER, "direct", 8, 1, {1, 1}, 7},
		{TT_ALLGATHER, "gather_broadcast,resend=1", 8, 6, {31, 1}, 1},
		{TT_ALLGATHER, "torus,y=4", 16, 6, {15, 1}, 1},
		{TT_ALLGATHER, "torus,y=4,multiport=1", 16, 6, {15, 4}, 4},
		{TT_ALLGATHER, "torus,y=3,z=3,multiport=1", 27, 6, {13, 3}, 6},
		{TT_ALLGATHER, "torus,y=2,z=2,multiport=1", 8, 3, {7, 3}, 3},
		{TT_ALLGATHER, "hypercube", 8, 3, {7, 3}, 3},
		{TT_ALLGATHER, "hypercube", 16, 4, {15, 4}, 4},
		{TT_ALLGATHER, "circulant", 16, 4, {15, 1}, 1},
		{TT_ALLGATHER, "circulant,parts=5", 9, 8, {8, 1}, 1},
		{TT_REDUCE_SCATTER, "ring", 8, 7, {7, 1}, 1},
		{TT_REDUCE_SCATTER, "bruck,radix=3", 9, 2, {4, 1}, 2},
		{TT_ALLREDUCE, "ring", 8, 14, {14, 1}, 1},
		{TT_ALLREDUCE, "recursive_doubling", 8, 6, {14, 1}, 1},
		{TT_BROADCAST, "binomial", 9, 4, {36, 1}, 1},
		{TT_BROADCAST, "chain,parts=4", 8, 10, {20, 1}, 1},
		{TT_BROADCAST, "circulant,parts=4", 8, 6, {12, 1}, 1},
		{TT_BROADCAST, "double_binary_tree,parts=4", 8, 6, {6, 1}, 2},
		{TT_REDUCE, "binomial", 9, 4, {36, 1}, 1},
		{TT_GATHER, "binomial", 13, 4, {12, 1}, 1},
		{TT_SCATTER, "binomial", 13, 4, {12, 1}, 1},
		{TT_ALLTOALL, "pairwise", 7, 6, {6, 1}, 1},
		{TT_ALLTOALL, "bruck", 8, 3, {12, 1}, 1},
		{TT_ALLTOALL, "bruck,radix=3", 9, 2, {6, 1}, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct tt_schedule *schedule =
			built(tables[i].collective, tables[i].algorithm, tables[i].nranks);
		struct replay replay = replay_schedule(schedule);

		if (schedule->rounds != tables[i].rounds || replay.ports != tables[i].ports ||
		    replay.carried * tables[i].volume.under !=
			    tables[i].volume.over * schedule->pieces)
			fail_msg("%s of %s, %lld ranks: %lld rounds, %lld/%d blocks, %lld ports",
				 tt_collective_name(tables[i].collective), tables[i].algorithm,
				 (long long)tables[i].nranks, (long long)schedule->rounds,
				 (long long)replay.carried, schedule->pieces,
				 (long long)replay.ports);
		tt_schedule_free(schedule);
	}
}

/* How many pieces rank 0 sends in each round. */
static void test_message_sizes(void **state)
{
	static const struct {
		const char *algorithm;
		int64_t nranks;
		int64_t sizes[8];
	} tables[] = {
		{"swing", 6, {1, 2, 2}},
		{"swing", 10, {1, 2, 4, 2}},
		{"swing", 12, {1, 2, 2, 6}},
		{"swing", 20, {1, 2, 4, 2, 10}},
		{"circulant,parts=2", 5, {1, 2, 2, 3}},
		{"circulant,parts=2", 8, {1, 2, 4, 7}},
		{"circulant,parts=2", 9, {1, 2, 2, 3, 8}},
		{"circulant", 16, {1, 2, 4, 8}},
		{"prefix,balanced=1", 5, {1, 1, 2}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct tt_schedule *schedule =
			built(TT_ALLGATHER, tables[i].algorithm, tables[i].nranks);

		for (int64_t round = 0; round < schedule->rounds; round++) {
			uint32_t cells[MOST_RANKS];
			int64_t pieces = 0;

			for (int64_t peer = 0; peer < schedule->nranks; peer++) {
				sent(schedule, round, 0, peer, cells);
				for (int64_t block = 0; block < schedule->nblocks; block++)
					pieces += __builtin_popcount(cells[block]);
			}
			if (pieces != tables[i].sizes[round])
				fail_msg("%s, %lld ranks: %lld pieces in round %lld",
					 tables[i].algorithm, (long long)tables[i].nranks,
					 (long long)pieces, (long long)round);
		}
		tt_schedule_free(schedule);
	}
}

/* Trees are walked depth first, larger bits first: the offsets that are reached, in order. */
static void test_pat_order(void **state)
{
	static const int64_t orders[2][15] = {{4, 6, 7, 5, 2, 3, 1},
					      {8, 12, 14, 15, 13, 10, 11, 9, 4, 6, 7, 5, 2, 3, 1}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tt_schedule *schedule = built(TT_ALLGATHER, "pat", i ? 16 : 8);
		struct tt_transfer transfer;

		for (int64_t round = 0; round < schedule->rounds; round++) {
			assert_true(tt_record_receive(schedule, &schedule->records[round], round, 0,
						      &transfer));
			assert_int_equal(schedule->nranks - transfer.blocks.first,
					 orders[i][round]);
		}
		tt_schedule_free(schedule);
	}
}

/*
 * The receive table of the circulant broadcast, one row for each round k of a phase.  With 2q+1
 * parts nothing is left out, and in the second phase no part is negative or beyond the last: there
 * the entries can be read.
 */
static void check_circulant(int64_t nranks, int64_t q, int64_t k, const int64_t *row)
{
	char algorithm[40];

	snprintf(algorithm, sizeof algorithm, "circulant,parts=%lld", (long long)(2 * q + 1));
	struct tt_schedule *schedule = built(TT_ALLGATHER, algorithm, nranks);

	for (int64_t rank = 1; rank < nranks; rank++) {
		uint32_t cells[MOST_RANKS];
		int64_t entry = -100;

		for (int64_t from = 0; from < nranks; from++) {
			sent(schedule, q + k, from, rank, cells);
			if (cells[0])
				entry = __builtin_ctz(cells[0]) - q;
		}
		if (entry != row[rank])
			fail_msg("%lld ranks: in round %lld place %lld receives %lld, not %lld",
				 (long long)nranks, (long long)k, (long long)rank, (long long)entry,
				 (long long)row[rank]);
	}
	tt_schedule_free(schedule);
}

static void test_circulant_tables(void **state)
{
	static const int64_t five[3][5] = {
		{-3, 0, -3, -2, -1}, {-1, -1, 1, -3, -2}, {-2, -2, -1, 2, 0}};
	static const int64_t seventeen[17] = {-3, -1, -1, -1, -1, -1, -1, -1, -1,
					      4,  0,  1,  2,  0,  3,  0,  1};

	(void)state;
	for (int64_t k = 0; k < 3; k++)
		check_circulant(5, 3, k, five[k]);
	check_circulant(17, 5, 4, seventeen);
}

/* Two trees of the least height: at most two children each, only the root has some in both. */
static void test_double_binary_tree(void **state)
{
	(void)state;
	for (int64_t n = 2; n <= MOST_RANKS; n++) {
		struct tt_schedule *schedule = built(TT_BROADCAST, "double_binary_tree,parts=1", n);
		int64_t children[2][MOST_RANKS] = {{0}}, parents[2][MOST_RANKS] = {{0}}, height = 0;

		while ((int64_t)1 << height < n)
			height++;
		assert_int_equal(schedule->rounds, height);
		for (int64_t i = 0; i < schedule->nrecords; i++) {
			const struct tt_record *record = &schedule->records[i];
			int64_t at = record->move.first * schedule->pieces + record->piece;
			int tree = 2 * at >= n * schedule->pieces;

			/* A half may take two records: count the one it begins with. */
			if (at != 0 && 2 * at != n * schedule->pieces)
				continue;
			children[tree][record->move.from]++;
			parents[tree][record->move.to]++;
		}
		for (int64_t rank = 0; rank < n; rank++) {
			bool root = rank == 0;

			if (children[0][rank] > 2 || children[1][rank] > 2 ||
			    (!root && children[0][rank] && children[1][rank]) ||
			    parents[0][rank] != !root || parents[1][rank] != !root)
				fail_msg("broadcast:n=%lld:algo=double_binary_tree: rank %lld has "
					 "%lld and %lld "
					 "children",
					 (long long)n, (long long)rank,
					 (long long)children[0][rank],
					 (long long)children[1][rank]);
		}
		tt_schedule_free(schedule);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_message_sizes),
		cmocka_unit_test(test_pat_order),
		cmocka_unit_test(test_circulant_tables),
		cmocka_unit_test(test_double_binary_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
