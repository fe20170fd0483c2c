/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules over hosts, for many placements: right, as cheap as they claim, every byte of another
 * host enters a host exactly once, in equal shares, and is handed on in the round that follows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms_replay.h"
#include "proof/verify.h"
#include "schedule/program.h"
#include "unit/random_placement.h"

static char problem[1200];

static struct tt_schedule *built_at(enum tt_collective collective, const char *algorithm,
				    const struct tt_placement *placement, int root)
{
	struct tt_schedule *schedule = NULL;
	char text[1024];

	tt_placement_write(placement, text, sizeof text);
	snprintf(problem, sizeof problem, "%s by %s on %s, root %d", tt_collective_name(collective),
		 algorithm, text, root);
	if (tt_algorithm_build_placed(collective, algorithm, placement->nranks, root, placement,
				      &schedule))
		fail_msg("%s: %s", problem, totum_errmsg());
	return schedule;
}

static struct tt_schedule *built(enum tt_collective collective, const char *algorithm,
				 const struct tt_placement *placement)
{
	return built_at(collective, algorithm, placement, 0);
}

/* When each piece came to each rank, and from outside of its host how many to each rank. */
struct arrivals {
	int64_t units;
	int64_t *round;   /* [nranks * units]: 1 + the round; 0: never */
	int64_t *enters;  /* [nhosts * units]: how often from another host */
	int64_t *leaves;  /* the same, to another host */
	int64_t *carried; /* [nranks]: units from other hosts */
};

static void note(struct arrivals *arrivals, const struct tt_schedule *schedule,
		 const struct tt_placement *placement, const struct tt_transfer *transfer,
		 int64_t round)
{
	int64_t from = tt_placement_host(placement, transfer->from);
	int64_t to = tt_placement_host(placement, transfer->to);

	for (int64_t i = 0; i < transfer->blocks.count * transfer->npieces; i++) {
		int64_t block = tt_blocks_at(&transfer->blocks, i / transfer->npieces);
		int64_t unit = block * schedule->pieces + transfer->piece + i % transfer->npieces;

		arrivals->round[transfer->to * arrivals->units + unit] = round + 1;
		if (from == to)
			continue;
		arrivals->enters[to * arrivals->units + unit]++;
		arrivals->leaves[from * arrivals->units + unit]++;
		arrivals->carried[transfer->to]++;
	}
}

static struct arrivals watch(const struct tt_schedule *schedule,
			     const struct tt_placement *placement)
{
	struct arrivals arrivals = {.units = schedule->nblocks * schedule->pieces};
	size_t cells = (size_t)(schedule->nranks * arrivals.units);

	arrivals.round = calloc(cells, sizeof(int64_t));
	arrivals.enters = calloc(cells, sizeof(int64_t));
	arrivals.leaves = calloc(cells, sizeof(int64_t));
	arrivals.carried = calloc((size_t)schedule->nranks, sizeof(int64_t));
	for (int64_t i = 0; i < schedule->nrecords; i++) {
		const struct tt_record *record = &schedule->records[i];
		struct tt_transfer transfer;

		assert_true(tt_record_send(schedule, record, record->round, record->move.from,
					   &transfer));
		note(&arrivals, schedule, placement, &transfer, record->round);
	}
	return arrivals;
}

static void forget(struct arrivals *arrivals)
{
	free(arrivals->round);
	free(arrivals->enters);
	free(arrivals->leaves);
	free(arrivals->carried);
}

/* Does the host hold the block at first, so that it need not come? */
static bool at_home(const struct tt_schedule *schedule, const struct tt_placement *placement,
		    int64_t host, int64_t block)
{
	bool all = schedule->collective == TT_BROADCAST || schedule->collective == TT_REDUCE;

	return tt_placement_host(placement, all ? schedule->root : block) == host;
}

/* Each piece of another host crosses into (or, backwards, out of) a host once; its own never. */
static void check_crossings(const struct tt_schedule *schedule,
			    const struct tt_placement *placement, const int64_t *crossings)
{
	int64_t units = schedule->nblocks * schedule->pieces;

	for (int64_t host = 0; host < placement->nhosts; host++)
		for (int64_t unit = 0; unit < units; unit++) {
			bool own = at_home(schedule, placement, host, unit / schedule->pieces);

			if (crossings[host * units + unit] != !own)
				fail_msg("%s: piece %lld of block %lld crosses the border of host "
					 "%lld %lld times",
					 problem, (long long)(unit % schedule->pieces),
					 (long long)(unit / schedule->pieces), (long long)host,
					 (long long)crossings[host * units + unit]);
		}
}

