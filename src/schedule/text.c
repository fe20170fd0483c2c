/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.c - writes a schedule as text, one record a line; what has its default value is left out.
 */
#include "schedule/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void write_shift(const struct tt_record *record, FILE *stream)
{
	fprintf(stream, "shift %+" PRId64 " first=%" PRId64 " count=%" PRId64,
		record->shift.distance, record->shift.first, record->shift.count);
	if (record->shift.stride != 1)
		fprintf(stream, " stride=%" PRId64, record->shift.stride);
	if (record->rounds != 1)
		fprintf(stream, " x%" PRId64, record->rounds);
	if (record->shift.step)
		fprintf(stream, " step=%" PRId64, record->shift.step);
}

static void write_exchange(const struct tt_record *record, FILE *stream)
{
	fprintf(stream, "exchange %" PRId64 " field=%" PRId64, record->exchange.mask,
		record->exchange.field);
	if (record->exchange.flip)
		fprintf(stream, " flip=%" PRId64, record->exchange.flip);
}

static void write_move(const struct tt_record *record, FILE *stream)
{
	fprintf(stream, "move %" PRId64 ">%" PRId64 " first=%" PRId64 " count=%" PRId64,
		record->move.from, record->move.to, record->move.first, record->move.count);
	if (record->move.stride != 1)
		fprintf(stream, " stride=%" PRId64, record->move.stride);
}

static void write_record(const struct tt_schedule *schedule, const struct tt_record *record,
			 FILE *stream)
{
	fprintf(stream, "%" PRId64 ": ", record->round);
	switch (record->primitive) {
	case TT_SHIFT:
		write_shift(record, stream);
		break;
	case TT_EXCHANGE:
		write_exchange(record, stream);
		break;
	case TT_MOVE:
		write_move(record, stream);
		break;
	}
	if (record->npieces != schedule->pieces)
		fprintf(stream, " pieces=%d..%d/%d", record->piece, record->piece + record->npieces,
			schedule->pieces);
	fputs(record->reduce ? " reduce\n" : "\n", stream);
}

totum_status tt_schedule_write(const struct tt_schedule *schedule, FILE *stream)
{
	if (!schedule->first_record)
		return tt_fail(TOTUM_EUSAGE, "schedule '%s' must be sealed before it is written",
			       schedule->name);
	for (const char *at = schedule->name; *at; at++)
		if ((unsigned char)*at < ' ')
			return tt_fail(TOTUM_EINVAL,
				       "the name of a schedule has a control character at place %d",
				       (int)(at - schedule->name));
	fprintf(stream,
		"schedule 1 %s n=%" PRId64 " root=%d pieces=%d rounds=%" PRId64 " name=%s\n",
		tt_collective_name(schedule->collective), schedule->nranks, schedule->root,
		schedule->pieces, schedule->rounds, schedule->name);
	for (int64_t i = 0; i < schedule->nrecords; i++)
		write_record(schedule, &schedule->records[i], stream);
	fputs("end\n", stream);
	if (fflush(stream) || ferror(stream))
		return tt_fail(TOTUM_ESYSTEM, "schedule '%s' cannot be written: %s", schedule->name,
			       strerror(errno));
	return TOTUM_OK;
}
