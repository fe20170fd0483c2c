/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tuning_read - the text of a tuning file, line by line.
 *
 * A line is a word, for some lines a second one, and fields KEY=VALUE in any order, of which none
 * may be missing, given twice, or unknown.  What only the whole file shows to be wrong is told at
 * the line that began it.
 */
#include "planner/tuning.h"

#include <string.h>

#include "base/nearest.h"
#include "topology/measure.h"

enum { LINE = 320, FIELDS = 5, WORDS = 16, MOST_PORTS = 1 << 20, MOST_FACTOR = 1 << 20 };

/* Where a reader is; values: of the fields, in the order of the kind's keys. */
struct reader {
	struct tt_tuning *tuning;
	int64_t line;
	int64_t link_lines[TT_LINK_CLASSES]; /* where each was first spoken of */
	bool has_link[TT_LINK_CLASSES], has_rates[2], ended;
	char *words[WORDS];
	int nwords;
	const char *values[FIELDS];
};

/* --- values --------------------------------------------------------------------------------- */

/* A number with at most two decimals, above 0, in hundredths. */
static totum_status read_factor(const char *text, int64_t *out)
{
	size_t whole = strspn(text, "0123456789");
	size_t point = whole && text[whole] == '.';
	size_t decimals = point ? strspn(text + whole + 1, "0123456789") : 0;
	int64_t value = 0;

	if (!whole || whole > 7 || text[whole + point + decimals] || decimals > 2 ||
	    (point && !decimals))
		return tt_fail(TOTUM_EPARSE,
			       "'%.40s' is no factor: a number above 0 with at most two decimals, "
			       "like 1.71",
			       text);
	for (size_t i = 0; i < whole; i++)
		value = 10 * value + (text[i] - '0');
	for (size_t i = 0; i < 2; i++)
		value = 10 * value + (i < decimals ? text[whole + 1 + i] - '0' : 0);
	if (value < 1 || value > MOST_FACTOR)
		return tt_fail(TOTUM_EPARSE, "'%.40s' is out of range: 0.01 to %d is accepted",
			       text, MOST_FACTOR / 100);
	*out = value;
	return TOTUM_OK;
}

/* The field's key before the sentence of what its value is not. */
static totum_status in_field(totum_status status, const char *key)
{
	return status ? tt_fail_in(TOTUM_EPARSE, "%s", key) : TOTUM_OK;
}

/* --- kinds of lines ------------------------------------------------------------------------- */

static totum_status read_class(const struct reader *reader, enum tt_link_class *out)
{
	const char *word = reader->words[1];

	for (int class = 0; class < TT_LINK_CLASSES; class ++)
		if (!strcmp(word, tt_link_class_name((enum tt_link_class) class))) {
			*out = (enum tt_link_class) class;
			return TOTUM_OK;
		}
	return tt_fail(TOTUM_EPARSE, "'%.40s' is no class of links; there are inside and between",
		       word);
}

static totum_status read_link(struct reader *reader)
{
	enum tt_link_class class = TT_INSIDE;
	totum_status status = read_class(reader, &class);

	if (status)
		return status;
	struct tt_tuning_link *link = &reader->tuning->links[class];

	if (reader->has_link[class])
		return tt_fail(TOTUM_EPARSE, "link %s is there twice; leave one out",
			       tt_link_class_name(class));
	reader->has_link[class] = true;
	if (!reader->link_lines[class])
		reader->link_lines[class] = reader->line;
	status = in_field(read_factor(reader->values[0], &link->exchange), "exchange");
	if (!status)
		status = in_field(tt_parse_int(reader->values[1], 1, MOST_PORTS, &link->ports),
				  "ports");
	if (!status)
		status = in_field(read_factor(reader->values[2], &link->together), "together");
	return status;
}

