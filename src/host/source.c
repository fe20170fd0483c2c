/* SPDX-License-Identifier: BSD-3-Clause */
/* source - offering a buffer to the peers, and reading theirs. */
#include "host/source.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "host/copy.h"

/*
 * Bytes from which the kernel copies: below, staging takes less of what its owner has just written,
 * if more of what both hold already.
 */
enum { KERNEL_FROM = 128 << 10 };

struct tt_source tt_source_of(const struct tt_host *host, const void *memory, size_t bytes,
			      enum tt_reading reading)
{
	const unsigned char *at = memory;
	struct tt_source source = {.kind = TT_SOURCE_NONE, .pid = host->pid};
	const struct tt_heap *heap = &host->heaps[host->job_ranks[host->rank]];

	if (!memory)
		return source;
	if (heap->base && at >= heap->base &&
	    at + bytes <= heap->base + tt_segment_heap_bytes(host->segment)) {
		source.kind = TT_SOURCE_HEAP;
		source.at = (uint64_t)(at - heap->base);
	} else if (tt_share_holds(&heap->share, at, bytes)) {
		source.kind = TT_SOURCE_SHARED;
		source.at = (uint64_t)(at - heap->share.base);
	} else if (host->reads_processes && bytes >= KERNEL_FROM && reading != TT_READ_IN_PLACE &&
		   (reading == TT_COPY_BY_ONE || !host->reads_once)) {
		/* not among threads: a rank that fails may free what another still reads */
		source.kind = TT_SOURCE_PROCESS;
		source.at = (uintptr_t)memory;
	}
	return source;
}

const unsigned char *tt_source_map(struct tt_host *host, int peer, const struct tt_source *source)
{
	struct tt_heap *heap = &host->heaps[host->job_ranks[peer]];

	atomic_fetch_add_explicit(&host->heaps[host->job_ranks[host->rank]].read, 1,
				  memory_order_relaxed);
	if (source->kind == TT_SOURCE_SHARED) /* all have mapped all, or nobody offers it */
		return heap->share.base + source->at;
	/* ranks that are threads share the table: its lock is only needed for the first look */
	if (!heap->base && host->map_heap(host->map_context, host->job_ranks[peer]))
		return NULL;
	return heap->base + source->at;
}

bool tt_source_copy_process(int pid, uint64_t from, void *to, size_t bytes)
{
	while (bytes) {
		/* the kernel moves at most 2 GiB a call */
		size_t most = bytes < (1u << 30) ? bytes : 1u << 30;
		struct iovec local = {to, most}, remote = {(void *)(uintptr_t)from, most};
		ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		from += (uint64_t)got;
		to = (char *)to + got;
		bytes -= (size_t)got;
	}
	return true;
}

/* Where a heap cannot be mapped its file can still be read. */
static bool copy_file(const struct tt_host *host, int peer, uint64_t at, void *to, size_t bytes)
{
	off_t from = tt_segment_heap_at(host->segment, host->job_ranks[peer]) + (off_t)at;

	while (bytes) {
		ssize_t got = pread(host->segment->fd, to, bytes, from);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		from += got;
		to = (char *)to + got;
		bytes -= (size_t)got;
	}
	return true;
}

totum_status tt_source_read(struct tt_host *host, int peer, const struct tt_source *source,
			    size_t offset, void *to, size_t bytes, bool streams)
{
	bool done;

	if (source->kind != TT_SOURCE_PROCESS) {
		const unsigned char *from = tt_source_map(host, peer, source);
		if (from && streams)
			tt_copy_streaming(to, from + offset, bytes);
		else if (from)
			tt_copy(to, from + offset, bytes);
		done = from || copy_file(host, peer, source->at + offset, to, bytes);
	} else {
		done = tt_source_copy_process(source->pid, source->at + offset, to, bytes);
	}
	if (done)
		return TOTUM_OK;
	int error = errno;
	/* a killed process has no memory before it has no pid */
	if (error == ESRCH || tt_host_gone(host, peer))
		return tt_host_lost(host, peer);
	return tt_host_fail(host, TOTUM_ESYSTEM, peer,
			    "rank %d cannot read %zu bytes of rank %d's buffer: %s; "
			    "if that memory is ordinary, set TOTUM_SINGLE_COPY=off",
			    tt_host_name(host, host->rank), bytes, tt_host_name(host, peer),
			    strerror(error));
}