/* The ranks of a host carry equal shares, up to `slack` of the mean. */
static void check_shares(const struct tt_schedule *schedule, const struct tt_placement *placement,
			 const struct arrivals *arrivals, double slack)
{
	for (int64_t rank = 0; rank < placement->nranks; rank++) {
		int64_t size = tt_placement_size(placement, tt_placement_host(placement, rank));
		double mean =
			(double)((schedule->nblocks - size) * schedule->pieces) / (double)size;
		double carried = (double)arrivals->carried[rank];

		if (carried > mean * (1 + slack) || carried < mean * (1 - slack))
			fail_msg("%s: rank %lld carries %g pieces, where its share is %g", problem,
				 (long long)rank, carried, mean);
	}
}

/* All ranks of a host have a piece at the latest one round after the first of them. */
static void check_hand_on(const struct tt_schedule *schedule, const struct tt_placement *placement,
			  const struct arrivals *arrivals)
{
	for (int64_t rank = 0; rank < placement->nranks; rank++)
		for (int64_t unit = 0; unit < arrivals->units; unit++) {
			int64_t host = tt_placement_host(placement, rank), first = INT64_MAX;
			int64_t round = arrivals->round[rank * arrivals->units + unit];

			if (tt_placement_host(placement, unit / schedule->pieces) == host)
				continue;
			for (int64_t i = 0; i < tt_placement_size(placement, host); i++) {
				int64_t other = tt_placement_rank(placement, host, i);
				int64_t when = arrivals->round[other * arrivals->units + unit];

				first = when < first ? when : first;
			}
			if (round - first > 1)
				fail_msg("%s: rank %lld waits %lld rounds for what its host has",
					 problem, (long long)rank, (long long)(round - first));
		}
}

/* Bytes that enter a host from others, by the programs of its ranks, for shards of any length. */
static void check_bytes(const struct tt_schedule *schedule, const struct tt_placement *placement,
			uint64_t seed)
{
	uint64_t offset[RANDOM_RANKS], length[RANDOM_RANKS], total = 0;
	uint64_t element = 1 + seed % 3;

	for (int64_t b = 0; b < schedule->nblocks; b++) {
		length[b] = element * (random_next(&seed) % 40);
		offset[b] = total;
		total += length[b];
	}
	struct tt_layout layout = {schedule->nblocks, offset, length, element};
	uint64_t enters[RANDOM_RANKS] = {0}, own[RANDOM_RANKS] = {0};

	for (int64_t rank = 0; rank < schedule->nranks; rank++) {
		struct tt_program *program;
		int64_t host = tt_placement_host(placement, rank);

		own[host] += length[rank];
		assert_int_equal(tt_program_lower(schedule, rank, &layout, &program), TOTUM_OK);
		for (int64_t i = 0; i < program->nsteps; i++)
			if (program->steps[i].kind == TT_STEP_RECEIVE &&
			    tt_placement_host(placement, program->steps[i].peer) != host)
				enters[host] += program->steps[i].bytes;
		tt_program_free(program);
	}
	for (int64_t host = 0; host < placement->nhosts; host++)
		if (enters[host] != total - own[host])
			fail_msg("%s: %llu bytes enter host %lld, which lacks %llu", problem,
				 (unsigned long long)enters[host], (long long)host,
				 (unsigned long long)(total - own[host]));
}

static void check_cost(const struct tt_schedule *schedule, const struct tt_placement *placement,
		       const struct replay *replay)
{
	const struct tt_algorithm_entry *entry;
	int64_t values[TT_PARAMETERS];

	assert_int_equal(tt_algorithm_parse(schedule->collective, schedule->name, schedule->nranks,
					    &entry, values),
			 TOTUM_OK);
	struct tt_cost cost = entry->algorithm->placed.cost(placement, schedule->root, values);

	if (cost.rounds != schedule->rounds || cost.ports != replay->ports ||
	    cost.volume.over * schedule->pieces != replay->carried * cost.volume.under)
		fail_msg("%s claims %lld rounds, %lld/%lld blocks, %lld ports and has %lld, "
			 "%lld/%d, %lld",
			 problem, (long long)cost.rounds, (long long)cost.volume.over,
			 (long long)cost.volume.under, (long long)cost.ports,
			 (long long)schedule->rounds, (long long)replay->carried, schedule->pieces,
			 (long long)replay->ports);
}

