/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parse.c - reads the text form of a schedule from memory that nobody vouches for.
 *
 * One pass, line by line, word by word; every number is checked where it stands, so that the
 * message has the right line.  Nothing is allocated from a number in the text before the records
 * that justify it were read.
 */
#include <stdlib.h>
#include <string.h>

#include "schedule/text.h"

struct slice {
	const char *at, *end;
};

struct reader {
	const char *name;
	struct slice rest;
	int64_t line;
	struct tt_schedule *schedule;
	int64_t rounds; /* as the header says */
};

/* The arguments "name", line and "%.*s" of a slice that is not printed whole when long. */
static int shown(struct slice slice)
{
	ptrdiff_t length = slice.end - slice.at;

	return length < 60 ? (int)length : 60;
}

static totum_status fail(const struct reader *reader, const char *what, struct slice where)
{
	return tt_fail(TOTUM_EPARSE, "%.200s:%lld: %s '%.*s'", reader->name,
		       (long long)reader->line, what, shown(where), where.at);
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is(struct slice slice, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(slice.end - slice.at) == length && memcmp(slice.at, text, length) == 0;
}

/* Cuts `text` off the front of the slice when it begins with it. */
static bool skip(struct slice *slice, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(slice->end - slice->at) < length || memcmp(slice->at, text, length))
		return false;
	slice->at += length;
	return true;
}

/* The next line that says something, without blanks at its ends; false at the end of the text. */
static bool next_line(struct reader *reader, struct slice *line)
{
	while (reader->rest.at < reader->rest.end) {
		const char *end =
			memchr(reader->rest.at, '\n', (size_t)(reader->rest.end - reader->rest.at));

		line->at = reader->rest.at;
		line->end = end ? end : reader->rest.end;
		reader->rest.at = end ? end + 1 : reader->rest.end;
		reader->line++;
		while (line->at < line->end && blank(*line->at))
			line->at++;
		while (line->at < line->end && line->end[-1] == '\r')
			line->end--;
		if (line->at < line->end && *line->at != '#')
			return true;
	}
	return false;
}

/* The next word of the line; empty at its end. */
static struct slice next_word(struct slice *line)
{
	while (line->at < line->end && blank(*line->at))
		line->at++;
	struct slice word = {line->at, line->at};

	while (word.end < line->end && !blank(*word.end))
		word.end++;
	line->at = word.end;
	return word;
}

