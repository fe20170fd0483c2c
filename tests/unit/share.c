/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preloaded allocator as a program sees it: every function of malloc's family across the size
 * from which memory is shared, threads, forks, and memory that goes back to the system.  The
 * program starts itself again with the library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "totum_share.h"

enum { FROM = 64 << 10, MEGA = 1 << 20, KEPT = 32 << 20, THREADS = 6, SLOTS = 40 };

static totum_share_function *ask;
/* The compiler, which knows malloc, cannot know these. */
static void *(*volatile any_malloc)(size_t) = malloc;
static void *(*volatile any_calloc)(size_t, size_t) = calloc;
static void *(*volatile any_realloc)(void *, size_t) = realloc;
static void *(*volatile any_reallocarray)(void *, size_t, size_t) = reallocarray;
static void (*volatile any_free)(void *) = free; /* stores before it are not in vain */

static struct totum_share facts(void)
{
	struct totum_share share = {.size = sizeof share};

	assert_int_equal(ask(&share), 0);
	return share;
}

static bool is_shared(const void *memory)
{
	struct totum_share share = facts();

	return (uintptr_t)memory - (uintptr_t)share.base < share.span;
}

static uint64_t next(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static unsigned char byte_of(uint64_t salt, size_t i)
{
	return (unsigned char)((salt * 31 + i) * 2654435761u >> 13);
}

static void fill(unsigned char *memory, size_t bytes, uint64_t salt)
{
	for (size_t i = 0; i < bytes; i++)
		memory[i] = byte_of(salt, i);
}

static bool holds(const unsigned char *memory, size_t bytes, uint64_t salt)
{
	for (size_t i = 0; i < bytes; i++)
		if (memory[i] != byte_of(salt, i))
			return false;
	return true;
}

static bool is_zero(const unsigned char *memory, size_t bytes)
{
	return !bytes || (!memory[0] && !memcmp(memory, memory + 1, bytes - 1));
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

/* --- threads: each works on slots that all share, so that what one takes another one gives --- */

struct slot {
	pthread_mutex_t lock;
	unsigned char *memory;
	size_t bytes;
	uint64_t salt;
};

static struct slot slots[SLOTS];

static void work_on(struct slot *slot, uint64_t *random)
{
	size_t bytes = next(random) % (next(random) % 3 ? 4 * FROM : MEGA);

	assert_true(!slot->memory || holds(slot->memory, slot->bytes, slot->salt));
	if (!slot->memory) {
		bool zero = next(random) % 4 == 0;
		slot->memory = zero ? calloc(bytes, 1) : malloc(bytes);
		assert_true(!zero || is_zero(slot->memory, bytes));
	} else if (next(random) % 3) {
		any_free(slot->memory);
		slot->memory = NULL;
		return;
	} else {
		slot->memory = realloc(slot->memory, bytes + 1);
		assert_true(
			holds(slot->memory, bytes < slot->bytes ? bytes : slot->bytes, slot->salt));
	}
	slot->bytes = bytes;
	slot->salt = next(random);
	fill(slot->memory, bytes, slot->salt);
}

static void *thread(void *number)
{
	uint64_t random = 1000003 * ((uint64_t)(uintptr_t)number + 1);

	for (int step = 0; step < 200; step++) {
		struct slot *slot = &slots[next(&random) % SLOTS];
		pthread_mutex_lock(&slot->lock);
		work_on(slot, &random);
		pthread_mutex_unlock(&slot->lock);
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < SLOTS; i++)
		pthread_mutex_init(&slots[i].lock, NULL);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, thread, (void *)(uintptr_t)i),
				 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < SLOTS; i++) {
		assert_true(!slots[i].memory ||
			    holds(slots[i].memory, slots[i].bytes, slots[i].salt));
		any_free(slots[i].memory);
		slots[i].memory = NULL;
	}
}

static void many_threads(void **state)
{
	(void)state;
	uint64_t used = facts().used;
	run_threads();
	assert_int_equal(facts().used, used);
}

/* --- forks ----------------------------------------------------------------------------------- */

/* The exit code of a child that runs this, 128 + the signal. */
static int in_child(void (*body)(void *context), void *context)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(60); /* a child that is stuck is a failure */
		body(context);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct heritage {
	unsigned char *one, *two, *three;
	struct totum_share share; /* of the parent */
};

static void require(bool right, int code)
{
	if (!right)
		_exit(code);
}

static void grandchild(void *context)
{
	struct heritage *from = context;

	require(holds(from->one, 3 * MEGA, 100), 30);
	require(holds(from->three, MEGA, 103), 31);
	memset(from->three, 0, MEGA);
	unsigned char *mine = malloc(MEGA);
	require(mine != NULL, 32);
	memset(mine, 1, MEGA);
	any_free(mine);
	any_free(from->three);
}

