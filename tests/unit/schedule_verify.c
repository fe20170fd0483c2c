/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_verify - right schedules are proved, and every way of proving agrees with every other
 * and with a plain replay, on right schedules and on ones with a random mistake.
 */
#include "unit/schedule_cases.h"
#include "proof/verify.h"

static struct tt_schedule *reverse(const struct tt_schedule *schedule)
{
	struct tt_schedule *out = NULL;

	if (tt_derive_reverse(schedule, &out) != TOTUM_OK)
		fail_msg("%s", totum_errmsg());
	return out;
}

static struct tt_schedule *compose(enum tt_collective collective, const struct tt_schedule *first,
				   const struct tt_schedule *second)
{
	struct tt_schedule *out = NULL;

	if (tt_derive_compose(collective, first, second, &out) != TOTUM_OK)
		fail_msg("%s", totum_errmsg());
	return out;
}

static void proved(const struct tt_schedule *schedule, const struct tt_verify_options *options,
		   struct tt_verify_report *report)
{
	if (tt_verify(schedule, options, report) != TOTUM_OK)
		fail_msg("%s", totum_errmsg());
	assert_int_equal(report->violations, 0);
	assert_int_equal(report->kept, 0);
}

/* The schedule, its reverse and both as an all-reduce; the counts must be those of the table. */
static void prove_family(struct tt_schedule *gather, int64_t rounds, struct tt_fraction volume,
			 int64_t ports)
{
	case_seal(gather);
	struct tt_schedule *scatter = reverse(gather);
	struct tt_schedule *both = compose(TT_ALLREDUCE, scatter, gather);
	struct tt_claims one = {rounds, volume, ports};
	struct tt_claims two = {2 * rounds, tt_fraction_add(volume, volume), ports};
	struct tt_verify_report report;
	int64_t n = gather->nranks;

	proved(gather, &(struct tt_verify_options){.claims = &one}, &report);
	assert_int_equal(report.traffic.over, n * (n - 1));
	assert_int_equal(report.traffic.under, 1);
	assert_int_equal(report.redundant, 0);
	proved(scatter, &(struct tt_verify_options){.claims = &one}, &report);
	proved(both, &(struct tt_verify_options){.claims = &two}, &report);
	tt_schedule_free(gather);
	tt_schedule_free(scatter);
	tt_schedule_free(both);
}

static int64_t digits(int64_t n, int64_t radix)
{
	int64_t count = 0;

	for (int64_t d = 1; d < n; d *= radix)
		count++;
	return count;
}

static struct tt_fraction whole(int64_t value)
{
	return tt_fraction_of(value, 1);
}

static void well_known_schedules_are_proved(void **state)
{
	(void)state;
	for (int i = 0; i < CASE_SIZES; i++) {
		int64_t n = case_sizes[i];
		int64_t one = n > 1;

		prove_family(case_ring(n), n - 1, whole(n - 1), one);
		prove_family(case_bruck(n, 2), digits(n, 2), whole(n - 1), one);
		prove_family(case_sparbit(n), digits(n, 2), whole(n - 1), one);
		if (n > 2)
			prove_family(case_biring(n), n / 2, tt_fraction_of(n - 1, 2), 2);
		if (n % 2 == 0)
			prove_family(case_neighbor(n), n / 2, whole(n - 1), 1);
		if ((n & (n - 1)) == 0)
			prove_family(case_doubling(n), digits(n, 2), whole(n - 1), one);
	}
	prove_family(case_bruck(8, 3), 2, whole(4), 2);
	prove_family(case_bruck(9, 3), 2, whole(4), 2);
	prove_family(case_bruck(27, 3), 3, whole(13), 2);
}

static void gossip_is_proved(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 150; seed++) {
		struct tt_schedule *gather =
			case_seal(case_gossip(1 + seed % 12, 1 + (int)seed % 4, seed));
		struct tt_schedule *scatter = reverse(gather);
		struct tt_schedule *both = compose(TT_ALLREDUCE, scatter, gather);
		struct tt_verify_report report;

		proved(gather, NULL, &report);
		assert_int_equal(report.proof, seed % 12 ? TT_PROOF_EXPLICIT : TT_PROOF_SYMMETRIC);
		proved(scatter, NULL, &report);
		proved(both, NULL, &report);
		tt_schedule_free(gather);
		tt_schedule_free(scatter);
		tt_schedule_free(both);
	}
}

/* From the root down a binomial tree: each has all blocks at once. */
static struct tt_schedule *binomial(int64_t n, int root)
{
	struct tt_schedule *schedule = case_new(TT_BROADCAST, n, root, 1, "binomial");

	for (int64_t d = 1, round = 0; d < n; d *= 2, round++)
		for (int64_t r = 0; r < d && r + d < n; r++)
			tt_move(schedule, round, (r + root) % n, (r + d + root) % n, 0, n);
	return case_seal(schedule);
}

