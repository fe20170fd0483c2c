/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every algorithm of the table, none by name: with every parameter value and every nranks its
 * schedule does what its collective promises, keeps its claims, and gives every collective that is
 * derived from it.  Both the verifier and a plain replay of the moves must say so.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms_replay.h"
#include "proof/price.h"
#include "proof/verify.h"

/* Beyond these, every value, derived collectives, and proofs block by block take too long. */
enum { ALL_VALUES = 10, DERIVED = 24, MOST_BLOCKS = 4096 };
/* A sanitizer looks at the same code with fewer ranks. */
#ifdef __SANITIZE_ADDRESS__
enum { ALL_SIZES = 33 };
static const int64_t odd_sizes[] = {127, 128};
#else
enum { ALL_SIZES = 64 };
static const int64_t odd_sizes[] = {96, 100, 127, 128, 129, 255, 256, 257};
#endif

/* "allgather:n=8:algo=bruck,radix=3" */
static const char *problem(enum tt_collective collective, int64_t nranks, int root,
			   const char *algorithm)
{
	static char text[200];

	snprintf(text, sizeof text, "%s:n=%lld:algo=%s%s%.0d", tt_collective_name(collective),
		 (long long)nranks, algorithm, root ? ":root=" : "", root);
	return text;
}

static struct tt_schedule *built(enum tt_collective collective, int64_t nranks, int root,
				 const char *algorithm)
{
	struct tt_schedule *schedule = NULL;

	if (tt_algorithm_build(collective, algorithm, nranks, root, &schedule))
		fail_msg("%s: %s", problem(collective, nranks, root, algorithm), totum_errmsg());
	return schedule;
}

static bool is_redundant(const struct tt_algorithm *algorithm, int64_t nranks,
			 const int64_t *values)
{
	return algorithm->redundant && algorithm->redundant(nranks, values);
}

static void check_claims(const struct tt_algorithm_entry *entry, const struct tt_schedule *schedule,
			 const int64_t *values, const struct replay *replay)
{
	const struct tt_algorithm *algorithm = entry->algorithm;
	int64_t n = schedule->nranks;
	struct tt_fraction volume = algorithm->volume(n, values);
	const char *text = problem(entry->collective, n, schedule->root, schedule->name);

	if (algorithm->rounds(n, values) != schedule->rounds)
		fail_msg("%s claims %lld rounds and has %lld", text,
			 (long long)algorithm->rounds(n, values), (long long)schedule->rounds);
	if (volume.over * schedule->pieces != replay->carried * volume.under)
		fail_msg("%s claims %lld/%lld blocks of volume and has %lld/%d", text,
			 (long long)volume.over, (long long)volume.under,
			 (long long)replay->carried, schedule->pieces);
	for (int64_t d = 2; d <= volume.under; d++)
		if (volume.over % d == 0 && volume.under % d == 0)
			fail_msg("%s: the volume %lld/%lld is not in lowest terms", text,
				 (long long)volume.over, (long long)volume.under);
	if (algorithm->ports(n, values) != replay->ports)
		fail_msg("%s claims %lld ports and uses %lld", text,
			 (long long)algorithm->ports(n, values), (long long)replay->ports);
	struct tt_price price;

	/* With a link for every message of a round, what is claimed is what it costs. */
	if (tt_price_count(schedule, replay->ports > 0 ? replay->ports : 1, &price) ||
	    price.rounds != schedule->rounds || price.ports != replay->ports ||
	    price.volume.over != volume.over || price.volume.under != volume.under)
		fail_msg("%s is priced at %lld rounds, %lld/%lld blocks, %lld ports", text,
			 (long long)price.rounds, (long long)price.volume.over,
			 (long long)price.volume.under, (long long)price.ports);
	if (is_redundant(algorithm, n, values) != (replay->repeats > 0))
		fail_msg("%s: %lld pieces arrive where they are, against its claim", text,
			 (long long)replay->repeats);
}