static totum_status read_piece(struct reader *reader)
{
	struct tt_tuning_piece piece;
	enum tt_link_class class = TT_INSIDE;
	totum_status status = read_class(reader, &class);

	if (!status)
		status = in_field(tt_parse_bytes(reader->values[0], &piece.from), "from");
	if (!status)
		status = in_field(tt_read_latency(reader->values[1], &piece.alpha), "alpha");
	if (!status)
		status = in_field(tt_read_capacity(reader->values[2], false, &piece.beta), "beta");
	if (status)
		return status;
	struct tt_tuning_link *link = &reader->tuning->links[class];

	if (!reader->link_lines[class])
		reader->link_lines[class] = reader->line;
	if (link->npieces == TT_TUNING_PIECES)
		return tt_fail(TOTUM_EPARSE, "a link has at most %d pieces", TT_TUNING_PIECES);
	if (!link->npieces && piece.from)
		return tt_fail(TOTUM_EPARSE, "the first piece of link %s must be from=0",
			       tt_link_class_name(class));
	if (link->npieces && piece.from <= link->pieces[link->npieces - 1].from)
		return tt_fail(TOTUM_EPARSE,
			       "from=%s does not lie above the piece before; give pieces in "
			       "ascending order",
			       reader->values[0]);
	link->pieces[link->npieces++] = piece;
	return TOTUM_OK;
}

/* n rates from `first` on. */
static totum_status read_rates(struct reader *reader, int first, int n, const char *const keys[])
{
	totum_status status = TOTUM_OK;
	int kind = first == TT_COPY_CACHED;

	if (reader->has_rates[kind])
		return tt_fail(TOTUM_EPARSE, "'%s' is there twice; leave one out",
			       reader->words[0]);
	reader->has_rates[kind] = true;
	for (int i = 0; i < n && !status; i++)
		status = in_field(tt_read_capacity(reader->values[i], false,
						   &reader->tuning->rates[first + i]),
				  keys[i]);
	return status;
}

static const char *const link_keys[] = {"exchange", "ports", "together", NULL};
static const char *const piece_keys[] = {"from", "alpha", "beta", NULL};
static const char *const add_keys[] = {"cached", "memory", NULL};
static const char *const copy_keys[] = {"cached", "memory", "stream", NULL};
static const char *const use_keys[] = {"n", "hosts", "bytes", "algo", NULL};

static totum_status read_add(struct reader *reader)
{
	return read_rates(reader, TT_ADD_CACHED, 2, add_keys);
}

static totum_status read_copy(struct reader *reader)
{
	return read_rates(reader, TT_COPY_CACHED, 3, copy_keys);
}

/* "1:64K" */
static totum_status read_range(const char *text, uint64_t *low, uint64_t *high)
{
	size_t length = strcspn(text, ":");
	char first[TT_UNITS_TEXT];

	if (!text[length] || length >= sizeof first)
		return tt_fail(TOTUM_EPARSE, "'%.40s' is no range of sizes; write two, like 1:64K",
			       text);
	memcpy(first, text, length);
	first[length] = '\0';
	totum_status status = tt_parse_bytes(first, low);

	if (!status)
		status = tt_parse_bytes(text + length + 1, high);
	if (!status && *low > *high)
		status = tt_fail(TOTUM_EPARSE, "'%.40s' goes down; give the smaller size first",
				 text);
	return status;
}

static totum_status read_algorithm(const char *text, struct tt_tuning_use *use)
{
	const struct tt_algorithm_entry *entry;
	int64_t values[TT_PARAMETERS];
	totum_status status =
		tt_algorithm_parse(use->collective, text, use->nranks, &entry, values);

	if (status)
		return status;
	const char *why =
		entry->algorithm->refuses ? entry->algorithm->refuses(use->nranks, values) : NULL;

	if (why)
		return tt_fail(TOTUM_EPARSE, "%s refuses %lld ranks: it %s", entry->name,
			       (long long)use->nranks, why);
	tt_algorithm_format(entry, values, use->algorithm);
	return TOTUM_OK;
}