static struct tt_schedule *direct_scatter(int64_t n, int root)
{
	struct tt_schedule *schedule = case_new(TT_SCATTER, n, root, 1, "direct");

	for (int64_t r = 0; r < n; r++)
		if (r != root)
			tt_move(schedule, 0, root, r, r, 1);
	return case_seal(schedule);
}

static void schedules_with_a_root_are_proved(void **state)
{
	(void)state;
	for (int64_t n = 1; n <= 33; n++)
		for (int root = 0; root < n; root += 1 + (int)n / 5) {
			struct tt_schedule *broadcast = binomial(n, root);
			struct tt_schedule *reduce = reverse(broadcast);
			struct tt_schedule *allreduce = compose(TT_ALLREDUCE, reduce, broadcast);
			struct tt_schedule *scatter = direct_scatter(n, root);
			struct tt_schedule *gather = reverse(scatter);
			struct tt_schedule *ring = case_seal(case_ring(n)), *sums = reverse(ring);
			struct tt_schedule *large = compose(TT_BROADCAST, scatter, ring);
			struct tt_schedule *large_reduce = compose(TT_REDUCE, sums, gather);
			struct tt_verify_report report;

			proved(broadcast, NULL, &report);
			proved(reduce, NULL, &report);
			proved(allreduce, NULL, &report);
			proved(scatter, NULL, &report);
			proved(gather, NULL, &report);
			proved(large_reduce, NULL, &report);
			/* The ring brings the root what it had: no mistake, and no reverse. */
			assert_int_equal(tt_verify(large, NULL, &report), n > 1 ? TOTUM_EINVAL : 0);
			proved(large, &(struct tt_verify_options){.redundant = true}, &report);
			assert_int_equal(report.redundant, n - 1);
			struct tt_schedule *all[] = {broadcast, reduce, allreduce,
						     scatter,   gather, ring,
						     sums,      large,  large_reduce};

			for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
				tt_schedule_free(all[i]);
		}
}

static void an_all_to_all_is_proved(void **state)
{
	(void)state;
	for (int64_t n = 1; n <= 12; n++) {
		struct tt_schedule *direct = case_new(TT_ALLTOALL, n, 0, 1, "direct");
		struct tt_schedule *relayed = case_new(TT_ALLTOALL, n, 0, 1, "relayed");
		struct tt_verify_report report;

		for (int64_t s = 0; s < n; s++)
			for (int64_t d = 0; d < n; d++) {
				int64_t relay = (s + d) % n, block = s * n + d;

				if (s == d)
					continue;
				tt_move(direct, 0, s, d, block, 1);
				if (relay != s)
					tt_move(relayed, 0, s, relay, block, 1);
				if (relay != d)
					tt_move(relayed, relay != s, relay, d, block, 1);
			}
		case_seal(direct);
		struct tt_schedule *back = reverse(case_seal(relayed));

		proved(direct, NULL, &report);
		proved(relayed, NULL, &report);
		proved(back, NULL, &report);
		tt_schedule_free(direct);
		tt_schedule_free(relayed);
		tt_schedule_free(back);
	}
}

/* All ranks swap their sums of everything: no reverse of an all-gather, but an all-reduce. */
static struct tt_schedule *butterfly(int64_t n)
{
	struct tt_schedule *schedule = case_new(TT_ALLREDUCE, n, 0, 1, "butterfly");

	for (int64_t mask = 1, round = 0; mask < n; mask *= 2)
		tt_exchange(schedule, round++, mask, n - 1)->reduce = true;
	return case_seal(schedule);
}

static void a_butterfly_is_proved_by_its_sets(void **state)
{
	(void)state;
	struct tt_verify_report report;

	for (int64_t n = 1; n <= 64; n *= 2) {
		struct tt_schedule *schedule = butterfly(n);

		proved(schedule, NULL, &report);
		proved(schedule, &(struct tt_verify_options){.proof = TT_PROOF_EXPLICIT}, &report);
		tt_schedule_free(schedule);
	}
	struct tt_schedule *large = butterfly(8192), *huge = butterfly(1 << 20);

	proved(large, NULL, &report);
	assert_int_equal(report.proof, TT_PROOF_SYMMETRIC);
	assert_int_equal(tt_verify(huge, NULL, &report), TOTUM_EUNSUPPORTED);
	assert_non_null(strstr(totum_errmsg(), "up to 32768"));
	tt_schedule_free(large);
	tt_schedule_free(huge);
}

static void a_million_ranks_are_proved(void **state)
{
	(void)state;
	enum { N = 1000000 };
	int64_t log = digits(N, 2);

	prove_family(case_ring(N), N - 1, whole(N - 1), 1);
	prove_family(case_biring(N), N / 2, tt_fraction_of(N - 1, 2), 2);
	prove_family(case_bruck(N, 2), log, whole(N - 1), 1);
	prove_family(case_sparbit(100003), digits(100003, 2), whole(100002), 1);
	prove_family(case_doubling(1 << 20), 20, whole((1 << 20) - 1), 1);
}

