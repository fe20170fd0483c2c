/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * segment - one sparse shared file a job, cut in areas of equal stride.
 *
 * memfd is preferred: it leaves nothing behind, and a container's small /dev/shm does not limit it.
 * Where it is missing, a POSIX shared memory file is made and unlinked at once, and its pages are
 * reserved before use, since touching a page that does not fit would be a SIGBUS without a word.
 */
#include "host/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "host/area.h"
#include "host/nameless.h"

static const uint64_t magic = 0x746f74756d303032; /* "totum002" */

static size_t whole_pages(size_t bytes)
{
	return (bytes + 4095) / 4096 * 4096;
}

static size_t head_bytes(int nranks)
{
	return whole_pages(sizeof(struct tt_segment_head) +
			   (size_t)nranks * sizeof(struct tt_segment_rank));
}

static off_t area_at(const struct tt_segment *segment, int area)
{
	return (off_t)(head_bytes(segment->nranks) + (size_t)area * tt_area_bytes(segment->nranks));
}

/* 16 TiB of addresses in all, at most 256 GiB a rank: a sparse file, a mapping without backing. */
uint64_t tt_segment_heap_bytes(const struct tt_segment *segment)
{
	uint64_t share = (UINT64_C(16) << 40) / (uint64_t)segment->nranks;
	uint64_t most = UINT64_C(256) << 30;

	return (share < most ? share : most) / (2 << 20) * (2 << 20);
}

off_t tt_segment_heap_at(const struct tt_segment *segment, int rank)
{
	uint64_t areas =
		((uint64_t)area_at(segment, TT_AREAS) + (2 << 20) - 1) / (2 << 20) * (2 << 20);

	return (off_t)(areas + (uint64_t)rank * tt_segment_heap_bytes(segment));
}

/* ftruncate past RLIMIT_FSIZE would raise SIGXFSZ, so the limit is asked first. */
static totum_status set_size(int fd, off_t size)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur < (rlim_t)size)
		return tt_fail(TOTUM_ESYSTEM,
			       "the file size limit (ulimit -f) is %" PRIu64 " bytes, "
			       "but the job's sparse shared memory spans %" PRIu64 "; "
			       "raise it with `ulimit -f unlimited`",
			       (uint64_t)limit.rlim_cur, (uint64_t)size);
	if (ftruncate(fd, size))
		return tt_fail(TOTUM_ESYSTEM,
			       "cannot size the job's shared memory to %" PRIu64 " bytes: %s",
			       (uint64_t)size, strerror(errno));
	return TOTUM_OK;
}

totum_status tt_segment_create(int nranks, int *out)
{
	int fd = tt_nameless("totum");

	if (fd < 0)
		return tt_fail(TOTUM_ESYSTEM,
			       "cannot create shared memory by memfd_create or in "
			       "/dev/shm: %s%s",
			       strerror(errno),
			       *tt_advice(errno) ? tt_advice(errno)
						 : "; one of them must be allowed");
	struct tt_segment segment = {.fd = fd, .nranks = nranks};
	totum_status status = set_size(fd, tt_segment_heap_at(&segment, nranks));
	if (!status)
		status = tt_segment_reserve(&segment, 0, head_bytes(nranks));
	if (!status) {
		struct tt_segment_head head = {.magic = magic, .nranks = nranks};
		if (pwrite(fd, &head, sizeof head, 0) != (ssize_t)sizeof head)
			status = tt_fail(TOTUM_ESYSTEM, "cannot write to shared memory: %s",
					 strerror(errno));
	}
	if (status)
		close(fd);
	else
		*out = fd;
	return status;
}

/* A memfd ends where memory does; a file where its mounted file system does, which has a size. */
static bool is_limited(int fd)
{
	struct statvfs space;

	return fstatvfs(fd, &space) || space.f_blocks;
}

totum_status tt_segment_open(int fd, int nranks, struct tt_segment *out)
{
	*out = (struct tt_segment){.fd = fd, .nranks = nranks};
	void *head = mmap(NULL, head_bytes(nranks), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED) {
		totum_status status =
			tt_fail(TOTUM_ESYSTEM, "cannot map the job's shared memory: %s%s",
				strerror(errno), tt_advice(errno));
		close(fd);
		return status;
	}
	out->head = head;
	out->reserve = is_limited(fd);
	if (out->head->magic == magic && out->head->nranks == nranks)
		return TOTUM_OK;
	tt_segment_close(out);
	out->head = NULL;
	return tt_fail(TOTUM_ESYSTEM, "the job's shared memory is not of this version of totum; "
				      "run all ranks with the same library");
}

void tt_segment_close(struct tt_segment *segment)
{
	munmap(segment->head, head_bytes(segment->nranks));
	close(segment->fd);
}

totum_status tt_segment_take(struct tt_segment *segment, int *area)
{
	for (int word = 0; word < TT_AREAS / 64; word++) {
		uint64_t taken =
			atomic_load_explicit(&segment->head->taken[word], memory_order_relaxed);
		while (~taken) {
			int bit = __builtin_ctzll(~taken);
			/* acquire: pairs with the release in give, after the old pages went */
			if (atomic_compare_exchange_weak_explicit(
				    &segment->head->taken[word], &taken, taken | UINT64_C(1) << bit,
				    memory_order_acquire, memory_order_relaxed)) {
				*area = word * 64 + bit;
				return TOTUM_OK;
			}
		}
	}
	return tt_fail(TOTUM_EUNSUPPORTED,
		       "all %d communicators of the job are in use; free some with totum_comm_free",
		       TT_AREAS);
}

void tt_segment_give(struct tt_segment *segment, int area)
{
	off_t bytes = (off_t)tt_area_bytes(segment->nranks);

	if (fallocate(segment->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      area_at(segment, area), bytes))
		return; /* the area cannot be made zero again: it stays taken */
	atomic_fetch_and_explicit(&segment->head->taken[area / 64], ~(UINT64_C(1) << area % 64),
				  memory_order_release);
}

totum_status tt_segment_reserve(const struct tt_segment *segment, off_t at, size_t bytes)
{
	int error;

	do {
		error = posix_fallocate(segment->fd, at, (off_t)bytes);
	} while (error == EINTR);
	if (!error)
		return TOTUM_OK;
	if (error != ENOSPC)
		return tt_fail(TOTUM_ESYSTEM, "cannot reserve %zu bytes of shared memory: %s",
			       bytes, strerror(error));
	struct statvfs space = {0};
	fstatvfs(segment->fd, &space);
	return tt_fail(TOTUM_ESYSTEM,
		       "shared memory is too small: %zu bytes more are needed and %" PRIu64
		       " are free; enlarge /dev/shm (of a container: --shm-size)",
		       bytes, (uint64_t)space.f_bavail * space.f_bsize);
}

totum_status tt_segment_map(struct tt_segment *segment, int area, int nranks, void **out)
{
	if (segment->reserve) {
		totum_status status =
			tt_segment_reserve(segment, area_at(segment, area), tt_area_bytes(nranks));
		if (status)
			return status;
	}
	*out = mmap(NULL, tt_area_bytes(nranks), PROT_READ | PROT_WRITE, MAP_SHARED, segment->fd,
		    area_at(segment, area));
	if (*out == MAP_FAILED)
		return tt_fail(TOTUM_ESYSTEM, "cannot map %zu bytes of shared memory: %s%s",
			       tt_area_bytes(nranks), strerror(errno), tt_advice(errno));
	return TOTUM_OK;
}

void tt_segment_unmap(void *area, int nranks)
{
	munmap(area, tt_area_bytes(nranks));
}
