/* SPDX-License-Identifier: BSD-3-Clause */
/* sparse - a mapping that is opened only when it cannot be filled any more. */
#include "host/sparse.h"

#include <stddef.h>
#include <sys/mman.h>

void *tt_sparse_map(int fd, off_t at, size_t bytes, int protection)
{
	void *base = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, at);

	if (base == MAP_FAILED)
		return NULL;
	munlock(base, bytes); /* of what cannot be accessed mlockall has filled nothing yet */
	if (mprotect(base, bytes, protection)) {
		munmap(base, bytes);
		return NULL;
	}
	madvise(base, bytes, MADV_HUGEPAGE); /* where the host allows it for shared memory */
	madvise(base, bytes, MADV_DONTDUMP);
	return base;
}