/* One wrong record of many ranks' sums: found by reversal, and said by the sets where they fit. */
static void a_mistake_among_many_sums_is_found(void **state)
{
	(void)state;
	static const int64_t sizes[] = {5000, 100003};
	static const char *const sentences[] = {"V7 round 12: rank 1 adds block 0 from rank 0 but",
						"reversed: round"};

	for (int i = 0; i < 2; i++) {
		struct tt_schedule *gather = case_bruck(sizes[i], 2);
		struct tt_verify_report report;

		gather->records[0].shift.first = 1;
		case_seal(gather);
		struct tt_schedule *sums = reverse(gather);

		assert_int_equal(tt_verify(sums, NULL, &report), TOTUM_EINVAL);
		assert_true(report.violations >= sizes[i]);
		assert_int_equal(report.proof, i ? TT_PROOF_REVERSAL : TT_PROOF_SYMMETRIC);
		if (!strstr(totum_errmsg(), sentences[i]))
			fail_msg("'%s' lacks '%s'", totum_errmsg(), sentences[i]);
		tt_schedule_free(gather);
		tt_schedule_free(sums);
	}
}

static void many_ranks_are_proved_block_by_block(void **state)
{
	(void)state;
	struct tt_verify_options all = {.proof = TT_PROOF_EXPLICIT};
	struct tt_verify_report report;
	struct tt_schedule *ring = case_seal(case_ring(4096));
	struct tt_schedule *neighbor = case_seal(case_neighbor(512)), *sums = reverse(neighbor);

	proved(ring, &all, &report);
	proved(sums, &all, &report);
	tt_schedule_free(ring);
	tt_schedule_free(neighbor);
	tt_schedule_free(sums);
}

/* --- against a plain replay ------------------------------------------------------------------ */

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
		struct tt_schedule *scatter = reverse(gather);
		struct tt_schedule *both = compose(TT_ALLREDUCE, scatter, gather);
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
			struct tt_schedule *scatter = reverse(gather);
			struct tt_schedule *both = compose(TT_ALLREDUCE, scatter, gather);
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

/* --- counts ---------------------------------------------------------------------------------- */

static void counts_are_those_of_the_moves(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 2000; seed++) {
		enum tt_collective collective = (enum tt_collective)(seed % TT_COLLECTIVES);
		int64_t n = case_random_size(seed), volume = 0, most = 0, sends = 0, receives = 0;
		struct tt_schedule *schedule = case_random(collective, n, seed);
		struct case_list list = case_expand(schedule);
		struct tt_verify_report report;

		for (int64_t round = 0; round < schedule->rounds; round++) {
			int64_t *pieces = calloc((size_t)(n * n), sizeof(*pieces)), largest = 0;

			for (size_t i = 0; i < list.count; i++)
				if (list.units[i].round == round)
					pieces[list.units[i].from * n + list.units[i].to]++;
			for (int64_t a = 0; a < n; a++) {
				int64_t out = 0, in = 0;

				for (int64_t b = 0; b < n; b++) {
					out += pieces[a * n + b] != 0;
					in += pieces[b * n + a] != 0;
					if (pieces[a * n + b] > largest)
						largest = pieces[a * n + b];
				}
				sends = out > sends ? out : sends;
				receives = in > receives ? in : receives;
			}
			volume += largest;
			most = largest > most ? largest : most;
			free(pieces);
		}
		tt_verify(schedule, NULL, &report);
		struct tt_fraction traffic = tt_fraction_of((__int128)list.count, schedule->pieces);

		if (report.rounds != schedule->rounds || report.sends != sends ||
		    report.receives != receives ||
		    tt_fraction_compare(report.volume, tt_fraction_of(volume, schedule->pieces)) ||
		    tt_fraction_compare(report.largest, tt_fraction_of(most, schedule->pieces)) ||
		    tt_fraction_compare(report.traffic, traffic))
			fail_msg("seed %u is counted wrongly", seed);
		free(list.units);
		tt_schedule_free(schedule);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(well_known_schedules_are_proved),
		cmocka_unit_test(gossip_is_proved),
		cmocka_unit_test(schedules_with_a_root_are_proved),
		cmocka_unit_test(an_all_to_all_is_proved),
		cmocka_unit_test(a_butterfly_is_proved_by_its_sets),
		cmocka_unit_test(a_million_ranks_are_proved),
		cmocka_unit_test(a_mistake_among_many_sums_is_found),
		cmocka_unit_test(many_ranks_are_proved_block_by_block),
		cmocka_unit_test(all_proofs_agree_with_a_replay),
		cmocka_unit_test(circulant_and_explicit_proofs_are_equal_up_to_64),
		cmocka_unit_test(counts_are_those_of_the_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