/* The whole slice as a decimal integer with an optional sign. */
static bool number(struct slice slice, int64_t low, int64_t high, int64_t *out)
{
	bool negative = slice.at < slice.end && *slice.at == '-';
	int64_t value = 0;

	if (slice.at < slice.end && (*slice.at == '-' || *slice.at == '+'))
		slice.at++;
	if (slice.at == slice.end)
		return false;
	for (; slice.at < slice.end; slice.at++) {
		if (*slice.at < '0' || *slice.at > '9' || value > (INT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (*slice.at - '0');
	}
	*out = negative ? -value : value;
	return *out >= low && *out <= high;
}

/* Reads "A", separator, "B" from the slice. */
static bool pair(struct slice slice, const char *separator, int64_t *a, int64_t *b)
{
	for (struct slice left = {slice.at, slice.at}; left.end < slice.end; left.end++) {
		struct slice right = {left.end, slice.end};

		if (skip(&right, separator))
			return number(left, INT64_MIN, INT64_MAX, a) &&
			       number(right, INT64_MIN, INT64_MAX, b);
	}
	return false;
}

static totum_status read_header_number(const struct reader *reader, struct slice *line,
				       const char *key, int64_t low, int64_t high, int64_t *out)
{
	struct slice word = next_word(line), value = word;

	if (!skip(&value, key))
		return tt_fail(TOTUM_EPARSE,
			       "%.200s:%lld: expected %sNUMBER in the header, not '%.*s'",
			       reader->name, (long long)reader->line, key, shown(word), word.at);
	if (!number(value, low, high, out))
		return tt_fail(TOTUM_EPARSE,
			       "%.200s:%lld: '%.*s' is no number between %lld and %lld",
			       reader->name, (long long)reader->line, shown(word), word.at,
			       (long long)low, (long long)high);
	return TOTUM_OK;
}

static totum_status read_name(const struct reader *reader, struct slice line)
{
	size_t room = sizeof(reader->schedule->name) - 1;

	while (line.at < line.end && blank(*line.at))
		line.at++;
	if (!skip(&line, "name="))
		return fail(reader, "expected name=NAME at the end of the header, not", line);
	size_t length = (size_t)(line.end - line.at);

	if (length > room)
		return fail(reader, "the name is longer than 95 characters:", line);
	for (const char *at = line.at; at < line.end; at++)
		if ((unsigned char)*at < ' ')
			return fail(reader, "the name has a control character:", line);
	memcpy(reader->schedule->name, line.at, length);
	return TOTUM_OK;
}

static totum_status read_header(struct reader *reader)
{
	struct slice line = {0}, word;
	char collective_name[32] = "";
	enum tt_collective collective;
	int64_t nranks = 0, root = 0, pieces = 0;

	if (!next_line(reader, &line) || !is(next_word(&line), "schedule"))
		return fail(reader,
			    "a schedule begins with a line 'schedule 1 COLLECTIVE ...', not", line);
	word = next_word(&line);
	if (!is(word, "1"))
		return fail(reader, "this program reads version 1 of the format, not", word);
	word = next_word(&line);
	if ((size_t)(word.end - word.at) < sizeof(collective_name))
		memcpy(collective_name, word.at, (size_t)(word.end - word.at));
	if (tt_collective_parse(collective_name, &collective))
		return tt_fail_in(TOTUM_EPARSE, "%.200s:%lld", reader->name,
				  (long long)reader->line);
	totum_status status = read_header_number(reader, &line, "n=", 1, TT_MAX_RANKS, &nranks);

	if (!status)
		status = read_header_number(reader, &line, "root=", 0, nranks - 1, &root);
	if (!status)
		status = read_header_number(reader, &line, "pieces=", 1, TT_MAX_PIECES, &pieces);
	if (!status)
		status = read_header_number(reader, &line, "rounds=", 0, TT_MAX_ROUNDS,
					    &reader->rounds);
	if (!status)
		status = tt_schedule_new(collective, nranks, (int)root, (int)pieces,
					 &reader->schedule);
	if (!status && reader->schedule->root != root)
		status = fail(reader, "only a collective with a root has one other than 0:", word);
	return status ? status : read_name(reader, line);
}

/* The numbers of a record that are written key=value. */
struct key {
	enum tt_primitive primitive;
	const char *text;
	size_t offset;
};

static const struct key keys[] = {
	{TT_SHIFT, "first=", offsetof(struct tt_record, shift.first)},
	{TT_SHIFT, "count=", offsetof(struct tt_record, shift.count)},
	{TT_SHIFT, "stride=", offsetof(struct tt_record, shift.stride)},
	{TT_SHIFT, "x", offsetof(struct tt_record, rounds)},
	{TT_SHIFT, "step=", offsetof(struct tt_record, shift.step)},
	{TT_EXCHANGE, "field=", offsetof(struct tt_record, exchange.field)},
	{TT_EXCHANGE, "flip=", offsetof(struct tt_record, exchange.flip)},
	{TT_MOVE, "first=", offsetof(struct tt_record, move.first)},
	{TT_MOVE, "count=", offsetof(struct tt_record, move.count)},
	{TT_MOVE, "stride=", offsetof(struct tt_record, move.stride)},
};
enum { KEYS = sizeof(keys) / sizeof(*keys), KEY_PIECES = KEYS, KEY_REDUCE };

static bool read_pieces(struct slice value, int pieces, struct tt_record *record)
{
	int64_t from, to, of;
	struct slice cuts = value;

	while (cuts.end > cuts.at && cuts.end[-1] != '/')
		cuts.end--;
	struct slice last = {cuts.end, value.end};

	if (cuts.end == cuts.at)
		return false;
	cuts.end--;
	if (!pair(cuts, "..", &from, &to) || !number(last, pieces, pieces, &of) || from < 0 ||
	    from >= to || to > pieces)
		return false;
	record->piece = (int32_t)from;
	record->npieces = (int32_t)(to - from);
	return true;
}

/* One option of a record; *which becomes its number, so that none is given twice. */
static bool read_option(struct slice word, int pieces, struct tt_record *record, int *which)
{
	struct slice value = word;

	if (is(word, "reduce")) {
		*which = KEY_REDUCE;
		record->reduce = true;
		return true;
	}
	if (skip(&value, "pieces=")) {
		*which = KEY_PIECES;
		return read_pieces(value, pieces, record);
	}
	for (int i = 0; i < KEYS; i++)
		if (keys[i].primitive == record->primitive && skip(&value, keys[i].text)) {
			*which = i;
			return number(value, INT64_MIN, INT64_MAX,
				      (int64_t *)((char *)record + keys[i].offset));
		}
	return false;
}

/* The primitive and what it is about; the rest of the record gets its defaults. */
static bool read_primitive(struct slice *line, struct tt_record *record)
{
	struct slice name = next_word(line), operand = next_word(line);

	if (is(name, "shift")) {
		record->primitive = TT_SHIFT;
		record->shift.count = 1;
		record->shift.stride = 1;
		return number(operand, INT64_MIN, INT64_MAX, &record->shift.distance);
	}
	if (is(name, "exchange")) {
		record->primitive = TT_EXCHANGE;
		return number(operand, INT64_MIN, INT64_MAX, &record->exchange.mask);
	}
	if (is(name, "move")) {
		record->primitive = TT_MOVE;
		record->move.count = 1;
		record->move.stride = 1;
		return pair(operand, ">", &record->move.from, &record->move.to);
	}
	return false;
}

static totum_status read_record(struct reader *reader, struct slice line)
{
	struct tt_schedule *schedule = reader->schedule;
	struct tt_record record = {.rounds = 1, .npieces = schedule->pieces};
	struct slice whole = line, round = next_word(&line);
	unsigned seen = 0;

	if (round.end > round.at && round.end[-1] == ':')
		round.end--;
	else
		return fail(reader, "a record begins with its round and a colon, not", round);
	if (!number(round, 0, TT_MAX_ROUNDS, &record.round))
		return fail(reader, "the round is a number from 0 on, not", round);
	if (!read_primitive(&line, &record))
		return fail(reader,
			    "after the round comes 'shift DISTANCE', 'exchange MASK' or 'move "
			    "FROM>TO', "
			    "not",
			    whole);
	for (struct slice word = next_word(&line); word.at < word.end; word = next_word(&line)) {
		int which = 0;

		if (!read_option(word, schedule->pieces, &record, &which))
			return fail(reader,
				    "not an option of this primitive, or out of range:", word);
		if (seen & 1u << which)
			return fail(reader, "given twice:", word);
		seen |= 1u << which;
	}
	const char *fault = tt_record_fault(schedule, &record);

	if (fault)
		return tt_fail(TOTUM_EPARSE, "%.200s:%lld: %s", reader->name,
			       (long long)reader->line, fault);
	tt_schedule_add(schedule, record);
	return TOTUM_OK;
}

static totum_status read_records(struct reader *reader)
{
	struct slice line = {reader->rest.end, reader->rest.end};

	while (next_line(reader, &line)) {
		struct slice rest = line;

		if (is(next_word(&rest), "end")) {
			struct slice after = next_word(&rest);

			if (after.at < after.end || next_line(reader, &after))
				return fail(reader, "nothing may follow 'end', but there is",
					    after);
			return TOTUM_OK;
		}
		totum_status status = read_record(reader, line);

		if (status)
			return status;
	}
	return tt_fail(TOTUM_EPARSE,
		       "%.200s:%lld: the text stops before its line 'end': it is cut off",
		       reader->name, (long long)reader->line);
}

static totum_status finish(const struct reader *reader)
{
	totum_status status = tt_schedule_seal(reader->schedule);

	if (status)
		return tt_fail_in(status == TOTUM_EMEMORY ? status : TOTUM_EPARSE, "%.200s:%lld",
				  reader->name, (long long)reader->line);
	if (reader->schedule->rounds != reader->rounds)
		return tt_fail(
			TOTUM_EPARSE,
			"%.200s:%lld: the header promises %lld rounds, the records have %lld",
			reader->name, (long long)reader->line, (long long)reader->rounds,
			(long long)reader->schedule->rounds);
	return TOTUM_OK;
}

totum_status tt_schedule_parse(const char *name, const char *text, size_t length,
			       struct tt_schedule **out)
{
	if (!length)
		text = "";
	struct reader reader = {.name = name, .rest = {text, text + length}};
	totum_status status = read_header(&reader);

	if (!status)
		status = read_records(&reader);
	if (!status)
		status = finish(&reader);
	if (status)
		tt_schedule_free(reader.schedule);
	else
		*out = reader.schedule;
	return status;
}