static void check_proof(const struct tt_schedule *schedule)
{
	struct tt_verify_report report;
	struct tt_verify_options options = {0};

	if (tt_verify(schedule, &options, &report))
		fail_msg("%s: %s", problem, totum_errmsg());
}

static void check_allgather(const struct tt_placement *placement, const char *algorithm,
			    uint64_t seed, double slack)
{
	struct tt_schedule *schedule = built(TT_ALLGATHER, algorithm, placement);
	struct replay replay = replay_schedule(schedule);
	struct arrivals arrivals = watch(schedule, placement);

	if (replay.fault[0] || replay.repeats)
		fail_msg("%s: %lld repeats, %s", problem, (long long)replay.repeats, replay.fault);
	check_proof(schedule);
	check_cost(schedule, placement, &replay);
	check_crossings(schedule, placement, arrivals.enters);
	check_shares(schedule, placement, &arrivals, slack);
	check_hand_on(schedule, placement, &arrivals);
	check_bytes(schedule, placement, seed);
	forget(&arrivals);
	tt_schedule_free(schedule);
}

static void check_derived(const struct tt_placement *placement, const char *algorithm)
{
	struct tt_schedule *schedule = built(TT_REDUCE_SCATTER, algorithm, placement);
	struct replay replay = replay_schedule(schedule);
	struct arrivals arrivals = watch(schedule, placement);

	if (replay.fault[0])
		fail_msg("%s: %s", problem, replay.fault);
	check_proof(schedule);
	check_crossings(schedule, placement, arrivals.leaves);
	forget(&arrivals);
	tt_schedule_free(schedule);
	schedule = built(TT_ALLREDUCE, algorithm, placement);
	replay = replay_schedule(schedule);
	if (replay.fault[0])
		fail_msg("%s: %s", problem, replay.fault);
	check_proof(schedule);
	tt_schedule_free(schedule);
}

static void check_tree(const struct tt_placement *placement, const char *algorithm, int root)
{
	struct tt_schedule *schedule = built_at(TT_BROADCAST, algorithm, placement, root);
	struct replay replay = replay_schedule(schedule);
	struct arrivals arrivals = watch(schedule, placement);

	if (replay.fault[0] || replay.repeats)
		fail_msg("%s: %lld repeats, %s", problem, (long long)replay.repeats, replay.fault);
	check_proof(schedule);
	check_cost(schedule, placement, &replay);
	check_crossings(schedule, placement, arrivals.enters);
	for (int64_t rank = 0; rank < placement->nranks && !strstr(algorithm, "one=1"); rank++) {
		int64_t host = tt_placement_host(placement, rank);
		int64_t whole = host == tt_placement_host(placement, root) ? 0 : arrivals.units;

		if (arrivals.carried[rank] * tt_placement_size(placement, host) != whole)
			fail_msg("%s: rank %lld carries %lld pieces", problem, (long long)rank,
				 (long long)arrivals.carried[rank]);
	}
	forget(&arrivals);
	tt_schedule_free(schedule);
	schedule = built_at(TT_REDUCE, algorithm, placement, root);
	replay = replay_schedule(schedule);
	arrivals = watch(schedule, placement);
	if (replay.fault[0])
		fail_msg("%s: %s", problem, replay.fault);
	check_proof(schedule);
	check_crossings(schedule, placement, arrivals.leaves);
	forget(&arrivals);
	tt_schedule_free(schedule);
}

/* A gather to the root, and the scatter from it: one message a host, each byte crosses once. */
static void check_collect(const struct tt_placement *placement, int root)
{
	struct tt_schedule *schedule = built_at(TT_GATHER, "hierarchical", placement, root);
	struct replay replay = replay_schedule(schedule);
	int64_t home = tt_placement_host(placement, root), messages = 0;

	if (replay.fault[0] || replay.repeats)
		fail_msg("%s: %lld repeats, %s", problem, (long long)replay.repeats, replay.fault);
	check_proof(schedule);
	check_cost(schedule, placement, &replay);
	for (int64_t i = 0; i < schedule->nrecords; i++) {
		const struct tt_record *move = &schedule->records[i], *before = move - 1;
		bool enters = tt_placement_host(placement, move->move.from) !=
			      tt_placement_host(placement, move->move.to);

		if (enters && tt_placement_host(placement, move->move.to) != home)
			fail_msg("%s: a block goes to a host that is not the root's", problem);
		messages += enters && (i == 0 || before->move.from != move->move.from ||
				       before->move.to != move->move.to);
	}
	if (messages != placement->nhosts - 1)
		fail_msg("%s: %lld messages between hosts", problem, (long long)messages);
	tt_schedule_free(schedule);
	schedule = built_at(TT_SCATTER, "hierarchical", placement, root);
	replay = replay_schedule(schedule);
	if (replay.fault[0])
		fail_msg("%s: %s", problem, replay.fault);
	tt_schedule_free(schedule);
}

