/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * meeting - a central barrier: the last rank to arrive opens a new generation.
 *
 * Ranks look a few hundred times before they give their core away, so that with a core each they
 * leave within a cache line's way of each other; with more ranks than cores they go on as the
 * system schedules them.
 */
#include "meeting.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LOOKS = 300 };

struct place {
	_Alignas(64) _Atomic uint32_t arrived;
	_Alignas(64) _Atomic uint32_t generation;
};

static struct place *place;
static uint32_t expected;

bool meeting_open(const char *path, int nranks)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return false;
	void *memory = mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		return false;
	place = memory;
	expected = (uint32_t)nranks;
	return true;
}

void meeting(void)
{
	uint32_t generation = atomic_load_explicit(&place->generation, memory_order_relaxed);

	if (atomic_fetch_add_explicit(&place->arrived, 1, memory_order_acq_rel) + 1 == expected) {
		atomic_store_explicit(&place->arrived, 0, memory_order_relaxed);
		/* paired with the loads below: whoever sees it sees what every rank wrote before */
		atomic_store_explicit(&place->generation, generation + 1, memory_order_release);
		return;
	}
	for (int looks = 0;
	     atomic_load_explicit(&place->generation, memory_order_acquire) == generation; looks++)
		if (looks >= LOOKS)
			sched_yield();
}
