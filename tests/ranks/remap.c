/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * remap - an address means what is mapped there now: a send buffer is unmapped, moved, replaced or
 * emptied between two calls that are given the same address, and the new bytes arrive.
 *
 * ranks: 2 3
 *
 * With the sizes that peers read where they lie.  Ranks take turns in replacing theirs.
 */
#include "ranks/buffers.h"

#include <sys/mman.h>
#include <sys/shm.h>

enum { BYTES = SLOWNESS > 1 ? 1 << 18 : 1 << 20, ROUNDS = 3 };

typedef void replacement(unsigned char *at);

static void mapped(const void *got, const void *wanted)
{
	if (got != wanted)
		fail("cannot map there: %p instead of %p", got, wanted);
}

static void map_anew(unsigned char *at)
{
	munmap(at, BYTES);
	mapped(mmap(at, BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
	       at);
}

static void map_over(unsigned char *at)
{
	mapped(mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0),
	       at);
}

static void map_shared_over(unsigned char *at)
{
	mapped(mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0),
	       at);
}

static void map_file_over(unsigned char *at)
{
	int fd = memfd_create("remap", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, BYTES))
		fail("cannot make a file of memory");
	mapped(mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0), at);
	close(fd);
}

static void move_here(unsigned char *at)
{
	void *other = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mapped(mremap(other, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, at), at);
}

static void attach_here(unsigned char *at)
{
	int id = shmget(IPC_PRIVATE, BYTES, IPC_CREAT | 0600);

	if (id < 0)
		return; /* not everywhere */
	void *got = shmat(id, at, SHM_REMAP);

	shmctl(id, IPC_RMID, NULL);
	mapped(got, at);
}

static void empty(unsigned char *at)
{
	madvise(at, BYTES, MADV_DONTNEED);
}

static void nothing(unsigned char *at)
{
	(void)at;
}

static const struct {
	const char *name;
	replacement *replace;
} replacements[] = {
	{"nothing", nothing},          {"map anew", map_anew},
	{"map over", map_over},        {"map shared over", map_shared_over},
	{"map a file", map_file_over}, {"move here", move_here},
	{"attach here", attach_here},  {"empty", empty},
};

static void gather(totum_comm *comm, const unsigned char *send, unsigned char *recv, uint64_t salt)
{
	ok(totum_allgather(send, recv, BYTES, TOTUM_U8, comm));
	for (int r = 0; r < totum_comm_nranks(comm); r++)
		check(recv + (size_t)r * BYTES, BYTES, r, salt, "recv");
}

static void one_replacement(totum_comm *comm, size_t which, int round)
{
	int rank = totum_comm_rank(comm), nranks = totum_comm_nranks(comm);
	uint64_t salt = which * ROUNDS + (uint64_t)round;
	unsigned char *send = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0),
		      *recv = malloc((size_t)nranks * BYTES);

	step("remap:n=%d:%s:round=%d", nranks, replacements[which].name, round);
	fill(send, BYTES, rank, salt);
	gather(comm, send, recv, salt);
	if (rank == round % nranks || round == nranks)
		replacements[which].replace(send);
	fill(send, BYTES, rank, ~salt);
	gather(comm, send, recv, ~salt);
	munmap(send, BYTES);
	free(recv);
}

/* Never touched, or given back: zeros arrive, also out of pages that do not exist. */
static void zeros(totum_comm *comm)
{
	int nranks = totum_comm_nranks(comm);
	unsigned char *send = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0),
		      *recv = malloc((size_t)nranks * BYTES);

	step("remap:n=%d:zeros", nranks);
	for (int time = 0; time < 2; time++) {
		memset(recv, POISON, (size_t)nranks * BYTES);
		ok(totum_allgather(send, recv, BYTES, TOTUM_U8, comm));
		for (size_t i = 0; i < (size_t)nranks * BYTES; i++)
			if (recv[i])
				fail("byte %zu is 0x%02X", i, recv[i]);
		ok(totum_barrier(comm));
		memset(send, 1, BYTES);
		madvise(send, BYTES, MADV_DONTNEED);
	}
	munmap(send, BYTES);
	free(recv);
}

/* Shared memory that is given back and taken again lies at the same place with new bytes in it. */
static void allocated_again(totum_comm *comm)
{
	int rank = totum_comm_rank(comm);
	unsigned char *recv = malloc((size_t)totum_comm_nranks(comm) * BYTES);

	for (uint64_t i = 0; i < 2 * ROUNDS; i++) {
		void *memory;

		step("remap:n=%d:allocated again:%d", totum_comm_nranks(comm), (int)i);
		ok(totum_alloc(comm, BYTES, &memory));
		for (size_t at = 0; at < BYTES; at++)
			if (((unsigned char *)memory)[at])
				fail("fresh memory holds 0x%02X", ((unsigned char *)memory)[at]);
		fill(memory, BYTES, rank, i);
		gather(comm, memory, recv, i);
		ok(totum_free(comm, memory));
	}
	free(recv);
}

static void test(totum_comm *comm)
{
	for (size_t which = 0; which < sizeof replacements / sizeof *replacements; which++)
		for (int round = 0; round <= totum_comm_nranks(comm); round++)
			one_replacement(comm, which, round);
	zeros(comm);
	allocated_again(comm);
}
