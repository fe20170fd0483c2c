/* SPDX-License-Identifier: BSD-3-Clause */
/* The books of the preloaded allocator against a map of the pages that is kept beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../bindings/malloc/extents.c"

enum { PAGES = 3000, STEPS = 60000 };

static struct extent book[PAGES];
static unsigned char map[PAGES]; /* an enum extent_state a page */
static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

/* The extents cover the range without a gap, say of every page what the map says, and are joined
 * where they can be. */
static void check(const struct extents *extents)
{
	uint64_t used = 0, kept = 0;

	for (uint32_t at = 0, before = EXTENT_USED; at < extents->end;) {
		const struct extent *extent = &extents->at[at];
		assert_in_range(extent->pages, 1, extents->end - at);
		for (uint32_t page = at; page < at + extent->pages; page++) {
			assert_int_equal(map[page], extent->state);
			if (page > at)
				assert_int_equal(extents_used(extents, page), 0);
			if (page > at && page + 1 < at + extent->pages)
				assert_int_equal(extents->at[page].pages, 0);
		}
		assert_true(extent->state == EXTENT_USED || extent->state != before);
		assert_int_equal(extents_used(extents, at),
				 extent->state == EXTENT_USED ? extent->pages : 0);
		used += extent->state == EXTENT_USED ? extent->pages : 0;
		kept += extent->state == EXTENT_KEPT ? extent->pages : 0;
		before = extent->state;
		at += extent->pages;
	}
	assert_int_equal(extents->used, used);
	assert_int_equal(extents->kept, kept);
}

static uint32_t any_used(const struct extents *extents)
{
	uint32_t start = below(extents->end ? extents->end : 1);

	for (uint32_t i = 0; i < extents->end; i++)
		if (extents_used(extents, (start + i) % extents->end))
			return (start + i) % extents->end;
	return EXTENT_END;
}

static void take(struct extents *extents)
{
	uint32_t pages = 1 + below(below(4) ? 20 : 400), align = 1u << below(below(3) ? 1 : 8),
		 first;
	bool clean;

	if (!extents_take(extents, pages, align, &first, &clean)) {
		if (extents->end + pages <= PAGES) {
			memset(map + extents->end, EXTENT_CLEAN, pages);
			extents_add(extents, pages);
		}
		return;
	}
	assert_int_equal(first % align, 0);
	for (uint32_t page = first; page < first + pages; page++) {
		assert_int_equal(map[page], clean ? EXTENT_CLEAN : EXTENT_KEPT);
		map[page] = EXTENT_USED;
	}
}

static void resize(struct extents *extents, uint32_t first)
{
	uint32_t has = extents_used(extents, first), wants = 1 + below(2 * has);

	if (wants <= has) {
		extents_cut(extents, first, wants);
		memset(map + first + wants, EXTENT_KEPT, has - wants);
		return;
	}
	bool fits = first + wants <= extents->end;
	for (uint32_t page = first + has; fits && page < first + wants; page++)
		fits = map[page] == map[first + has] && map[page] != EXTENT_USED;
	assert_int_equal(extents_stretch(extents, first, wants), fits);
	if (fits)
		memset(map + first, EXTENT_USED, wants);
}

static void give(struct extents *extents, uint32_t first)
{
	bool clean = below(2);

	memset(map + first, clean ? EXTENT_CLEAN : EXTENT_KEPT, extents_used(extents, first));
	extents_give(extents, first, clean);
}

static void clean_all(struct extents *extents)
{
	uint32_t first, pages;

	while (extents_take_kept(extents, &first, &pages)) {
		assert_int_equal(extents_used(extents, first), pages);
		extents_give(extents, first, true);
		memset(map + first, EXTENT_CLEAN, pages);
	}
	assert_int_equal(extents->kept, 0);
}

static void random_work(void **state)
{
	struct extents extents;

	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		random_state = seed;
		memset(book, 0, sizeof book);
		extents_begin(&extents, book);
		for (int step = 0; step < STEPS; step++) {
			uint32_t what = below(100),
				 first = what < 45 ? EXTENT_END : any_used(&extents);
			if (what == 99)
				clean_all(&extents);
			else if (first == EXTENT_END)
				take(&extents);
			else if (what < 85)
				give(&extents, first);
			else
				resize(&extents, first);
			if (step % 16 == 0)
				check(&extents);
		}
	}
}

/* All is one clean extent again when all has been given back and cleaned. */
static void everything_joins(void **state)
{
	struct extents extents;
	uint32_t at[300], first, n = 0;
	bool clean;

	(void)state;
	memset(book, 0, sizeof book);
	memset(map, EXTENT_CLEAN, sizeof map);
	extents_begin(&extents, book);
	extents_add(&extents, 1000);
	extents_add(&extents, 2000);
	while (n < 300 && extents_take(&extents, 10, 1, &at[n], &clean))
		n++;
	assert_int_equal(n, 300);
	assert_false(extents_take(&extents, 1, 1, &first, &clean));
	for (uint32_t i = 0; i < n; i++)
		extents_give(&extents, at[i * 7 % n], i % 2);
	clean_all(&extents);
	check(&extents);
	assert_int_equal(extents.used, 0);
	assert_true(extents_take(&extents, PAGES, 1, &first, &clean));
	assert_true(clean);
	assert_int_equal(first, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_work),
		cmocka_unit_test(everything_joins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