static totum_status read_collective(const char *word, enum tt_collective *out)
{
	const char *names[TT_COLLECTIVES];

	if (!tt_collective_parse(word, out))
		return TOTUM_OK;
	for (int i = 0; i < TT_COLLECTIVES; i++)
		names[i] = tt_collective_name((enum tt_collective)i);
	const char *near = tt_nearest(word, names, TT_COLLECTIVES);

	return tt_fail(TOTUM_EPARSE, "'%.40s' is no collective%s%s", word,
		       near ? ", did you mean " : "; there are allgather, allreduce and others",
		       near ? near : "");
}

static totum_status read_use(struct reader *reader)
{
	struct tt_tuning_use use = {0};
	totum_status status = read_collective(reader->words[1], &use.collective);

	if (!status)
		status = in_field(tt_parse_int(reader->values[0], 1, TT_MAX_RANKS, &use.nranks),
				  "n");
	if (!status)
		status = in_field(tt_parse_int(reader->values[1], 1, use.nranks, &use.nhosts),
				  "hosts");
	if (!status)
		status = in_field(read_range(reader->values[2], &use.low, &use.high), "bytes");
	if (!status)
		status = in_field(read_algorithm(reader->values[3], &use), "algo");
	return status ? status : tt_tuning_add_use(reader->tuning, &use);
}

static totum_status read_end(struct reader *reader)
{
	reader->ended = true;
	return TOTUM_OK;
}

static const char *const no_keys[] = {NULL};

static const struct kind {
	const char *name;
	const char *second; /* what the word behind it is; NULL: there is none */
	const char *const *keys;
	totum_status (*read)(struct reader *reader);
} kinds[] = {
	{"link", "inside or between", link_keys, read_link},
	{"piece", "inside or between", piece_keys, read_piece},
	{"add", NULL, add_keys, read_add},
	{"copy", NULL, copy_keys, read_copy},
	{"use", "a collective", use_keys, read_use},
	{"end", NULL, no_keys, read_end},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* --- lines ---------------------------------------------------------------------------------- */

static totum_status read_field(struct reader *reader, const struct kind *kind, char *word)
{
	char *equals = strchr(word, '=');
	int i = 0;

	if (!equals || !equals[1])
		return tt_fail(TOTUM_EPARSE, "'%.40s' is no field KEY=VALUE", word);
	*equals = '\0';
	while (kind->keys[i] && strcmp(kind->keys[i], word))
		i++;
	if (!kind->keys[i])
		return tt_fail(TOTUM_EPARSE, "'%.40s' is one field too many for '%s'", word,
			       kind->name);
	if (reader->values[i])
		return tt_fail(TOTUM_EPARSE, "field %s is given twice; leave one out", word);
	reader->values[i] = equals + 1;
	return TOTUM_OK;
}

static totum_status read_kind(struct reader *reader, const struct kind *kind)
{
	int first = kind->second ? 2 : 1;
	totum_status status = TOTUM_OK;

	if (reader->nwords < first || (kind->second && strchr(reader->words[1], '=')))
		return tt_fail(TOTUM_EPARSE, "'%s' must be followed by %s", kind->name,
			       kind->second);
	memset(reader->values, 0, sizeof reader->values);
	for (int i = first; i < reader->nwords && !status; i++)
		status = read_field(reader, kind, reader->words[i]);
	for (int i = 0; !status && kind->keys[i]; i++)
		if (!reader->values[i])
			status = tt_fail(TOTUM_EPARSE, "field %s of '%s' is missing", kind->keys[i],
					 kind->name);
	return status ? status : kind->read(reader);
}

static totum_status read_words(struct reader *reader)
{
	const char *names[KINDS];

	if (reader->ended)
		return tt_fail(TOTUM_EPARSE, "there is more behind the line 'end'");
	for (int i = 0; i < KINDS; i++) {
		names[i] = kinds[i].name;
		if (!strcmp(names[i], reader->words[0]))
			return read_kind(reader, &kinds[i]);
	}
	const char *near = tt_nearest(reader->words[0], names, KINDS);

	return tt_fail(TOTUM_EPARSE,
		       "'%.40s' begins no line%s%s; lines begin with link, piece, add, copy, use "
		       "or end",
		       reader->words[0], near ? ", did you mean " : "", near ? near : "");
}

static totum_status read_first(const char *line)
{
	static const char magic[] = "totum tuning ";
	const char *version = line + sizeof magic - 1;

	if (strncmp(line, magic, sizeof magic - 1))
		return tt_fail(TOTUM_EPARSE, "this is no tuning file: its first line is not "
					     "'totum tuning 1'");
	if (strcmp(version, "1"))
		return tt_fail(TOTUM_EPARSE,
			       "version '%.20s' of tuning files is not known here, only 1; measure "
			       "again with totum tune, or use the totum that wrote it",
			       version);
	return TOTUM_OK;
}

/* A line without its end; its text is cut into words. */
static totum_status read_line(struct reader *reader, char *line, size_t length)
{
	if (length && line[length - 1] == '\r')
		return tt_fail(TOTUM_EPARSE, "the line ends in a carriage return; lines end in a "
					     "line feed alone");
	if (memchr(line, '\0', length))
		return tt_fail(TOTUM_EPARSE, "the line holds a zero byte: this is no text");
	if (reader->line == 1)
		return read_first(line);
	char *rest = NULL;

	reader->nwords = 0;
	if (*line == '#')
		return TOTUM_OK;
	for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (reader->nwords == WORDS)
			return tt_fail(TOTUM_EPARSE, "more than %d words in a line", WORDS);
		reader->words[reader->nwords++] = word;
	}
	return reader->nwords ? read_words(reader) : TOTUM_OK;
}