static void child(void *context)
{
	struct heritage *from = context;
	struct totum_share share = {.size = sizeof share};

	require(holds(from->one, 3 * MEGA, 1) && holds(from->two, 3 * MEGA, 2), 10);
	fill(from->one, 3 * MEGA, 100);
	require(malloc_usable_size(from->two) >= 3 * MEGA, 11);
	from->two = realloc(from->two, 5 * MEGA);
	require(holds(from->two, 3 * MEGA, 2), 12);
	memset(from->two, 3, 5 * MEGA);
	any_free(from->two);
	malloc_trim(0);
	/* a new allocation is zeroed, whole, and in an arena of the child's own */
	unsigned char *mine = calloc(1, 8 * MEGA);
	require(mine && is_zero(mine, 8 * MEGA), 13);
	require(!ask(&share) && share.base != from->share.base, 14);
	require((uintptr_t)mine - (uintptr_t)share.base < share.span, 15);
	from->three = malloc(MEGA);
	fill(from->three, MEGA, 103);
	require(in_child(grandchild, from) == 0, 16);
	require(holds(from->three, MEGA, 103), 17);
	any_free(mine);
	any_free(from->three);
	run_threads();
}

static void forks(void **state)
{
	struct heritage heritage = {
		.one = malloc(3 * MEGA), .two = malloc(3 * MEGA), .share = facts()};

	(void)state;
	fill(heritage.one, 3 * MEGA, 1);
	fill(heritage.two, 3 * MEGA, 2);
	uint64_t used = facts().used;
	assert_int_equal(in_child(child, &heritage), 0);
	assert_true(holds(heritage.one, 3 * MEGA, 1));
	assert_true(holds(heritage.two, 3 * MEGA, 2));
	assert_int_equal(facts().used, used);
	any_free(heritage.one);
	any_free(heritage.two);
}

static atomic_bool stopped;

/* Is nearly always in the allocator, as its memory is never touched. */
static void *hammer(void *random)
{
	while (!atomic_load(&stopped))
		any_free(any_malloc(FROM + next(random) % MEGA));
	return NULL;
}

static void allocate(void *context)
{
	for (int i = 0; i < 4; i++) {
		unsigned char *memory = any_malloc(MEGA);
		memset(memory, 1, MEGA);
		any_free(memory);
	}
	require(holds(context, MEGA, 5), 20);
	any_free(context);
}

/* A fork in the middle of another thread's allocation leaves neither side stuck nor wrong. */
static void forks_among_threads(void **state)
{
	pthread_t threads[THREADS];
	uint64_t random[THREADS];
	unsigned char *memory = malloc(MEGA);
	uint64_t used = facts().used;

	(void)state;
	fill(memory, MEGA, 5);
	atomic_store(&stopped, false);
	for (int i = 0; i < THREADS; i++) {
		random[i] = (uint64_t)i + 77;
		assert_int_equal(pthread_create(&threads[i], NULL, hammer, &random[i]), 0);
	}
	for (int i = 0; i < 100; i++)
		assert_int_equal(in_child(allocate, memory), 0);
	atomic_store(&stopped, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_true(holds(memory, MEGA, 5));
	assert_int_equal(facts().used, used);
	any_free(memory);
}

/* Kilobytes of memory that this process has touched and still holds. */
static long held(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	require(file && fscanf(file, "%*d %ld", &pages) == 1, 60);
	fclose(file);
	return pages * 4;
}

static void overwrite(void *memory)
{
	memset(memory, 2, 64 * MEGA);
	long before = held();
	any_free(memory);
	require(before - held() > 60 << 10, 61);
}

/* A child that frees what it has inherited gives its copies back, and the parent keeps all. */
static void copies_go_back(void **state)
{
	unsigned char *memory = malloc(64 * MEGA);

	(void)state;
	fill(memory, 64 * MEGA, 8);
	assert_int_equal(in_child(overwrite, memory), 0);
	assert_true(holds(memory, 64 * MEGA, 8));
	any_free(memory);
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

static void start_again(char **argv)
{
	const char *build = getenv("BUILD");
	char path[4096];

	snprintf(path, sizeof path, "%s/libtotum_share.so", build ? build : ".");
	if (getenv("LD_PRELOAD") || access(path, R_OK)) {
		printf("skipped: cannot preload %s; BUILD names its folder\n", path);
		exit(77);
	}
	unsetenv("TOTUM_SHARE_FROM");
	setenv("LD_PRELOAD", path, 1);
	execv("/proc/self/exe", argv);
	exit(1);
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
		cmocka_unit_test(many_threads),
		cmocka_unit_test(forks),
		cmocka_unit_test(forks_among_threads),
		cmocka_unit_test(copies_go_back),
		cmocka_unit_test(wrong_addresses),
		cmocka_unit_test(closed_descriptors),
	};
	void *symbol = dlsym(RTLD_DEFAULT, TOTUM_SHARE_FUNCTION);

	(void)argc;
	if (getenv("SANITIZE") && getenv("SANITIZE")[0]) {
		puts("skipped: a sanitizer has an allocator of its own");
		return 77;
	}
	if (!symbol)
		start_again(argv);
	memcpy(&ask, &symbol, sizeof ask);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
