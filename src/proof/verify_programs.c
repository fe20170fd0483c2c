/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify_programs.c - the programs of all ranks fit together: between each two of them, messages go
 * out as they are taken in, in number, order and size (V3).  O(steps log steps).
 */
#include "proof/verify_internal.h"
#include "proof/verify_match.h"

/* -1, 0, 1 as the channel of a comes before, is, or comes after that of b; a missing end comes
 * last. */
static int compare_channels(const struct tt_message_end *a, const struct tt_message_end *b)
{
	if (!a || !b)
		return !a - !b;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static void compare_ends(const struct tt_verifier *verifier,
			 const struct tt_program *const programs[],
			 const struct tt_message_end *send, const struct tt_message_end *receive)
{
	const struct tt_step *out = &programs[send->from]->steps[send->step];
	const struct tt_step *in = &programs[receive->to]->steps[receive->step];

	if (out->bytes == in->bytes && out->round == in->round)
		return;
	tt_violate(verifier, TT_V3_MATCHING, out->round, send->from, -1,
		   "rank %lld sends %llu bytes in round %lld to rank %lld, which takes in %llu in "
		   "round %lld",
		   (long long)send->from, (unsigned long long)out->bytes, (long long)out->round,
		   (long long)send->to, (unsigned long long)in->bytes, (long long)in->round);
}

static void note_alone(const struct tt_verifier *verifier,
		       const struct tt_program *const programs[], const struct tt_message_end *end,
		       bool sending)
{
	int64_t rank = sending ? end->from : end->to;
	const struct tt_step *step = &programs[rank]->steps[end->step];

	tt_violate(
		verifier, TT_V3_MATCHING, step->round, rank, -1,
		sending ? "rank %lld sends %llu bytes in round %lld to rank %lld, which does not "
			  "take them in"
			: "rank %lld takes in %llu bytes in round %lld from rank %lld, which does "
			  "not send them",
		(long long)rank, (unsigned long long)step->bytes, (long long)step->round,
		(long long)step->peer);
}

static totum_status check_programs(const struct tt_program *const programs[], int64_t nranks)
{
	for (int64_t rank = 0; rank < nranks; rank++)
		for (int64_t i = 0; i < programs[rank]->nsteps; i++) {
			int64_t peer = programs[rank]->steps[i].peer;

			if (peer < 0 || peer >= nranks || peer == rank)
				return tt_fail(TOTUM_EINVAL,
					       "step %lld of rank %lld has peer %lld, which is no "
					       "other rank",
					       (long long)i, (long long)rank, (long long)peer);
		}
	return TOTUM_OK;
}

totum_status tt_verify_programs(const struct tt_program *const programs[], int64_t nranks,
				struct tt_verify_report *report)
{
	struct tt_verify_report own;
	struct tt_verifier verifier = {.report = report ? report : &own, .where = "", .times = 1};
	struct tt_match match;

	*verifier.report = (struct tt_verify_report){0};
	totum_status status = check_programs(programs, nranks);

	if (!status)
		status = tt_match_make(programs, nranks, &match);
	if (status)
		return status;
	for (int64_t s = 0, r = 0; s < match.nsends || r < match.nreceives;) {
		const struct tt_message_end *send = s < match.nsends ? &match.sends[s] : NULL;
		const struct tt_message_end *receive =
			r < match.nreceives ? &match.receives[r] : NULL;
		int order = compare_channels(send, receive);

		if (order == 0)
			compare_ends(&verifier, programs, send, receive);
		else
			note_alone(&verifier, programs, order < 0 ? send : receive, order < 0);
		s += order <= 0;
		r += order >= 0;
	}
	tt_match_free(&match);
	return tt_verdict(verifier.report, "the programs of all ranks");
}
