/* SPDX-License-Identifier: BSD-3-Clause */
/* share - asking the allocator of this process, and mapping what those of others share. */
#include "host/share.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/sparse.h"
#include "totum_share.h"

static bool ask(struct totum_share *out)
{
	totum_share_function *function;
	void *symbol = dlsym(RTLD_DEFAULT, TOTUM_SHARE_FUNCTION);

	memset(out, 0, sizeof *out);
	out->size = sizeof *out;
	if (!symbol)
		return false;
	memcpy(&function, &symbol, sizeof function);
	return !function(out);
}

bool tt_share_own(struct tt_share *own, struct tt_share_place *place)
{
	struct totum_share share;
	struct stat facts;

	if (!ask(&share) || fstat(share.fd, &facts))
		return false;
	*own = (struct tt_share){.base = share.base, .bytes = share.span};
	*place = (struct tt_share_place){.pid = (int32_t)getpid(),
					 .fd = share.fd,
					 .device = facts.st_dev,
					 .inode = facts.st_ino,
					 .bytes = share.span};
	return true;
}

uint64_t tt_share_used(void)
{
	struct totum_share share;

	return ask(&share) ? share.used : 0;
}

bool tt_share_map(struct tt_share *share, const struct tt_share_place *place, uint64_t most)
{
	char path[64];
	struct stat facts;
	uint64_t bytes = place->bytes < most ? place->bytes : most;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)place->pid, (int)place->fd);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	void *base = NULL;
	if (fstat(fd, &facts))
		goto out;
	if (facts.st_dev != place->device || facts.st_ino != place->inode ||
	    (uint64_t)facts.st_size < bytes)
		errno = ENOENT; /* another process's, or another file */
	else
		base = tt_sparse_map(fd, 0, bytes, PROT_READ);
	if (base)
		*share = (struct tt_share){.base = base, .bytes = bytes, .mapped = true};
out:
	close(fd);
	return base != NULL;
}

void tt_share_close(struct tt_share *share)
{
	if (share->mapped)
		munmap((void *)(uintptr_t)share->base, share->bytes);
	*share = (struct tt_share){0};
}