/* What is wrong with the file as a whole, and at which line. */
static totum_status finish(struct reader *reader)
{
	if (!reader->ended)
		return tt_fail(TOTUM_EPARSE, "the file ends without a line 'end': it is cut off");
	for (int class = 0; class < TT_LINK_CLASSES; class ++) {
		bool pieces = reader->tuning->links[class].npieces > 0;

		if (reader->has_link[class] == pieces)
			continue;
		reader->line = reader->link_lines[class];
		return tt_fail(TOTUM_EPARSE, "link %s has no line '%s'",
			       tt_link_class_name((enum tt_link_class) class),
			       pieces ? "link" : "piece");
	}
	return TOTUM_OK;
}

static totum_status read_lines(struct reader *reader, const char *text, size_t length)
{
	char line[LINE];

	for (size_t at = 0; at < length;) {
		const char *end = memchr(text + at, '\n', length - at);
		size_t size = (end ? (size_t)(end - text) : length) - at;

		reader->line++;
		if (!end)
			return tt_fail(TOTUM_EPARSE, "the last line has no end: it is cut off");
		if (size >= sizeof line)
			return tt_fail(TOTUM_EPARSE, "the line is longer than %d characters",
				       LINE - 1);
		memcpy(line, text + at, size);
		line[size] = '\0';
		totum_status status = read_line(reader, line, size);

		if (status)
			return status;
		at += size + 1;
	}
	reader->line += !reader->line;
	return length ? finish(reader) : tt_fail(TOTUM_EPARSE, "the file is empty");
}

totum_status tt_tuning_read(const char *text, size_t length, const char *name,
			    struct tt_tuning **out)
{
	struct reader reader = {0};
	totum_status status = tt_tuning_new(&reader.tuning);

	if (status)
		return status;
	status = read_lines(&reader, text, length);
	if (!status) {
		*out = reader.tuning;
		return TOTUM_OK;
	}
	tt_tuning_free(reader.tuning);
	return tt_fail_in(status == TOTUM_EMEMORY ? status : TOTUM_EPARSE, "%s:%lld", name,
			  (long long)reader.line);
}
