/* SPDX-License-Identifier: BSD-3-Clause */
/* lab_schedule - the entry points that make, read, write and prove schedules. */
#include <stdlib.h>
#include <string.h>

#include "api/lab.h"
#include "schedule/text.h"

static totum_status wrap(struct tt_schedule *schedule, totum_schedule **out)
{
	totum_schedule *result = malloc(sizeof *result);

	if (!result) {
		tt_schedule_free(schedule);
		return tt_fail_memory(sizeof *result, "a schedule");
	}
	*result = (totum_schedule){.schedule = schedule};
	*out = result;
	return TOTUM_OK;
}

/* What the algorithm says about itself, when the schedule is its own and not derived. */
static void find_claims(const struct tt_question *question, totum_schedule *schedule)
{
	const struct tt_schedule *inner = schedule->schedule;
	const struct tt_algorithm_entry *entry;
	int64_t n = inner->nranks, values[TT_PARAMETERS];

	if (tt_algorithm_parse(inner->collective, inner->name, n, &entry, values) ||
	    entry->collective != inner->collective)
		return;
	const struct tt_algorithm *algorithm = entry->algorithm;

	schedule->claimed = true;
	if (question->placement && algorithm->placed.cost) {
		struct tt_cost cost =
			algorithm->placed.cost(question->placement, question->root, values);

		schedule->claims = (struct tt_claims){cost.rounds, cost.volume, cost.ports};
		return;
	}
	schedule->claims = (struct tt_claims){.rounds = algorithm->rounds(n, values),
					      .volume = algorithm->volume(n, values),
					      .ports = algorithm->ports(n, values)};
}

/* The algorithm that the planner takes when the problem names none. */
static totum_status choose(const struct tt_question *question, char name[static TT_ALGORITHM_TEXT])
{
	struct tt_candidates *candidates;
	totum_status status = tt_candidates_new(question, &candidates);

	if (status)
		return status;
	if (candidates->chosen >= 0)
		strcpy(name, candidates->list[candidates->chosen].name);
	else
		status = tt_fail(TOTUM_EUNSUPPORTED, "no algorithm does %s on %lld ranks",
				 tt_collective_name(question->collective),
				 (long long)question->nranks);
	tt_candidates_free(candidates);
	return status;
}

totum_status totum_schedule_build(const char *problem, totum_schedule **out)
{
	struct tt_schedule *schedule;
	struct tt_lab lab;

	if (!problem || !out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_schedule_build: problem and out must not be NULL");
	totum_status status = tt_lab_open(problem, NULL, NULL, &lab);
	const struct tt_question *question = &lab.question;

	if (!status && !*lab.problem.algorithm)
		status = choose(question, lab.problem.algorithm);
	if (!status)
		status = tt_algorithm_build_placed(question->collective, lab.problem.algorithm,
						   question->nranks, question->root,
						   question->placement, &schedule);
	if (!status)
		status = wrap(schedule, out);
	if (!status)
		find_claims(question, *out);
	tt_lab_close(&lab);
	return status;
}

void totum_schedule_free(totum_schedule *schedule)
{
	if (!schedule)
		return;
	tt_schedule_free(schedule->schedule);
	free(schedule);
}

totum_status totum_schedule_facts(const totum_schedule *schedule, totum_facts *out)
{
	struct tt_price price;

	if (!schedule || !out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_schedule_facts: schedule and out must not be NULL");
	const struct tt_schedule *inner = schedule->schedule;
	totum_status status = tt_price_own(inner, &price);

	if (status)
		return status;
	*out = (totum_facts){.collective = tt_collective_name(inner->collective),
			     .algorithm = inner->name,
			     .nranks = inner->nranks,
			     .nblocks = inner->nblocks,
			     .root = inner->root,
			     .pieces = inner->pieces,
			     .rounds = price.rounds,
			     .ports = price.ports,
			     .volume_over = price.volume.over,
			     .volume_under = price.volume.under};
	return TOTUM_OK;
}

totum_status totum_schedule_parse(const char *text, size_t length, const char *name,
				  totum_schedule **out)
{
	struct tt_schedule *schedule;

	if ((!text && length) || !name || !out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_schedule_parse: text, name and out must not be NULL");
	totum_status status = tt_schedule_parse(name, text, length, &schedule);

	return status ? status : wrap(schedule, out);
}

totum_status totum_schedule_write(const totum_schedule *schedule, FILE *out)
{
	if (!schedule || !out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_schedule_write: schedule and out must not be NULL");
	return tt_schedule_write(schedule->schedule, out);
}
