/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * placement - which ranks share a host: hosts renumbered by their lowest rank, and its text forms.
 *
 * Of a packed placement every answer is arithmetic; of any other one the tables hold it.
 */
#include "schedule/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "schedule/ir.h"

struct tt_placement tt_placement_packed(int64_t nranks, int64_t nhosts)
{
	return (struct tt_placement){.nranks = nranks, .nhosts = nhosts};
}

/* --- making -------------------------------------------------------------------------------- */

struct seat {
	int32_t host, rank;
};

static int by_host(const void *left, const void *right)
{
	const struct seat *a = left, *b = right;

	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Hosts by their lowest rank: the seats of a host follow each other, the lowest rank first. */
static void number_hosts(struct tt_placement *placement, const struct seat *seats)
{
	int64_t n = placement->nranks, lowest = 0;

	for (int64_t i = 0; i < n; i++) {
		if (i == 0 || seats[i].host != seats[i - 1].host)
			lowest = seats[i].rank;
		placement->host_of[seats[i].rank] = (int32_t)lowest;
	}
	/* A host's lowest rank comes before its others, so its number is known when they come. */
	for (int64_t rank = 0; rank < n; rank++) {
		int32_t first = placement->host_of[rank];

		placement->host_of[rank] =
			first == rank ? (int32_t)placement->nhosts++ : placement->host_of[first];
	}
}

static void list_ranks(struct tt_placement *placement)
{
	for (int64_t rank = 0; rank < placement->nranks; rank++)
		placement->local[rank] = placement->first[placement->host_of[rank] + 1]++;
	for (int64_t host = 0; host < placement->nhosts; host++)
		placement->first[host + 1] += placement->first[host];
	for (int64_t rank = 0; rank < placement->nranks; rank++)
		placement->ranks[placement->first[placement->host_of[rank]] +
				 placement->local[rank]] = (int32_t)rank;
}

totum_status tt_placement_make(int64_t nranks, const int32_t *host_of, struct tt_placement *out)
{
	if (nranks < 1 || nranks > TT_MAX_RANKS)
		return tt_fail(TOTUM_EINVAL, "a placement has 1 to %d ranks, not %lld",
			       TT_MAX_RANKS, (long long)nranks);
	size_t entries = (size_t)nranks;
	struct seat *seats = malloc(entries * sizeof(*seats));
	struct tt_placement result = {.nranks = nranks,
				      .host_of = malloc(entries * sizeof(int32_t)),
				      .first = calloc(entries + 1, sizeof(int32_t)),
				      .ranks = malloc(entries * sizeof(int32_t)),
				      .local = malloc(entries * sizeof(int32_t))};

	if (!seats || !result.host_of || !result.first || !result.ranks || !result.local) {
		free(seats);
		tt_placement_free(&result);
		return tt_fail_memory(entries * sizeof(*seats), "a placement");
	}
	for (int64_t rank = 0; rank < nranks; rank++)
		seats[rank] = (struct seat){host_of[rank], (int32_t)rank};
	qsort(seats, entries, sizeof(*seats), by_host);
	number_hosts(&result, seats);
	list_ranks(&result);
	free(seats);
	*out = result;
	return TOTUM_OK;
}

void tt_placement_free(struct tt_placement *placement)
{
	free(placement->host_of);
	free(placement->first);
	free(placement->ranks);
	free(placement->local);
	*placement = (struct tt_placement){0};
}

/* --- asking -------------------------------------------------------------------------------- */

/* Where the ranks of a host begin when packed. */
static int64_t packed_start(const struct tt_placement *placement, int64_t host)
{
	int64_t more = placement->nranks % placement->nhosts;

	return host * (placement->nranks / placement->nhosts) + (host < more ? host : more);
}

int64_t tt_placement_host(const struct tt_placement *placement, int64_t rank)
{
	if (placement->host_of)
		return placement->host_of[rank];
	int64_t size = placement->nranks / placement->nhosts;
	int64_t more = placement->nranks % placement->nhosts;

	return rank < more * (size + 1) ? rank / (size + 1) : (rank - more) / size;
}

int64_t tt_placement_local(const struct tt_placement *placement, int64_t rank)
{
	if (placement->local)
		return placement->local[rank];
	return rank - packed_start(placement, tt_placement_host(placement, rank));
}

int64_t tt_placement_size(const struct tt_placement *placement, int64_t host)
{
	if (placement->first)
		return placement->first[host + 1] - placement->first[host];
	return packed_start(placement, host + 1) - packed_start(placement, host);
}

int64_t tt_placement_rank(const struct tt_placement *placement, int64_t host, int64_t local)
{
	if (placement->ranks)
		return placement->ranks[placement->first[host] + local];
	return packed_start(placement, host) + local;
}

int64_t tt_placement_most(const struct tt_placement *placement)
{
	int64_t most = 0;

	for (int64_t host = 0; host < placement->nhosts; host++) {
		int64_t size = tt_placement_size(placement, host);

		most = size > most ? size : most;
	}
	return most;
}

bool tt_placement_equal(const struct tt_placement *a, const struct tt_placement *b)
{
	if (a->nranks != b->nranks || a->nhosts != b->nhosts)
		return false;
	for (int64_t rank = 0; rank < a->nranks; rank++)
		if (tt_placement_host(a, rank) != tt_placement_host(b, rank))
			return false;
	return true;
}

/* --- text ---------------------------------------------------------------------------------- */

static totum_status refuse(const char *text)
{
	return tt_fail(TOTUM_EPARSE,
		       "'%.60s' is no placement: write HOSTSxRANKS (2x4), the sizes of the hosts "
		       "(3+1+2), or the host of each rank (0,1,0,1), for 1 to %d ranks",
		       text, TT_MAX_RANKS);
}

/* The number at *text, which ends before `mark` or the end; moves on behind the mark. */
static bool read_number(const char **text, char mark, int64_t low, int64_t high, int64_t *out)
{
	const char stop[2] = {mark, 0};
	size_t length = strcspn(*text, stop);
	char word[16];

	if (length == 0 || length >= sizeof word)
		return false;
	memcpy(word, *text, length);
	word[length] = 0;
	*text += length + ((*text)[length] == mark);
	return !tt_parse_int(word, low, high, out);
}

/* "2x4" */
static bool read_grid(const char *text, struct tt_placement *out)
{
	int64_t hosts, size;

	if (!read_number(&text, 'x', 1, TT_MAX_RANKS, &hosts) ||
	    !read_number(&text, 'x', 1, TT_MAX_RANKS, &size) || *text ||
	    hosts * size > TT_MAX_RANKS)
		return false;
	*out = tt_placement_packed(hosts * size, hosts);
	return true;
}

/* The host of each rank, from "0,1,0,1" or, with mark '+', from sizes; -1: no such text. */
static int64_t read_list(const char *text, char mark, int32_t *host_of, int64_t room)
{
	int64_t nranks = 0, number;
	bool more = true;

	for (int32_t item = 0; more; item++) {
		const char *start = text;

		if (!read_number(&text, mark, mark == '+', TT_MAX_RANKS, &number))
			return -1;
		more = text > start && text[-1] == mark;
		int64_t copies = mark == '+' ? number : 1;

		if (copies > TT_MAX_RANKS - nranks)
			return -1;
		for (int64_t i = 0; i < copies && nranks + i < room; i++)
			host_of[nranks + i] = mark == '+' ? item : (int32_t)number;
		nranks += copies;
	}
	return nranks;
}

totum_status tt_placement_parse(const char *text, struct tt_placement *out)
{
	char mark = strchr(text, ',') ? ',' : '+';

	if (strchr(text, 'x'))
		return read_grid(text, out) ? TOTUM_OK : refuse(text);
	/* Once to count, once to keep. */
	int64_t nranks = read_list(text, mark, NULL, 0);

	if (nranks < 1)
		return refuse(text);
	int32_t *host_of = malloc((size_t)nranks * sizeof(*host_of));

	if (!host_of)
		return tt_fail_memory((size_t)nranks * sizeof(*host_of), "a placement");
	read_list(text, mark, host_of, nranks);
	totum_status status = tt_placement_make(nranks, host_of, out);

	free(host_of);
	return status;
}

/* Appends while there is room; counts in any case. */
static void append(char *out, size_t size, size_t *length, const char *before, int64_t number)
{
	char word[32];
	int count = snprintf(word, sizeof word, "%s%lld", before, (long long)number);

	if (*length < size)
		snprintf(out + *length, size - *length, "%s", word);
	*length += (size_t)count;
}

size_t tt_placement_write(const struct tt_placement *placement, char *out, size_t size)
{
	int64_t hosts = placement->nhosts, each = placement->nranks / hosts;
	bool packed = true, equal = true;
	size_t length = 0;

	for (int64_t rank = 1; rank < placement->nranks; rank++)
		packed &= tt_placement_host(placement, rank) >=
			  tt_placement_host(placement, rank - 1);
	for (int64_t host = 0; host < hosts; host++)
		equal &= tt_placement_size(placement, host) == each;
	if (packed && equal) {
		append(out, size, &length, "", hosts);
		append(out, size, &length, "x", each);
		return length;
	}
	for (int64_t i = 0; packed && i < hosts; i++)
		append(out, size, &length, i ? "+" : "", tt_placement_size(placement, i));
	for (int64_t i = 0; !packed && i < placement->nranks; i++)
		append(out, size, &length, i ? "," : "", tt_placement_host(placement, i));
	return length;
}
