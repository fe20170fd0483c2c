/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify.c - chooses how to prove a schedule, and puts the parts of the proof together.
 */
#include "proof/verify.h"

#include <stdio.h>

#include "proof/verify_internal.h"

/* Up to here sets of contributions cost little, and say more about what is wrong than a reversal.
 */
enum { SMALL = 4096 };

static const struct tt_verify_options defaults = {0};

static totum_status check_form(const struct tt_schedule *schedule)
{
	if (!schedule->first_record)
		return tt_fail(TOTUM_EUSAGE, "schedule '%s' must be sealed before it is verified",
			       schedule->name);
	for (int64_t i = 0; i < schedule->nrecords; i++) {
		const char *fault = tt_record_fault(schedule, &schedule->records[i]);

		if (fault)
			return tt_fail(TOTUM_EINVAL, "record %lld of schedule '%s': %s",
				       (long long)i, schedule->name, fault);
	}
	return TOTUM_OK;
}

static enum tt_proof choose(const struct tt_schedule *schedule)
{
	bool many = tt_reduces(schedule->collective) && schedule->nranks > SMALL;

	if (many && tt_reversible(schedule))
		return TT_PROOF_REVERSAL;
	return tt_symmetric(schedule) ? TT_PROOF_SYMMETRIC : TT_PROOF_EXPLICIT;
}

static totum_status check_applies(const struct tt_schedule *schedule, enum tt_proof proof)
{
	if (proof == TT_PROOF_REVERSAL && !tt_reversible(schedule))
		return tt_fail(
			TOTUM_EUNSUPPORTED,
			"schedule '%s' has no proof by reversal: that needs a reduce-scatter of "
			"one kind of shifts or exchanges, then nothing or such an all-gather",
			schedule->name);
	if (proof == TT_PROOF_SYMMETRIC && !tt_symmetric(schedule))
		return tt_fail(
			TOTUM_EUNSUPPORTED,
			"schedule '%s' has no proof by symmetry: that needs shifts alone, or "
			"exchanges alone among a power of two of ranks",
			schedule->name);
	if (proof != TT_PROOF_REVERSAL && tt_reduces(schedule->collective) &&
	    schedule->nranks > TT_REDUCTION_RANKS)
		return tt_fail(
			TOTUM_EUNSUPPORTED,
			"schedule '%s' adds on %lld ranks, and is proved for up to %d: beyond, "
			"only a reduce-scatter of shifts or exchanges and its all-reduce are",
			schedule->name, (long long)schedule->nranks, TT_REDUCTION_RANKS);
	return TOTUM_OK;
}

static totum_status prove(struct tt_verifier *verifier, enum tt_proof proof)
{
	const struct tt_schedule *schedule = verifier->schedule;
	bool symmetric = proof == TT_PROOF_SYMMETRIC;
	totum_status status = check_applies(schedule, proof);

	if (status)
		return status;
	verifier->report->proof = proof;
	verifier->times = proof == TT_PROOF_EXPLICIT ? 1 : schedule->nranks;
	if (proof == TT_PROOF_REVERSAL)
		return tt_verify_reversal(verifier);
	if (tt_reduces(schedule->collective))
		return tt_verify_reduction(verifier, symmetric);
	return tt_verify_movement(verifier, symmetric);
}

/*
 * A reversal that fails condemns a reduce-scatter, but not an all-reduce of another make.  Where
 * symmetry makes sets of contributions affordable, they decide, and say why.
 */
static totum_status prove_again(struct tt_verifier *verifier)
{
	const struct tt_schedule *schedule = verifier->schedule;

	if (schedule->collective == TT_REDUCE_SCATTER && schedule->nranks > TT_REDUCTION_RANKS)
		return TOTUM_OK;
	*verifier->report = (struct tt_verify_report){0};
	return prove(verifier, TT_PROOF_SYMMETRIC);
}

totum_status tt_verify(const struct tt_schedule *schedule, const struct tt_verify_options *options,
		       struct tt_verify_report *report)
{
	const struct tt_verify_options *wanted = options ? options : &defaults;
	struct tt_verifier verifier = {.schedule = schedule,
				       .report = report,
				       .where = "",
				       .redundant = wanted->redundant,
				       .times = 1};
	bool automatic = wanted->proof == TT_PROOF_AUTO;
	char what[160];

	*report = (struct tt_verify_report){0};
	totum_status status = check_form(schedule);

	if (status)
		return status;
	status = prove(&verifier, automatic ? choose(schedule) : wanted->proof);
	if (!status && automatic && report->violations && report->proof == TT_PROOF_REVERSAL)
		status = prove_again(&verifier);
	if (!status)
		status = tt_verify_counts(&verifier, wanted);
	if (status)
		return status;
	snprintf(what, sizeof(what), "%s '%s' on %lld ranks",
		 tt_collective_name(schedule->collective), schedule->name,
		 (long long)schedule->nranks);
	status = tt_verify_purity(schedule, tt_record_send, tt_record_receive, report);
	return status ? tt_verdict(report, what) : TOTUM_OK;
}
