/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json.h - writing JSON, indented, to a stream: commas and quotes are kept right here, nesting by
 * the caller.
 *
 * A key is NULL inside an array and for the outermost value.  Numbers do not depend on the locale.
 */
#ifndef TT_JSON_H
#define TT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proof/fraction.h"

struct tt_json {
	FILE *out;
	int depth;
	bool filled; /* does the innermost bracket hold something yet? */
	bool row;    /* an array on one line */
};

void tt_json_object(struct tt_json *json, const char *key);
void tt_json_array(struct tt_json *json, const char *key);
/* An array on one line: of numbers and strings only. */
void tt_json_row(struct tt_json *json, const char *key);
void tt_json_end(struct tt_json *json, char bracket);
void tt_json_string(struct tt_json *json, const char *key, const char *value);
void tt_json_int(struct tt_json *json, const char *key, int64_t value);
void tt_json_real(struct tt_json *json, const char *key, double value);
void tt_json_bool(struct tt_json *json, const char *key, bool value);
/* Exact, as a string: "7/2". */
void tt_json_fraction(struct tt_json *json, const char *key, struct tt_fraction value);

#endif
