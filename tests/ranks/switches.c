/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switches - every collective with sizes on both sides of each point where the way to move the data
 * changes.  ranks: 2 3 5
 *
 * Shards of v-operations lie on both sides of it in one call, and each rank's buffers are private
 * or shared as it likes, so that the ways mix.  The send buffer is spoilt the moment the call
 * returns.
 *
 * For scripts of cli/, by the environment: LEAST=BYTES and MOST=BYTES take the sizes between;
 * FORBID=EPERM or ENOSYS makes the kernel refuse to read other processes' memory, FORBID=dump makes
 * it refuse the others this rank's, FORBID=fence refuses membarrier; all on the rank FORBID_RANK
 * alone, if that is set; ALL_SHARED_BUT=RANK gives the others no private buffers, and that rank no
 * shared ones.
 */
#include "ranks/chosen.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

static const size_t sizes[] = {1,      31,     32,     33,     2047,   2048,  2049,
			       4096,   16384,  32767,  32769,  65535,  65536, 65537,
			       131071, 131072, 131073, 300001, 1048583};

static size_t limit(const char *variable, size_t fallback)
{
	const char *text = getenv(variable);

	return text && *text ? strtoul(text, NULL, 10) : fallback;
}

/* --- what the kernel refuses, from before main on -------------------------------------------- */

static void filter(unsigned call, unsigned error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(HARNESS_SKIPPED);
}

__attribute__((constructor)) static void forbid(void)
{
	const char *what = getenv("FORBID"), *only = getenv("FORBID_RANK"),
		   *rank = getenv("TOTUM_RANK");

	if (!what || (only && rank && strcmp(only, rank) != 0))
		return;
	if (strcmp(what, "dump") == 0)
		prctl(PR_SET_DUMPABLE, 0);
	else if (strcmp(what, "fence") == 0)
		filter(SYS_membarrier, ENOSYS);
	else
		filter(SYS_process_vm_readv, strcmp(what, "ENOSYS") == 0 ? ENOSYS : EPERM);
}

/* --- calls ----------------------------------------------------------------------------------- */

/* Around `bytes`: as many, one less, one more, none; whose turn it is goes on from call to call. */
static size_t around(size_t bytes, int turn)
{
	const size_t choices[] = {bytes, bytes - 1, bytes + 1, 0};

	return choices[turn % 4];
}

static struct call chosen(totum_comm *comm, int what, size_t bytes, int turn)
{
	struct call c = call_chosen(comm, what, bytes, TOTUM_U8, turn);

	c.op = TOTUM_SUM;
	for (int r = 0; r < c.nranks; r++) {
		c.counts[r] = around(bytes, turn + r);
		c.out[r] = what == ALLTOALLV ? around(bytes, turn + c.rank + 2 * r) : bytes;
		c.in[r] = what == ALLTOALLV ? around(bytes, turn + r + 2 * c.rank) : bytes;
	}
	draw_elements(&c);
	return c;
}

static void prepare(struct call *c, uint64_t *own)
{
	size_t private_rank = limit("ALL_SHARED_BUT", SIZE_MAX);

	if (private_rank == SIZE_MAX) {
		call_prepare(c, own);
		return;
	}
	c->send = memory_new(c->comm, c->send_elements, private_rank != (size_t)c->rank, 1);
	c->recv = memory_new(c->comm, c->recv_elements, private_rank != (size_t)c->rank, 2);
	call_fill(c);
}

static void one_call(totum_comm *comm, int what, size_t bytes, int turn, uint64_t *own)
{
	struct call c = chosen(comm, what, bytes, turn);

	prepare(&c, own);
	call_announce(&c, "blocking");
	ok(call_make(&c, BLOCKING, NULL, NULL));
	memset(c.send.data, 0xFF, c.send_elements);
	call_check(&c);
	call_release(&c);
}

static void test(totum_comm *comm)
{
	size_t least = limit("LEAST", 0), most = limit("MOST", SLOWNESS ? 300001 : SIZE_MAX);
	uint64_t own = mix(seed() + (uint64_t)totum_comm_rank(comm));

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (int what = 0; what < BARRIER; what++)
			if (sizes[i] >= least && sizes[i] <= most)
				one_call(comm, what, sizes[i], (int)i + what, &own);
	ok(totum_barrier(comm));
}
