/* SPDX-License-Identifier: BSD-3-Clause */
/* tuning - the facts of a tuning file: kept, looked up, merged, compared. */
#include "planner/tuning.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const char *tt_link_class_name(enum tt_link_class class)
{
	return class == TT_INSIDE ? "inside" : "between";
}

totum_status tt_tuning_new(struct tt_tuning **out)
{
	struct tt_tuning *tuning = calloc(1, sizeof *tuning);

	if (!tuning)
		return tt_fail_memory(sizeof *tuning, "tuning facts");
	*out = tuning;
	return TOTUM_OK;
}

void tt_tuning_free(struct tt_tuning *tuning)
{
	if (!tuning)
		return;
	free(tuning->uses);
	free(tuning);
}

/* --- decisions ------------------------------------------------------------------------------ */

/* Orders the groups of decisions: for one collective, nranks and nhosts. */
static int compare(const struct tt_tuning_use *a, const struct tt_tuning_use *b)
{
	if (a->collective != b->collective)
		return a->collective < b->collective ? -1 : 1;
	if (a->nranks != b->nranks)
		return a->nranks < b->nranks ? -1 : 1;
	return (a->nhosts > b->nhosts) - (a->nhosts < b->nhosts);
}

/* The first decision behind those of this one's group; or_equal: the first that is not before it.
 */
static int64_t place(const struct tt_tuning *tuning, const struct tt_tuning_use *use, bool or_equal)
{
	int64_t low = 0, high = tuning->nuses;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		int order = compare(&tuning->uses[middle], use);

		if (order > 0 || (or_equal && order == 0))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Room for one more: there always is some for the next power of two. */
static totum_status grow(struct tt_tuning *tuning)
{
	int64_t n = tuning->nuses;

	if (n >= TT_TUNING_USES)
		return tt_fail(TOTUM_EINVAL, "more than %d decisions; leave some out",
			       TT_TUNING_USES);
	if (n & (n - 1))
		return TOTUM_OK;
	size_t bytes = (size_t)(n ? 2 * n : 1) * sizeof *tuning->uses;
	struct tt_tuning_use *uses = realloc(tuning->uses, bytes);

	if (!uses)
		return tt_fail_memory(bytes, "decisions");
	tuning->uses = uses;
	return TOTUM_OK;
}

totum_status tt_tuning_add_use(struct tt_tuning *tuning, const struct tt_tuning_use *use)
{
	int64_t at = place(tuning, use, false);
	const struct tt_tuning_use *before = at ? &tuning->uses[at - 1] : NULL;

	if (before && !compare(before, use) && use->low <= before->high)
		return tt_fail(TOTUM_EINVAL,
			       "sizes from %llu on do not lie above %llu, where the decision "
			       "before ends; give sizes in ascending order, each once",
			       (unsigned long long)use->low, (unsigned long long)before->high);
	totum_status status = grow(tuning);

	if (status)
		return status;
	struct tt_tuning_use *uses = tuning->uses;

	memmove(uses + at + 1, uses + at, (size_t)(tuning->nuses - at) * sizeof *uses);
	uses[at] = *use;
	tuning->nuses++;
	return TOTUM_OK;
}

/* Takes out the group that this decision belongs to. */
static void drop_group(struct tt_tuning *tuning, const struct tt_tuning_use *use)
{
	int64_t first = place(tuning, use, true), end = place(tuning, use, false);

	if (first == end)
		return;
	memmove(tuning->uses + first, tuning->uses + end,
		(size_t)(tuning->nuses - end) * sizeof *use);
	tuning->nuses -= end - first;
}

static totum_status merge_uses(struct tt_tuning *into, const struct tt_tuning *from)
{
	totum_status status = TOTUM_OK;

	for (int64_t i = 0; i < from->nuses && !status; i++) {
		if (!i || compare(&from->uses[i - 1], &from->uses[i]))
			drop_group(into, &from->uses[i]);
		status = tt_tuning_add_use(into, &from->uses[i]);
	}
	return status;
}

totum_status tt_tuning_merge(struct tt_tuning *into, const struct tt_tuning *from)
{
	for (int class = 0; class < TT_LINK_CLASSES; class ++)
		if (from->links[class].npieces)
			into->links[class] = from->links[class];
	for (int i = TT_ADD_CACHED; i <= TT_ADD_MEMORY && from->rates[TT_ADD_CACHED]; i++)
		into->rates[i] = from->rates[i];
	for (int i = TT_COPY_CACHED; i <= TT_COPY_STREAM && from->rates[TT_COPY_CACHED]; i++)
		into->rates[i] = from->rates[i];
	return merge_uses(into, from);
}

const char *tt_tuning_find_use(const struct tt_tuning *tuning, enum tt_collective collective,
			       int64_t nranks, int64_t nhosts, uint64_t bytes)
{
	const struct tt_tuning_use wanted = {
		.collective = collective, .nranks = nranks, .nhosts = nhosts};
	int64_t end = tuning ? place(tuning, &wanted, false) : 0;

	for (int64_t i = tuning ? place(tuning, &wanted, true) : 0; i < end; i++)
		if (tuning->uses[i].low <= bytes && bytes <= tuning->uses[i].high)
			return tuning->uses[i].algorithm;
	return NULL;
}

/* --- comparing ------------------------------------------------------------------------------ */

/* Adds a number; not its bytes in memory, which struct padding and byte order would change. */
static uint64_t mix(uint64_t hash, uint64_t number)
{
	unsigned char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
	return XXH3_64bits_withSeed(bytes, sizeof bytes, hash);
}

uint64_t tt_tuning_hash(const struct tt_tuning *tuning)
{
	uint64_t hash = 1;

	if (!tuning)
		return 0;
	for (int class = 0; class < TT_LINK_CLASSES; class ++) {
		const struct tt_tuning_link *link = &tuning->links[class];

		hash = mix(hash, (uint64_t)link->npieces);
		for (int i = 0; i < link->npieces; i++) {
			hash = mix(hash, link->pieces[i].from);
			hash = mix(hash, (uint64_t)link->pieces[i].alpha);
			hash = mix(hash, (uint64_t)link->pieces[i].beta);
		}
		if (!link->npieces)
			continue;
		hash = mix(hash, (uint64_t)link->exchange);
		hash = mix(hash, (uint64_t)link->ports);
		hash = mix(hash, (uint64_t)link->together);
	}
	for (int i = 0; i < TT_RATES; i++)
		hash = mix(hash, (uint64_t)tuning->rates[i]);
	for (int64_t i = 0; i < tuning->nuses; i++) {
		const struct tt_tuning_use *use = &tuning->uses[i];

		hash = mix(hash, (uint64_t)use->collective);
		hash = mix(hash, (uint64_t)use->nranks);
		hash = mix(hash, (uint64_t)use->nhosts);
		hash = mix(hash, use->low);
		hash = mix(hash, use->high);
		hash = XXH3_64bits_withSeed(use->algorithm, strlen(use->algorithm), hash);
	}
	return hash ? hash : 1;
}
