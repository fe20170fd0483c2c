/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_verify_replay - every way of proving a schedule agrees with every other and with a plain
 * replay, on right schedules and on ones with a random mistake.
 */
#include "unit/schedule_cases.h"
#include "proof/verify.h"

struct replay {
	int64_t n, units, pieces;
	int *now, *next; /* [rank][unit][contributor]: how often the contribution is in the sum */
};

static int *cell(const struct replay *replay, int *table, int64_t rank, int64_t unit)
{
	return table + (rank * replay->units + unit) * replay->n;
}

static bool empty(const struct replay *replay, const int *sum)
{
	for (int64_t i = 0; i < replay->n; i++)
		if (sum[i])
			return false;
	return true;
}

static bool replay_round(struct replay *replay, const struct case_unit *units, size_t count,
			 bool moves_only)
{
	size_t bytes = (size_t)(replay->n * replay->units * replay->n) * sizeof(int);
	bool right = true;

	memcpy(replay->next, replay->now, bytes);
	for (size_t i = 0; i < count; i++) {
		int64_t unit = units[i].block * replay->pieces + units[i].piece;
		const int *source = cell(replay, replay->now, units[i].from, unit);
		int *target = cell(replay, replay->next, units[i].to, unit);

		/* A collective that moves must have what it sends, and bring what is not there. */
		if (moves_only && (empty(replay, source) || !empty(replay, target)))
			right = false;
		for (int64_t c = 0; c < replay->n; c++)
			target[c] = units[i].reduce ? target[c] + source[c] : source[c];
	}
	memcpy(replay->now, replay->next, bytes);
	return right;
}

static bool replay_end(struct replay *replay, const struct tt_schedule *schedule)
{
	for (int64_t rank = 0; rank < replay->n; rank++)
		for (int64_t unit = 0; unit < replay->units; unit++) {
			const int *sum = cell(replay, replay->now, rank, unit);
			int64_t block = unit / replay->pieces;

			if (!tt_wants_last(schedule, rank, block))
				continue;
			for (int64_t c = 0; c < replay->n; c++)
				if (sum[c] != tt_holds_first(schedule, c, block))
					return false;
		}
	return true;
}

/* Is the end right, and, where nothing is added, every move on the way? */
static bool replayed(const struct tt_schedule *schedule)
{
	struct replay replay = {.n = schedule->nranks,
				.units = schedule->nblocks * schedule->pieces,
				.pieces = schedule->pieces};
	size_t entries = (size_t)(replay.n * replay.units * replay.n);
	struct case_list list = case_expand(schedule);
	bool right = true;

	replay.now = calloc(entries, sizeof(int));
	replay.next = calloc(entries, sizeof(int));
	assert_true(replay.now && replay.next);
	for (int64_t rank = 0; rank < replay.n; rank++)
		for (int64_t unit = 0; unit < replay.units; unit++)
			cell(&replay, replay.now, rank, unit)[rank] =
				tt_holds_first(schedule, rank, unit / replay.pieces);
	for (size_t at = 0, end; at < list.count; at = end) {
		for (end = at; end < list.count && list.units[end].round == list.units[at].round;)
			end++;
		right &= replay_round(&replay, list.units + at, end - at,
				      !tt_reduces(schedule->collective));
	}
	right &= replay_end(&replay, schedule);
	free(replay.now);
	free(replay.next);
	free(list.units);
	return right;
}

static struct tt_schedule *family(int which, int64_t n, unsigned seed)
{
	switch (which) {
	case 0:
		return case_ring(n);
	case 1:
		return case_biring(n);
	case 2:
		return case_bruck(n, 2 + seed % 3);
	case 3:
		return case_sparbit(n);
	case 4:
		return case_doubling(n & -n);
	case 5:
		return case_neighbor(n / 2 * 2);
	default:
		return case_gossip(n, 1 + (int)seed % 3, seed);
	}
}

static void spoil(struct tt_record *record, unsigned *random)
{
	int64_t *numbers[] = {&record->shift.distance, &record->shift.first, &record->shift.step,
			      &record->shift.count, &record->shift.stride};
	int64_t by = case_pick(random, 0, 1) ? 1 : -1;

	switch (case_pick(random, 0, 7)) {
	case 0:
		record->round += by;
		break;
	case 1:
		record->rounds += by;
		break;
	case 2:
		record->piece += (int32_t)by;
		break;
	case 3:
		record->npieces += (int32_t)by;
		break;
	case 4:
		record->reduce = !record->reduce;
		break;
	default:
		*numbers[case_pick(random, 0, 4)] += by;
	}
}

/* A copy with one record changed, left out or doubled; NULL when that is no schedule. */
static struct tt_schedule *spoiled(const struct tt_schedule *schedule, unsigned seed)
{
	struct tt_schedule *copy = case_new(schedule->collective, schedule->nranks, schedule->root,
					    schedule->pieces, "spoiled");
	int64_t victim = schedule->nrecords ? case_pick(&seed, 0, schedule->nrecords - 1) : -1;
	int64_t deed = case_pick(&seed, 0, 9);

	for (int64_t i = 0; i < schedule->nrecords; i++) {
		struct tt_record record = schedule->records[i];

		if (i == victim && deed > 1)
			spoil(&record, &seed);
		if (i != victim || deed != 0)
			tt_schedule_add(copy, record);
		if (i == victim && deed == 1)
			tt_schedule_add(copy, record);
	}
	if (tt_schedule_seal(copy) == TOTUM_OK)
		return copy;
	tt_schedule_free(copy);
	return NULL;
}

