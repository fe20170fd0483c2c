/* SPDX-License-Identifier: BSD-3-Clause */
/* totum info - every variable that totum reads: its default, its value here, its meaning. */
#include "command.h"
#include "doctor_variables.h"
#include "lab.h"
#include "totum_info.h"

#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { KEY_JSON = 0x100 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case KEY_JSON:
		*(const char **)state->input = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%.40s' is one too many: all variables are listed", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void print_table(int launchers)
{
	printf("%-20s %-10s %-10s %s\n", launchers ? "set by totum run" : "variable", "default",
	       "value", "meaning");
	for (int i = 0; i < totum_variable_count(); i++) {
		const char *value = totum_variable_value(i), *fallback = totum_variable_default(i);
		if (totum_variable_is_launchers(i) == launchers)
			printf("%-20s %-10s %-10s %s\n", totum_variable_name(i),
			       fallback[0] ? fallback : "-", value ? value : "-",
			       totum_variable_meaning(i));
	}
}

/* NULL for no value; "?" for one that is no text. */
static json_t *value_of(int i)
{
	const char *value = totum_variable_value(i);
	json_t *text = value ? json_string(value) : json_null();

	return text ? text : json_string("?");
}

static totum_status write_json(void *context, FILE *out)
{
	json_t *list = json_array();

	(void)context;
	for (int i = 0; i < totum_variable_count(); i++)
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:o, s:s, s:b}", "name", totum_variable_name(i),
					"default", totum_variable_default(i), "value", value_of(i),
					"meaning", totum_variable_meaning(i), "set_by_launcher",
					totum_variable_is_launchers(i)));
	json_dumpf(list, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(list);
	return TOTUM_OK;
}

static void refuse(const char *name, const char *nearest, void *context)
{
	fprintf(stderr, "%s: %s is not a variable of totum%s%s\n", (const char *)context, name,
		nearest ? "; did you mean " : "", nearest ? nearest : "");
}

static int info_main(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"json", KEY_JSON, "FILE", 0,
		 "Write a list as JSON instead; -: to the standard output", 0},
		{0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "List the variables that totum reads, with what they are set to here."
		       "\vThe exit code is 1 when one has a wrong value, or when a variable that "
		       "begins with TOTUM_ is "
		       "none of them.",
	};
	const char *json = NULL;
	int failed = 0;

	argp_parse(&argp, argc, argv, 0, NULL, &json);
	if (json) {
		failed = lab_write(argv[0], json, write_json, NULL);
	} else {
		print_table(0);
		putchar('\n');
		print_table(1);
	}
	int wrong = doctor_unknown_variables(refuse, argv[0]);
	for (int i = 0; i < totum_variable_count(); i++)
		if (totum_variable_check(i)) {
			fprintf(stderr, "%s: %s\n", argv[0], totum_errmsg());
			wrong++;
		}
	return wrong || failed ? 1 : 0;
}

const struct command command_info = {"info", "list the variables that totum reads", info_main};
