/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preloaded allocator as a program sees it: every function of malloc's family across the size
 * from which memory is shared, memory that goes back to the system, and what a program may do.
 * Threads and forks are the matter of share_forks.c.
 */
#include "unit/share_preloaded.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { KEPT = 32 << 20 };

/* See any_malloc. */
static void *(*volatile any_calloc)(size_t, size_t) = calloc;
static void *(*volatile any_realloc)(void *, size_t) = realloc;
static void *(*volatile any_reallocarray)(void *, size_t, size_t) = reallocarray;

static bool is_shared(const void *memory)
{
	struct totum_share share = facts();

	return (uintptr_t)memory - (uintptr_t)share.base < share.span;
}

static void sizes(void **state)
{
	static const size_t all[] = {
		0,        1, 4096, FROM - 1, FROM, FROM + 1, 2 * MEGA - 1, 2 * MEGA, 2 * MEGA + 1,
		70 * MEGA};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		unsigned char *memory = malloc(all[i]);
		assert_non_null(memory);
		assert_int_equal(is_shared(memory), all[i] >= FROM);
		size_t room = malloc_usable_size(memory);
		assert_true(room >= all[i]);
		fill(memory, room, i);
		assert_true(holds(memory, room, i));
		any_free(memory);
	}
	assert_int_equal(malloc_usable_size(NULL), 0);
	any_free(NULL);
	errno = 0;
	assert_null(any_malloc(SIZE_MAX - 5000));
	assert_int_equal(errno, ENOMEM);
	assert_null(any_calloc(SIZE_MAX / 2, 3));
}

static void zeroed(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		unsigned char *memory = calloc(3, MEGA);
		assert_true(is_shared(memory));
		assert_true(is_zero(memory, 3 * MEGA));
		memset(memory, 0x5a, 3 * MEGA);
		any_free(memory); /* kept as it is, and given out again */
	}
}

static void alignment(void **state)
{
	void *memory;

	(void)state;
	for (size_t align = sizeof(void *); align <= 8 * MEGA; align *= 2)
		for (size_t bytes = 1000; bytes < 10 * MEGA; bytes *= 9) {
			size_t whole = (bytes + align - 1) / align * align;
			void *three[3] = {memalign(align, bytes), aligned_alloc(align, whole),
					  NULL};
			assert_int_equal(posix_memalign(&three[2], align, bytes), 0);
			for (int i = 0; i < 3; i++) {
				assert_int_equal((uintptr_t)three[i] % align, 0);
				assert_true(bytes < FROM || is_shared(three[i]));
				memset(three[i], i, bytes);
			}
			for (int i = 0; i < 3; i++)
				any_free(three[i]);
		}
	assert_int_equal(posix_memalign(&memory, 3, MEGA), EINVAL);
	assert_int_equal(posix_memalign(&memory, 24, MEGA), EINVAL);
	assert_int_equal(posix_memalign(&memory, 2, MEGA), EINVAL);
	memory = memalign((size_t)1 << 30, FROM);
	assert_true((uintptr_t)memory % ((size_t)1 << 30) == 0 && is_shared(memory));
	any_free(memory);
	memory = memalign((size_t)1 << 31, FROM);
	assert_true((uintptr_t)memory % ((size_t)1 << 31) == 0 && !is_shared(memory));
	any_free(memory);
	memory = valloc(FROM);
	assert_int_equal((uintptr_t)memory % 4096, 0);
	any_free(memory);
}

static void resizing(void **state)
{
	uint64_t random = 42;
	size_t bytes = 1000, most = 1000;
	unsigned char *memory = malloc(bytes);

	(void)state;
	fill(memory, bytes, 7);
	for (int step = 0; step < 3000; step++) {
		size_t wants = 1 + next(&random) % (next(&random) % 4 ? 2 * FROM : 6 * MEGA);
		size_t same = wants < most ? wants : most;
		memory = step % 2 ? realloc(memory, wants) : reallocarray(memory, wants, 1);
		assert_non_null(memory);
		assert_int_equal(is_shared(memory), wants >= FROM);
		if (step % 16 == 0)
			assert_true(holds(memory, same, 7));
		if (wants > same)
			fill(memory, wants, 7);
		most = wants;
	}
	assert_true(holds(memory, most, 7));
	assert_null(any_realloc(memory, SIZE_MAX - 10000));
	assert_true(holds(memory, most, 7));
	assert_null(any_reallocarray(memory, SIZE_MAX / 2, 4));
	memory = any_realloc(memory, FROM);
	assert_null(any_realloc(memory, 0));
	memory = any_realloc(NULL, FROM);
	assert_true(is_shared(memory));
	any_free(memory);
}