/* The verifier's word, for a schedule that may be redundant or not. */
static void check_proof(const struct tt_schedule *schedule, const char *text, bool redundant,
			const struct tt_claims *claims)
{
	struct tt_verify_options options = {.claims = claims, .ports = claims ? claims->ports : 0};
	struct tt_verify_report report;
	totum_status status = tt_verify(schedule, &options, &report);

	if (redundant) {
		if (status != TOTUM_EINVAL || report.first[0].invariant != TT_V5_REDUNDANCY)
			fail_msg("%s is not found redundant", text);
		options.redundant = true;
		status = tt_verify(schedule, &options, &report);
	}
	if (status)
		fail_msg("%s: %s", text, totum_errmsg());
}

static void check_derived(const struct tt_algorithm_entry *entry, const char *text, int64_t nranks,
			  int root, bool redundant)
{
	for (int c = 0; c < TT_COLLECTIVES; c++) {
		enum tt_collective collective = (enum tt_collective)c;
		struct tt_schedule *schedule = NULL;

		if (collective == entry->collective || !tt_algorithm_serves(entry, collective))
			continue;
		if (redundant && collective != TT_BROADCAST) {
			if (tt_algorithm_build(collective, text, nranks, root, &schedule) !=
			    TOTUM_EUNSUPPORTED)
				fail_msg("%s was derived", problem(collective, nranks, root, text));
			continue;
		}
		schedule = built(collective, nranks, root, text);
		struct replay replay = replay_schedule(schedule);

		if (schedule->collective != collective)
			fail_msg("%s made a schedule of %s",
				 problem(collective, nranks, root, text),
				 tt_collective_name(schedule->collective));
		if (replay.fault[0])
			fail_msg("%s: %s", problem(collective, nranks, root, text), replay.fault);
		/*
		 * The root of a broadcast that ends with an all-gather gets back what it has sent.
		 */
		check_proof(schedule, problem(collective, nranks, root, text),
			    collective == TT_BROADCAST && nranks > 1, NULL);
		tt_schedule_free(schedule);
	}
}

/* One algorithm, one choice of values, one nranks. */
static void check_one(const struct tt_algorithm_entry *entry, int64_t nranks, const int64_t *values)
{
	const struct tt_algorithm *algorithm = entry->algorithm;
	struct tt_schedule *schedule = NULL;
	char text[TT_ALGORITHM_TEXT];
	bool redundant = is_redundant(algorithm, nranks, values);
	int last = (int)(nranks - 1 - nranks / 3), root = tt_rooted(entry->collective) ? last : 0;

	tt_algorithm_format(entry, values, text);
	if (algorithm->refuses && algorithm->refuses(nranks, values)) {
		if (tt_algorithm_build(entry->collective, text, nranks, root, &schedule) !=
		    TOTUM_EUNSUPPORTED)
			fail_msg("%s was not refused",
				 problem(entry->collective, nranks, root, text));
		return;
	}
	schedule = built(entry->collective, nranks, root, text);
	if (strcmp(schedule->name, text))
		fail_msg("%s is named %s", problem(entry->collective, nranks, root, text),
			 schedule->name);
	struct replay replay = replay_schedule(schedule);

	if (replay.fault[0])
		fail_msg("%s: %s", problem(entry->collective, nranks, root, text), replay.fault);
	check_claims(entry, schedule, values, &replay);
	struct tt_claims claims = {algorithm->rounds(nranks, values),
				   algorithm->volume(nranks, values),
				   algorithm->ports(nranks, values)};

	if (schedule->nblocks <= MOST_BLOCKS)
		check_proof(schedule, problem(entry->collective, nranks, root, text), redundant,
			    &claims);
	tt_schedule_free(schedule);
	if (nranks <= DERIVED)
		check_derived(entry, text, nranks, last, redundant);
}