struct tally {
	int right, wrong, symmetric, reversed;
};

/* All ways of proving one schedule against each other and against the replay. */
static void compare(const struct tt_schedule *schedule, unsigned seed, struct tally *tally)
{
	struct tt_verify_report full, other;
	bool expected = replayed(schedule), sums = tt_reduces(schedule->collective);
	totum_status status =
		tt_verify(schedule, &(struct tt_verify_options){.proof = TT_PROOF_EXPLICIT}, &full);

	assert_true(status == TOTUM_OK || status == TOTUM_EINVAL);
	assert_int_equal(status == TOTUM_OK, full.violations == 0);
	/* Of sums the verifier also refuses what is right in the end, but wasteful or unsafe. */
	if (sums ? status == TOTUM_OK && !expected : (status == TOTUM_OK) != expected)
		fail_msg("seed %u, %s on %lld ranks: replay says %s, the proof '%s'", seed,
			 tt_collective_name(schedule->collective), (long long)schedule->nranks,
			 expected ? "right" : "wrong", status ? totum_errmsg() : "right");
	tally->right += status == TOTUM_OK;
	tally->wrong += status != TOTUM_OK;
	totum_status symmetric = tt_verify(
		schedule, &(struct tt_verify_options){.proof = TT_PROOF_SYMMETRIC}, &other);

	if (symmetric != TOTUM_EUNSUPPORTED) {
		if (symmetric != status || other.violations != full.violations ||
		    other.redundant != full.redundant)
			fail_msg("seed %u, %s on %lld ranks: %lld violations, by symmetry %lld",
				 seed, tt_collective_name(schedule->collective),
				 (long long)schedule->nranks, (long long)full.violations,
				 (long long)other.violations);
		tally->symmetric++;
	}
	totum_status reversal = tt_verify(
		schedule, &(struct tt_verify_options){.proof = TT_PROOF_REVERSAL}, &other);

	if (reversal != TOTUM_EUNSUPPORTED) {
		bool agree = schedule->collective == TT_ALLREDUCE ? reversal || !status
								  : reversal == status;

		if (!agree)
			fail_msg("seed %u, %s on %lld ranks: the reversal says '%s'", seed,
				 tt_collective_name(schedule->collective),
				 (long long)schedule->nranks, reversal ? "wrong" : "right");
		tally->reversed++;
	}
	assert_int_equal(tt_verify(schedule, NULL, &other), status);
}

static void all_proofs_agree_with_a_replay(void **state)
{
	(void)state;
	struct tally tally = {0};

	for (unsigned seed = 0; seed < 6000; seed++) {
		unsigned random = seed;
		int64_t n = case_pick(&random, 2, 10);
		struct tt_schedule *gather =
			case_seal(family((int)case_pick(&random, 0, 6), n, seed));
		struct tt_schedule *scatter = case_reverse(gather);
		struct tt_schedule *both = case_compose(TT_ALLREDUCE, scatter, gather);
		const struct tt_schedule *right[] = {gather, scatter, both};

		for (int i = 0; i < 3; i++) {
			struct tt_schedule *wrong = spoiled(right[i], seed);

			if (seed % 10 == 0)
				compare(right[i], seed, &tally);
			if (wrong)
				compare(wrong, seed, &tally);
			tt_schedule_free(wrong);
		}
		tt_schedule_free(gather);
		tt_schedule_free(scatter);
		tt_schedule_free(both);
	}
	/* Enough of each kind, so that the agreement means something. */
	assert_true(tally.right > 2000);
	assert_true(tally.wrong > 6000);
	assert_true(tally.symmetric > 3000);
	assert_true(tally.reversed > 1500);
}

static void circulant_and_explicit_proofs_are_equal_up_to_64(void **state)
{
	(void)state;
	struct tally tally = {0};

	for (int64_t n = 2; n <= 64; n++)
		for (int which = 0; which < 5; which++) {
			struct tt_schedule *gather = case_seal(family(which, n, (unsigned)n));
			struct tt_schedule *scatter = case_reverse(gather);
			struct tt_schedule *both = case_compose(TT_ALLREDUCE, scatter, gather);
			const struct tt_schedule *right[] = {gather, scatter, both};

			for (unsigned i = 0; i < 3; i++) {
				struct tt_verify_report full, short_cut, reversal;
				struct tt_schedule *wrong = spoiled(right[i], (unsigned)n * 16 + i);
				const struct tt_schedule *schedule = wrong ? wrong : right[i];

				tt_verify(schedule,
					  &(struct tt_verify_options){.proof = TT_PROOF_EXPLICIT},
					  &full);
				if (tt_verify(schedule,
					      &(struct tt_verify_options){
						      .proof = TT_PROOF_SYMMETRIC},
					      &short_cut) != TOTUM_EUNSUPPORTED) {
					assert_int_equal(full.violations, short_cut.violations);
					tally.symmetric++;
				}
				if (i == 1 && tt_verify(schedule,
							&(struct tt_verify_options){
								.proof = TT_PROOF_REVERSAL},
							&reversal) != TOTUM_EUNSUPPORTED) {
					assert_int_equal(!full.violations, !reversal.violations);
					tally.reversed++;
				}
				tt_schedule_free(wrong);
			}
			tt_schedule_free(gather);
			tt_schedule_free(scatter);
			tt_schedule_free(both);
		}
	assert_true(tally.symmetric > 600);
	assert_true(tally.reversed > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_proofs_agree_with_a_replay),
		cmocka_unit_test(circulant_and_explicit_proofs_are_equal_up_to_64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
