/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mismatch_late - where nobody waits, a wrong call is found a few calls later, and never hidden by
 * right ones.
 *
 * ranks: 2 3
 *
 * The first rank broadcasts while another one does something else to the same root and then
 * broadcasts too: beats meet that look alike but belong to other calls.  Whatever a rank is given
 * with TOTUM_OK must be right, and in the end somebody is told.
 */
#include "ranks/buffers.h"

enum { LARGE = 100 << 10, MOST = 1 << 20 };

static bool tells(totum_status status)
{
	/* lost: the other one has made all its calls */
	return status == TOTUM_EMISMATCH || status == TOTUM_ELOST;
}

/* Some rank must have been told, by a call or when it freed the communicator. */
static void expect_told(totum_comm *parent, totum_status status, totum_status freed)
{
	int told = 0, mine = tells(status) || tells(freed);
	int all[HARNESS_RANKS];

	if ((status && !tells(status)) || (freed && !tells(freed)))
		fail("failed otherwise: %s", totum_errmsg());
	ok(totum_allgather(&mine, all, 1, TOTUM_I32, parent));
	for (int r = 0; r < totum_comm_nranks(parent); r++)
		told += all[r];
	if (!told)
		fail("nobody is told");
}

static void check_bytes(const unsigned char *got, size_t bytes, unsigned char want)
{
	for (size_t i = 0; i < bytes; i++)
		if (got[i] != want)
			fail("byte %zu of %zu is %d instead of %d, with TOTUM_OK", i, bytes, got[i],
			     want);
}

/* One rank gathers once too often; the root's bytes are offered where `shared`. */
static void extra_gather(totum_comm *parent, size_t gathered, size_t bytes, int broadcasts,
			 bool shared, int odd)
{
	int rank = totum_comm_rank(parent), nranks = totum_comm_nranks(parent);
	unsigned char *into = calloc(1, gathered * (size_t)nranks + 1);
	void *buffer = NULL;
	totum_status status = TOTUM_OK;
	totum_comm *comm;

	step("mismatch_late:n=%d:gathered=%zu:bytes=%zu:broadcasts=%d:shared=%d:odd=%d", nranks,
	     gathered, bytes, broadcasts, shared, odd);
	ok(totum_comm_dup(parent, &comm));
	if (shared)
		ok(totum_alloc(parent, bytes, &buffer));
	else
		buffer = calloc(1, bytes);
	if (rank == odd)
		status = totum_gather(into, into, gathered, TOTUM_U8, 0, comm);
	for (int i = 1; i <= broadcasts && !status; i++) {
		memset(buffer, rank ? 0xee : i, bytes);
		status = totum_broadcast(buffer, buffer, bytes, TOTUM_U8, 0, comm);
		if (!status) /* the odd one's calls are one ahead */
			check_bytes(buffer, bytes, (unsigned char)(i + (rank == odd)));
	}
	totum_status freed = totum_comm_free(comm);
	expect_told(parent, status, freed);
	if (shared)
		ok(totum_free(parent, buffer));
	else
		free(buffer);
	free(into);
}

static void test(totum_comm *comm)
{
	int nranks = totum_comm_nranks(comm);

	for (int odd = 1; odd < nranks; odd++)
		for (int broadcasts = 1; broadcasts <= 5; broadcasts++) {
			extra_gather(comm, 1, LARGE, broadcasts, true, odd);
			extra_gather(comm, 1, LARGE, broadcasts, false, odd);
			extra_gather(comm, 200 << 10, 4, broadcasts, false, odd);
			extra_gather(comm, 1, 4, broadcasts, false, odd);
			extra_gather(comm, 4, MOST, broadcasts, true, odd);
		}
}
