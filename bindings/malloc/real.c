/* SPDX-License-Identifier: BSD-3-Clause */
/* real - the functions behind this library, and the pool for the time before they are known. */
#include "real.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { POOL = 32 << 10, LINE = 16 };

static struct real table;
static atomic_flag told = ATOMIC_FLAG_INIT;
static _Atomic bool known;        /* release after the table; pairs with the acquire in real */
static _Thread_local bool asking; /* this thread is in the loader */
static _Alignas(LINE) unsigned char pool[POOL];
static _Atomic size_t pool_used;

static void ask(const char *name, void *function)
{
	void *address = dlsym(RTLD_NEXT, name);

	memcpy(function, &address, sizeof address);
}

/* Threads that come at the same time all write the same. */
static void fill(void)
{
	ask("malloc", &table.malloc);
	ask("calloc", &table.calloc);
	ask("realloc", &table.realloc);
	ask("free", &table.free);
	ask("posix_memalign", &table.posix_memalign);
	ask("aligned_alloc", &table.aligned_alloc);
	ask("memalign", &table.memalign);
	ask("valloc", &table.valloc);
	ask("pvalloc", &table.pvalloc);
	ask("malloc_usable_size", &table.malloc_usable_size);
	ask("malloc_trim", &table.malloc_trim);
}

const struct real *real(void)
{
	if (__builtin_expect(atomic_load_explicit(&known, memory_order_acquire), 1))
		return &table;
	if (asking)
		return NULL;
	asking = true;
	fill();
	atomic_store_explicit(&known, true, memory_order_release);
	asking = false;
	if (!atomic_flag_test_and_set(&told))
		real_known();
	return &table;
}

/* In front of each piece of the pool stands its length. */
void *pool_take(size_t bytes)
{
	size_t whole = (bytes + LINE - 1) / LINE * LINE + LINE;
	size_t at = bytes > POOL
			    ? POOL
			    : atomic_fetch_add_explicit(&pool_used, whole, memory_order_relaxed);

	if (at + whole > POOL)
		return NULL;
	memcpy(pool + at, &bytes, sizeof bytes);
	return pool + at + LINE;
}

bool pool_owns(const void *memory)
{
	return (uintptr_t)memory - (uintptr_t)pool < POOL;
}

size_t pool_room(const void *memory)
{
	size_t bytes;

	memcpy(&bytes, (const unsigned char *)memory - LINE, sizeof bytes);
	return bytes;
}
