/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * groups - ranks 0 and 3, and ranks 1 and 2, make communicators of their own at the same time, each
 * pair at its own pace: right ones or an error, never a mixture.  ranks: 4
 *
 * Out of their communicators, and as jobs that meet by themselves.  Two jobs that meet under one
 * name with different secrets are a mistake, of which at most one pair may profit.
 */
#include "ranks/buffers.h"

enum { ROUNDS = 60, JOBS = 20, NAME = 64, ROOT = 128, FIRST_PORT = 7800 };

static void nap(uint64_t *own)
{
	if (below(own, 3) == 0)
		nap_us((long)below(own, 1500));
}

static int partner_of(int rank)
{
	return 3 - rank;
}

/* Of the pair that rank belongs to, with its elder as rank 0. */
static void check_pair(totum_comm *pair, int rank, uint64_t salt)
{
	int other = partner_of(rank), elder = rank < other ? rank : other;
	uint64_t mine = salt + (uint64_t)rank, got[2];

	if (totum_comm_nranks(pair) != 2)
		fail("%d ranks in a pair", totum_comm_nranks(pair));
	ok(totum_allgather(&mine, got, 1, TOTUM_U64, pair));
	for (int i = 0; i < 2; i++) {
		int member = i ? partner_of(elder) : elder;
		if (got[i] != salt + (uint64_t)member)
			fail("place %d of the pair of rank %d is not rank %d", i, rank, member);
	}
}

/* All split at once; then each pair makes, uses and frees more of its own, as fast as it likes. */
static void split(totum_comm *comm, uint64_t *own)
{
	int rank = totum_comm_rank(comm);
	totum_comm *pair, *more;

	for (int round = 0; round < ROUNDS; round++) {
		step("groups:split:%d", round);
		nap(own);
		ok(totum_comm_split(comm, rank == 0 || rank == 3, rank, &pair));
		for (uint64_t i = 0; i < 4; i++) {
			nap(own);
			ok(totum_comm_dup(pair, &more));
			check_pair(more, rank, 10 * i);
			nap(own);
			ok(totum_comm_free(more));
		}
		check_pair(pair, rank, 1000);
		ok(totum_comm_free(pair));
	}
}

/* Where ranks can meet beside their job: by names of this one, or at the hosts of their elders. */
struct places {
	uint64_t job;
	bool far;
	char hosts[HARNESS_RANKS][NAME];
};

static void find_places(totum_comm *comm, struct places *places)
{
	const char *own = getenv("TOTUM_ROOT");
	char host[NAME] = "";

	places->job = now_ns();
	places->far = own && strncmp(own, "tcp://", 6) == 0;
	gethostname(host, NAME - 1);
	ok(totum_broadcast(&places->job, &places->job, 1, TOTUM_U64, 0, comm));
	ok(totum_allgather(host, places->hosts, NAME, TOTUM_U8, comm));
}

static void root_of(const struct places *places, int number, int elder, char root[static ROOT])
{
	if (places->far)
		snprintf(root, ROOT, "tcp://%s:%d", places->hosts[elder],
			 FIRST_PORT + 2 * number + elder % 2);
	else
		snprintf(root, ROOT, "local:groups-%llx-%d-%d", (unsigned long long)places->job,
			 number, elder);
}

static totum_status create(int rank, const char *root, const char *secret, totum_comm **pair)
{
	return totum_comm_create(rank < partner_of(rank) ? 0 : 1, 2, root, secret, pair);
}

static void separate_jobs(const struct places *places, int rank, uint64_t *own)
{
	int other = partner_of(rank);
	char root[ROOT];
	totum_comm *pair;

	for (int i = 0; i < JOBS; i++) {
		step("groups:jobs:%d", i);
		root_of(places, i, rank < other ? rank : other, root);
		nap(own);
		ok(create(rank, root, "groups", &pair));
		check_pair(pair, rank, (uint64_t)i);
		nap(own);
		ok(totum_comm_free(pair));
	}
}

/* Under one name: whoever gets a communicator has the right one, others an error in time. */
static void one_name(totum_comm *comm, const struct places *places, uint64_t *own)
{
	int rank = totum_comm_rank(comm), right;
	char root[ROOT];
	totum_comm *pair = NULL;

	step("groups:one name");
	root_of(places, JOBS, 0, root);
	setenv("TOTUM_TIMEOUT", "1s", 1);
	nap(own);
	totum_status status = create(rank, root, rank % 3 ? "inner" : "outer", &pair);

	unsetenv("TOTUM_TIMEOUT");
	if (status)
		refused(status, status);
	right = !status;
	int all[4];

	ok(totum_allgather(&right, all, 1, TOTUM_I32, comm));
	if (all[rank] != all[partner_of(rank)])
		fail("%s, but rank %d %s", right ? "made" : "refused", partner_of(rank),
		     right ? "was refused" : "has one");
	if (right)
		check_pair(pair, rank, 5);
	ok(totum_comm_free(pair));
}

static void test(totum_comm *comm)
{
	uint64_t own = mix(seed() + (uint64_t)totum_comm_rank(comm));
	struct places places;

	split(comm, &own);
	if (harness_ranks[1].comm)
		return; /* ranks are threads, and only processes can meet */
	find_places(comm, &places);
	separate_jobs(&places, totum_comm_rank(comm), &own);
	one_name(comm, &places, &own);
}
