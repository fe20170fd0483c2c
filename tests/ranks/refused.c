/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * refused - a message that the receive cannot hold is dropped, however large, and what follows it
 * arrives.  ranks: 2 3
 *
 * Staged messages larger than a channel come in parts: the receive that refuses one lives until the
 * last part is out of the way.
 */
#include "ranks/buffers.h"

enum { LARGE = 1000000 };

__attribute__((constructor)) static void stage(void)
{
	setenv("TOTUM_SINGLE_COPY", "off", 1);
}

/* The receive is made before the message comes, while it comes, or when it is there. */
static void large(totum_comm *comm, bool early)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	int right = (rank + 1) % n, left = (rank + n - 1) % n, after = 0;
	unsigned char *send = calloc(1, LARGE), in[16] = {0};
	totum_request *out[2], *receive;

	memset(send, 7, LARGE);
	if (early)
		ok(totum_irecv(in, sizeof in, TOTUM_U8, left, 1, comm, NULL, &receive));
	ok(totum_isend(send, LARGE, TOTUM_U8, right, 1, comm, &out[0]));
	ok(totum_isend(&rank, 1, TOTUM_I32, right, 1, comm, &out[1]));
	if (!early)
		ok(totum_irecv(in, sizeof in, TOTUM_U8, left, 1, comm, NULL, &receive));
	const char *sentence = refused(totum_wait(receive), TOTUM_EMISMATCH);
	if (!says_rank(sentence, left) || !strstr(sentence, "1000000 bytes"))
		fail("not that of the message: %s", sentence);
	ok(totum_recv(&after, 1, TOTUM_I32, left, 1, comm, NULL));
	ok(totum_wait(out[0]));
	ok(totum_wait(out[1]));
	if (after != left || in[0])
		fail("%d after the message, and %d in the buffer", after, in[0]);
	free(send);
}

static void empty(totum_comm *comm)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	totum_request *receive;

	ok(totum_irecv(NULL, 0, TOTUM_F32, (rank + n - 1) % n, 1, comm, NULL, &receive));
	ok(totum_send(NULL, 0, TOTUM_I32, (rank + 1) % n, 1, comm));
	refused(totum_wait(receive), TOTUM_EMISMATCH);
}

static void test(totum_comm *comm)
{
	for (int i = 0; i < 5; i++) {
		if (step("large, early, %d", i))
			large(comm, true);
		if (step("large, late, %d", i))
			large(comm, false);
	}
	if (step("empty"))
		empty(comm);
	ok(totum_barrier(comm));
}
