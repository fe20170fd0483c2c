/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program.c - the parts of a program that need no schedule: where a piece lies, and the end.
 */
#include "schedule/program.h"

#include <stdlib.h>

/* The byte at which piece `piece` of `pieces` begins in a block of `length` bytes. */
static uint64_t boundary(uint64_t length, uint64_t element, int64_t piece, int64_t pieces)
{
	unsigned __int128 elements = length / element;

	return (uint64_t)(elements * (uint64_t)piece / (uint64_t)pieces) * element;
}

struct tt_range tt_layout_range(const struct tt_layout *layout, int64_t block, int64_t piece,
				int64_t npieces, int64_t pieces)
{
	uint64_t length = layout->length[block];
	uint64_t start = boundary(length, layout->element, piece, pieces);
	uint64_t end = boundary(length, layout->element, piece + npieces, pieces);

	return (struct tt_range){.offset = layout->offset[block] + start, .length = end - start};
}

void tt_program_free(struct tt_program *program)
{
	if (!program)
		return;
	free(program->steps);
	free(program->ranges);
	free(program->waiters);
	free(program);
}
