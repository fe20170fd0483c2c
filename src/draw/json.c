/* SPDX-License-Identifier: BSD-3-Clause */
/* json - writing JSON to a stream, see json.h. */
#include "draw/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void quote(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void indent(const struct tt_json *json)
{
	if (json->depth)
		fprintf(json->out, "\n%*s", 2 * json->depth, "");
}

/* What comes before every value: comma, line, key. */
static void begin(struct tt_json *json, const char *key)
{
	if (json->filled)
		fputs(json->row ? ", " : ",", json->out);
	if (!json->row)
		indent(json);
	json->filled = true;
	if (!key)
		return;
	quote(key, json->out);
	fputs(": ", json->out);
}

static void open_bracket(struct tt_json *json, const char *key, char bracket)
{
	begin(json, key);
	fputc(bracket, json->out);
	json->depth++;
	json->filled = false;
}

void tt_json_object(struct tt_json *json, const char *key)
{
	open_bracket(json, key, '{');
}

void tt_json_array(struct tt_json *json, const char *key)
{
	open_bracket(json, key, '[');
}

void tt_json_row(struct tt_json *json, const char *key)
{
	open_bracket(json, key, '[');
	json->row = true;
}

void tt_json_end(struct tt_json *json, char bracket)
{
	json->depth--;
	if (json->filled && !json->row) {
		if (json->depth)
			indent(json);
		else
			fputc('\n', json->out);
	}
	json->row = false;
	json->filled = true;
	fputc(bracket, json->out);
	if (!json->depth)
		fputc('\n', json->out);
}

void tt_json_string(struct tt_json *json, const char *key, const char *value)
{
	begin(json, key);
	quote(value, json->out);
}

void tt_json_int(struct tt_json *json, const char *key, int64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void tt_json_real(struct tt_json *json, const char *key, double value)
{
	char text[40];

	begin(json, key);
	snprintf(text, sizeof text, "%.17g", value);
	char *comma = strchr(text, ',');

	if (comma) /* a locale's decimal comma */
		*comma = '.';
	fputs(isfinite(value) ? text : "null", json->out);
}

void tt_json_bool(struct tt_json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

void tt_json_fraction(struct tt_json *json, const char *key, struct tt_fraction value)
{
	char text[TT_FRACTION_TEXT];

	tt_json_string(json, key, tt_fraction_text(value, text));
}