/* Is the value worth a try? All for few ranks; else the ends, the fallback, powers of two. */
static bool worth(const struct tt_parameter *parameter, int64_t nranks, int64_t value)
{
	int64_t top = tt_parameter_top(parameter, nranks);

	if (value == parameter->fallback || value == parameter->low)
		return true;
	if (value > nranks + 1)
		return value == top && nranks <= 2;
	if (nranks <= ALL_VALUES || value == parameter->low + 1)
		return true;
	return nranks <= 64 && (value == top || (nranks <= DERIVED && (value & (value - 1)) == 0));
}

/* All choices from the index-th parameter on. */
static void check_values(const struct tt_algorithm_entry *entry, int64_t nranks, int64_t *values,
			 int index)
{
	const struct tt_parameter *parameter = &entry->algorithm->parameters[index];

	if (index == TT_PARAMETERS || !parameter->name) {
		check_one(entry, nranks, values);
		return;
	}
	for (int64_t value = parameter->low; value <= tt_parameter_top(parameter, nranks);
	     value++) {
		values[index] = value;
		if (worth(parameter, nranks, value))
			check_values(entry, nranks, values, index + 1);
	}
}

static void test_all(void **state)
{
	int64_t values[TT_PARAMETERS] = {0};

	(void)state;
	for (int i = 0; i < tt_nalgorithms; i++) {
		for (int64_t nranks = 1; nranks <= ALL_SIZES; nranks++)
			check_values(&tt_algorithms[i], nranks, values, 0);
		for (size_t j = 0; j < sizeof odd_sizes / sizeof *odd_sizes; j++)
			check_values(&tt_algorithms[i], odd_sizes[j], values, 0);
	}
}

/* What all ranks do alike is proved, with its claims, for as many ranks as there are. */
static void test_many_ranks(void **state)
{
	static const int64_t sizes[] = {100003, 131072};
	int proved = 0;

	(void)state;
	for (int i = 0; i < 2 * tt_nalgorithms; i++) {
		const struct tt_algorithm_entry *entry = &tt_algorithms[i / 2];
		const struct tt_algorithm *algorithm = entry->algorithm;
		int64_t n = sizes[i % 2], values[TT_PARAMETERS];
		struct tt_schedule *schedule = NULL;
		struct tt_verify_report report;

		tt_algorithm_values(entry, n, "", values);
		if (algorithm->refuses && algorithm->refuses(n, values))
			continue;
		schedule = built(entry->collective, n, 0, entry->name);
		struct tt_claims claims = {algorithm->rounds(n, values),
					   algorithm->volume(n, values),
					   algorithm->ports(n, values)};
		struct tt_verify_options options = {.proof = TT_PROOF_SYMMETRIC, .claims = &claims};
		totum_status status = tt_verify(schedule, &options, &report);

		if (status && status != TOTUM_EUNSUPPORTED)
			fail_msg("%s: %s", problem(entry->collective, n, 0, entry->name),
				 totum_errmsg());
		proved += !status;
		tt_schedule_free(schedule);
	}
	assert_true(proved >= 10);
}

/* The entries themselves are whole: a summary, all claims, parameters that make sense. */
static void test_entries(void **state)
{
	(void)state;
	assert_true(tt_nalgorithms > 0);
	for (int i = 0; i < tt_nalgorithms; i++) {
		const struct tt_algorithm *algorithm = tt_algorithms[i].algorithm;

		if (!algorithm->summary || !algorithm->build || !algorithm->rounds ||
		    !algorithm->volume || !algorithm->ports)
			fail_msg("%s misses a part", tt_algorithms[i].name);
		for (int j = 0; j < TT_PARAMETERS && algorithm->parameters[j].name; j++) {
			const struct tt_parameter *parameter = &algorithm->parameters[j];

			if (!parameter->meaning || parameter->fallback < parameter->low ||
			    (parameter->high && parameter->high < parameter->fallback))
				fail_msg("parameter %s of %s is not whole", parameter->name,
					 tt_algorithms[i].name);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_many_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
