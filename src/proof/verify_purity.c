/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify_purity.c - what a record means for a rank depends on nothing else, and both ends read the
 * same (V10).
 *
 * Each transfer is read, another one in between, and read again, then from the other end.  All
 * ranks up to 64, else a handful of them; of very many records a sample.
 */
#include "proof/verify_internal.h"

enum { ALL_RANKS = 64, SAMPLE = 4096 };

struct purity {
	struct tt_verifier verifier;
	tt_reader *send, *receive;
};

static bool same(const struct tt_transfer *a, const struct tt_transfer *b)
{
	return a->from == b->from && a->to == b->to && a->piece == b->piece &&
	       a->npieces == b->npieces && a->reduce == b->reduce &&
	       a->blocks.subset == b->blocks.subset && a->blocks.first == b->blocks.first &&
	       a->blocks.count == b->blocks.count && a->blocks.stride == b->blocks.stride &&
	       a->blocks.modulo == b->blocks.modulo && a->blocks.field == b->blocks.field;
}

/* Reads one end of a record for a rank and then the other end for its peer. */
static void check_end(const struct purity *purity, const struct tt_record *record, int64_t round,
		      int64_t rank, bool sending)
{
	const struct tt_schedule *schedule = purity->verifier.schedule;
	tt_reader *near = sending ? purity->send : purity->receive;
	tt_reader *far = sending ? purity->receive : purity->send;
	struct tt_transfer first = {0}, between = {0}, again = {0}, other = {0};
	bool any = near(schedule, record, round, rank, &first);

	near(schedule, record, round, (rank + 1) % schedule->nranks, &between);
	if (near(schedule, record, round, rank, &again) != any || (any && !same(&first, &again)))
		tt_violate(&purity->verifier, TT_V10_PURITY, round, rank, -1,
			   "round %lld: what rank %lld %s differs from one reading to the next",
			   (long long)round, (long long)rank, sending ? "sends" : "receives");
	if (!any)
		return;
	int64_t peer = sending ? first.to : first.from;

	if (peer < 0 || peer >= schedule->nranks || peer == rank)
		tt_violate(&purity->verifier, TT_V10_PURITY, round, rank, -1,
			   "round %lld: rank %lld %s rank %lld, which is no other rank",
			   (long long)round, (long long)rank,
			   sending ? "sends to" : "receives from", (long long)peer);
	else if (!far(schedule, record, round, peer, &other) || !same(&first, &other))
		tt_violate(&purity->verifier, TT_V10_PURITY, round, rank, -1,
			   "round %lld: rank %lld and rank %lld disagree on what goes between them",
			   (long long)round, (long long)rank, (long long)peer);
}

static void check_rank(const struct purity *purity, const struct tt_record *record, int64_t rank)
{
	int64_t last = record->round + record->rounds - 1;

	check_end(purity, record, record->round, rank, true);
	check_end(purity, record, record->round, rank, false);
	if (last == record->round)
		return;
	check_end(purity, record, last, rank, true);
	check_end(purity, record, last, rank, false);
}

static void check_record(const struct purity *purity, const struct tt_record *record)
{
	int64_t n = purity->verifier.schedule->nranks;

	if (n <= ALL_RANKS) {
		for (int64_t rank = 0; rank < n; rank++)
			check_rank(purity, record, rank);
		return;
	}
	const int64_t ranks[] = {0, 1, n / 2, n - 2, n - 1};

	for (int i = 0; i < 5; i++)
		check_rank(purity, record, ranks[i]);
	if (record->primitive == TT_MOVE) {
		check_rank(purity, record, record->move.from);
		check_rank(purity, record, record->move.to);
	}
}

totum_status tt_verify_purity(const struct tt_schedule *schedule, tt_reader *send,
			      tt_reader *receive, struct tt_verify_report *report)
{
	struct tt_verify_report own = {0};
	struct purity purity = {
		.verifier = {.schedule = schedule,
			     .report = report ? report : &own,
			     .where = "",
			     .times = 1},
		.send = send,
		.receive = receive,
	};
	int64_t step = schedule->nrecords / SAMPLE + 1;

	for (int64_t i = 0; i < schedule->nrecords; i += step)
		check_record(&purity, &schedule->records[i]);
	return tt_verdict(purity.verifier.report, schedule->name);
}