static void rooted_ones(void **state)
{
	static const char *const algorithms[] = {
		"hierarchical",
		"hierarchical,one=1",
		"hierarchical,tree=1,parts=3",
		"hierarchical,tree=1,one=1,parts=5",
		"hierarchical,parts=4",
	};

	(void)state;
	for (uint64_t seed = 0; seed < 240; seed++) {
		struct random_placement random = random_placement(seed, 6, 4);
		int root = (int)(seed * 7 % (uint64_t)random.nranks);
		struct tt_placement placement;

		assert_int_equal(tt_placement_make(random.nranks, random.host_of, &placement),
				 TOTUM_OK);
		for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
			check_tree(&placement, algorithms[i], root);
		check_collect(&placement, root);
		tt_placement_free(&placement);
	}
}

/* 1 to 6 hosts of 1 to 4 ranks: few pieces make all shares equal. */
static void small_hosts(void **state)
{
	static const int parts[] = {1, 2, 3, 7};

	(void)state;
	for (uint64_t seed = 0; seed < 240; seed++) {
		struct random_placement random = random_placement(seed, 6, 4);
		struct tt_placement placement;
		char algorithm[64];

		assert_int_equal(tt_placement_make(random.nranks, random.host_of, &placement),
				 TOTUM_OK);
		for (int outer = 0; outer < 3; outer++) {
			snprintf(algorithm, sizeof algorithm, "hierarchical,outer=%d,parts=%d",
				 outer, parts[(seed / 2) % 4]);
			check_allgather(&placement, algorithm, seed, 0);
			check_derived(&placement, algorithm);
		}
		tt_placement_free(&placement);
	}
}

/* Sizes that no few pieces share equally: then within an eighth. */
static void odd_hosts(void **state)
{
	static const char *const texts[] = {"13+11+7",   "1+17", "5+7+9+11",
					    "16+1+15+2", "40+1", "1+1+1+23"};
	char algorithm[64];

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct tt_placement placement;

		assert_int_equal(tt_placement_parse(texts[i], &placement), TOTUM_OK);
		for (int outer = 0; outer < 3; outer++) {
			snprintf(algorithm, sizeof algorithm, "hierarchical,outer=%d", outer);
			check_allgather(&placement, algorithm, i, 0.125);
		}
		tt_placement_free(&placement);
	}
}

/* The hosts of the parameter go before those of the placement; others do not ask for it. */
static void what_decides(void **state)
{
	static const char *const same[] = {"hierarchical,hosts=2", "bruck", "ring"};
	int32_t host_of[] = {0, 1, 0, 1, 2, 2};
	struct tt_placement placement;
	struct tt_schedule *placed, *free_one;

	(void)state;
	assert_int_equal(tt_placement_make(6, host_of, &placement), TOTUM_OK);
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		placed = built(TT_ALLGATHER, same[i], &placement);
		assert_int_equal(tt_algorithm_build(TT_ALLGATHER, same[i], 6, 0, &free_one),
				 TOTUM_OK);
		assert_int_equal(placed->nrecords, free_one->nrecords);
		for (int64_t r = 0; r < placed->nrecords; r++)
			assert_memory_equal(&placed->records[r].move, &free_one->records[r].move,
					    sizeof placed->records[r].move);
		tt_schedule_free(placed);
		tt_schedule_free(free_one);
	}
	assert_int_equal(
		tt_algorithm_build_placed(TT_ALLGATHER, "hierarchical", 7, 0, &placement, &placed),
		TOTUM_EINVAL);
	assert_non_null(strstr(totum_errmsg(), "a placement of 6 ranks says nothing of 7"));
	tt_placement_free(&placement);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_hosts),
		cmocka_unit_test(odd_hosts),
		cmocka_unit_test(rooted_ones),
		cmocka_unit_test(what_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
