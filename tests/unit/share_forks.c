/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preloaded allocator among threads and forks: what one thread takes another one gives, and a
 * child keeps what it has inherited, apart from its parent's.
 */
#include "unit/share_preloaded.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 6, SLOTS = 40 };

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

/* --- forks  */

struct heritage {
	unsigned char *one, *two, *three;
	struct totum_share share; /* of the parent */
};

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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_threads),
		cmocka_unit_test(forks),
		cmocka_unit_test(forks_among_threads),
		cmocka_unit_test(copies_go_back),
	};

	(void)argc;
	if (!preloaded(argv))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
