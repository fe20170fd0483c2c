/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule_verify - right schedules are proved, by the way that fits them, and what is counted on
 * the way is right.  schedule_verify_replay.c holds the ways of proving against each other.
 */
#include "unit/schedule_cases.h"
#include "proof/verify.h"

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
	struct tt_schedule *scatter = case_reverse(gather);
	struct tt_schedule *both = case_compose(TT_ALLREDUCE, scatter, gather);
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
		struct tt_schedule *scatter = case_reverse(gather);
		struct tt_schedule *both = case_compose(TT_ALLREDUCE, scatter, gather);
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
			struct tt_schedule *reduce = case_reverse(broadcast);
			struct tt_schedule *allreduce =
				case_compose(TT_ALLREDUCE, reduce, broadcast);
			struct tt_schedule *scatter = direct_scatter(n, root);
			struct tt_schedule *gather = case_reverse(scatter);
			struct tt_schedule *ring = case_seal(case_ring(n)),
					   *sums = case_reverse(ring);
			struct tt_schedule *large = case_compose(TT_BROADCAST, scatter, ring);
			struct tt_schedule *large_reduce = case_compose(TT_REDUCE, sums, gather);
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
		struct tt_schedule *back = case_reverse(case_seal(relayed));

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
		struct tt_schedule *sums = case_reverse(gather);

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
	struct tt_schedule *neighbor = case_seal(case_neighbor(512)),
			   *sums = case_reverse(neighbor);

	proved(ring, &all, &report);
	proved(sums, &all, &report);
	tt_schedule_free(ring);
	tt_schedule_free(neighbor);
	tt_schedule_free(sums);
}

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
		cmocka_unit_test(counts_are_those_of_the_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
