/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz schedule - any bytes are refused with file:line and a sentence, or are a schedule that
 * survives writing and reading.  A small one is also verified, reversed, lowered for every rank.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof/verify.h"
#include "schedule/program.h"
#include "schedule/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_RANKS = 12, MOST_ROUNDS = 40, MOST_RECORDS = 64 };

static char *write_text(const struct tt_schedule *schedule, size_t *length)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, length);

	if (tt_schedule_write(schedule, stream))
		abort();
	fclose(stream);
	return text;
}

static void round_trip(const struct tt_schedule *schedule)
{
	struct tt_schedule *again;
	size_t length, length_again;
	char *text = write_text(schedule, &length);

	if (tt_schedule_parse("again", text, length, &again))
		abort();
	char *twice = write_text(again, &length_again);
	if (length != length_again || memcmp(text, twice, length))
		abort();
	tt_schedule_free(again);
	free(text);
	free(twice);
}

static void lower(const struct tt_schedule *schedule)
{
	uint64_t offset[MOST_RANKS * MOST_RANKS], length[MOST_RANKS * MOST_RANKS], at = 0;
	struct tt_program *program;

	for (int64_t block = 0; block < schedule->nblocks; block++) {
		offset[block] = at;
		length[block] = (uint64_t)(block * 5 % 7) * 4;
		at += length[block];
	}
	struct tt_layout layout = {schedule->nblocks, offset, length, 4};
	for (int64_t rank = 0; rank < schedule->nranks; rank++) {
		if (tt_program_lower(schedule, rank, &layout, &program))
			continue;
		for (int64_t i = 0; i < program->nranges; i++)
			if (program->ranges[i].offset + program->ranges[i].length > at)
				abort();
		tt_program_free(program);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tt_schedule *schedule, *reversed;

	if (tt_schedule_parse("input", (const char *)data, size, &schedule)) {
		if (strncmp(totum_errmsg(), "input:", 6))
			abort();
		return 0;
	}
	if (schedule->nranks <= MOST_RANKS && schedule->rounds <= MOST_ROUNDS &&
	    schedule->nrecords <= MOST_RECORDS) {
		struct tt_verify_options options = {0};
		struct tt_verify_report report;
		round_trip(schedule);
		if (schedule->pieces <= 64) {
			tt_verify(schedule, &options, &report);
			lower(schedule);
		}
		if (!tt_derive_reverse(schedule, &reversed))
			tt_schedule_free(reversed);
	}
	tt_schedule_free(schedule);
	return 0;
}
