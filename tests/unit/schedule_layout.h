/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule_layout.h - random places of blocks in a rank's buffer, and programs lowered to them. */
#ifndef SCHEDULE_LAYOUT_H
#define SCHEDULE_LAYOUT_H

#include "unit/schedule_cases.h"
#include "schedule/program.h"

struct layout {
	struct tt_layout view;
	uint64_t *offset, *length, total;
};

/* Blocks of random sizes (some empty, some large) in a random order with gaps between them. */
static inline struct layout random_layout(int64_t nblocks, uint64_t element, unsigned seed,
					  bool gaps)
{
	struct layout layout = {.offset = calloc((size_t)nblocks, sizeof(uint64_t)),
				.length = calloc((size_t)nblocks, sizeof(uint64_t))};
	uint64_t *place = calloc((size_t)nblocks, sizeof(*place));

	assert_true(layout.offset && layout.length && place);
	for (int64_t i = 0; i < nblocks; i++) {
		int64_t j = case_pick(&seed, 0, i);

		place[i] = place[j];
		place[j] = (uint64_t)i;
		layout.length[i] =
			element * (uint64_t)(case_pick(&seed, 0, 2) ? case_pick(&seed, 0, 9) : 0);
	}
	for (int64_t i = 0; i < nblocks; i++) {
		uint64_t block = gaps ? place[i] : (uint64_t)i;

		layout.offset[block] = layout.total;
		layout.total += layout.length[block] +
				(gaps ? element * (uint64_t)case_pick(&seed, 0, 1) : 0);
	}
	free(place);
	layout.view = (struct tt_layout){nblocks, layout.offset, layout.length, element};
	return layout;
}

static inline void free_layout(struct layout *layout)
{
	free(layout->offset);
	free(layout->length);
}

static inline struct tt_program *lower(const struct tt_schedule *schedule, int64_t rank,
				       const struct tt_layout *layout)
{
	struct tt_program *program = NULL;

	if (tt_program_lower(schedule, rank, layout, &program) != TOTUM_OK)
		fail_msg("%s", totum_errmsg());
	return program;
}

#endif
