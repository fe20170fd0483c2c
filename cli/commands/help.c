/* SPDX-License-Identifier: BSD-3-Clause */
/* totum help - lists the commands, or shows the options of one. */
#include "command.h"

#include <argp.h>
#include <stdio.h>

static error_t parse(int key, char *arg, struct argp_state *state)
{
	char **name = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*name)
		argp_error(state, "one command at a time, not '%s' too", arg);
	*name = arg;
	return 0;
}

static int help_main(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "[COMMAND]",
		.doc = "List the commands, or show the options of one.",
	};
	char *name = NULL;

	argp_parse(&argp, argc, argv, 0, NULL, &name);
	if (name)
		return run_command(2, (char *[]){name, "--help", NULL});
	printf("Usage: totum COMMAND [ARGUMENT...]\n"
	       "All-gather and the collectives around it: run them, explain them, measure them.\n\n"
	       "Commands:\n");
	for (int i = 0; commands[i]; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	printf("\n`totum help COMMAND' shows the options of a command.\n");
	return 0;
}

const struct command command_help = {"help", "list the commands, or show the options of one",
				     help_main};