/* Bytes of memory that the arena's file holds. */
static uint64_t resident(void)
{
	struct stat stat;

	assert_int_equal(fstat(facts().fd, &stat), 0);
	return (uint64_t)stat.st_blocks * 512;
}

static void memory_goes_back(void **state)
{
	unsigned char *pieces[64];

	(void)state;
	malloc_trim(0);
	uint64_t before = resident(), used = facts().used;
	assert_int_equal(facts().kept, 0);
	for (int i = 0; i < 64; i++) {
		pieces[i] = malloc(4 * MEGA);
		memset(pieces[i], 1, 4 * MEGA);
	}
	assert_int_equal(facts().used, used + 256 * (uint64_t)MEGA);
	assert_true(resident() >= before + 256 * (uint64_t)MEGA);
	for (int i = 0; i < 64; i++)
		any_free(pieces[i * 5 % 64]);
	assert_int_equal(facts().used, used);
	assert_true(facts().kept <= KEPT);
	assert_true(resident() <= before + KEPT);
	malloc_trim(0);
	assert_true(resident() <= before);
	/* an array that is never touched takes no memory, and one that shrinks gives back */
	unsigned char *memory = calloc(1, 512 * (size_t)MEGA);
	assert_true(resident() <= before);
	memset(memory, 1, 128 * (size_t)MEGA);
	memory = realloc(memory, MEGA);
	assert_true(resident() <= before + MEGA + KEPT);
	any_free(memory);
}

/* What is freed is readable for a peer that is late, here through the file as a peer has it. */
static void freed_memory_stays_readable(void **state)
{
	struct totum_share share = facts();
	char path[64];
	size_t bytes = 64 * MEGA;
	unsigned char *memory = malloc(bytes);

	(void)state;
	memset(memory, 9, bytes);
	size_t at = (size_t)(memory - (const unsigned char *)share.base);
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), share.fd);
	FILE *file = fopen(path, "r");
	const unsigned char *view = mmap(NULL, at + bytes, PROT_READ, MAP_SHARED, fileno(file), 0);
	assert_ptr_not_equal(view, MAP_FAILED);
	assert_int_equal(view[at + bytes - 1], 9);
	any_free(memory);
	assert_true(is_zero(view + at, bytes));
	munmap((void *)(uintptr_t)view, at + bytes);
	fclose(file);
}

/* --- what a program may do to it ------------------------------------------------------------- */

static void quiet(void)
{
	require(freopen("/dev/null", "w", stderr) == stderr, 40);
}

static void free_twice(void *memory)
{
	quiet();
	any_free(memory);
	any_free(memory);
}

static void free_inside(void *memory)
{
	quiet();
	any_free((char *)memory + 4096);
}

static void wrong_addresses(void **state)
{
	void *memory = malloc(MEGA);

	(void)state;
	assert_int_equal(in_child(free_inside, memory), 128 + SIGABRT);
	assert_int_equal(in_child(free_twice, malloc(MEGA)), 128 + SIGABRT);
	any_free(memory);
}

/* All descriptors closed, and another file under the arena's number: that file is not touched. */
static void close_all(void *context)
{
	struct totum_share share = {.size = sizeof share};
	unsigned char *before = malloc(40 * MEGA), *pieces[40];
	struct stat stat;

	(void)context;
	memset(before, 1, 40 * MEGA);
	int fd = facts().fd, file = memfd_create("other", 0);
	require(dup2(file, fd) == fd && write(fd, "text", 4) == 4, 50);
	any_free(before);
	require(ask(&share) == -1, 51); /* it cannot be offered any more */
	for (int i = 0; i < 40; i++) {
		require((pieces[i] = malloc(4 * MEGA)) != NULL, 52);
		memset(pieces[i], 2, 4 * MEGA);
	}
	for (int i = 0; i < 40; i++)
		any_free(pieces[i]);
	require(!fstat(fd, &stat) && stat.st_size == 4 && stat.st_blocks * 512 <= 4096, 53);
}

static void closed_descriptors(void **state)
{
	(void)state;
	/* of the child's own arena, which it has not yet: so it opens one and loses it */
	assert_int_equal(in_child(close_all, NULL), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(zeroed),
		cmocka_unit_test(alignment),
		cmocka_unit_test(resizing),
		cmocka_unit_test(memory_goes_back),
		cmocka_unit_test(freed_memory_stays_readable),
		cmocka_unit_test(wrong_addresses),
		cmocka_unit_test(closed_descriptors),
	};

	(void)argc;
	if (!preloaded(argv))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
