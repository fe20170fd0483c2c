/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totum - the command: finds the subcommand that its first argument names and runs it.
 *
 * --help and --version are the commands help and version by another spelling; no argument at all is
 * help.
 */
#include "command.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct choice {
	char *name; /* an option's command, or NULL */
	int first;  /* else where in argv the command and its arguments begin */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct choice *choice = state->input;

	(void)arg;
	if (key == 'h' || key == 'V')
		choice->name = key == 'h' ? "help" : "version";
	else if (key == ARGP_KEY_ARG)
		choice->first = state->next - 1;
	else
		return ARGP_ERR_UNKNOWN;
	state->next = state->argc;
	return 0;
}

/* What a full disk or a closed pipe did to the output would otherwise be known to nobody. */
static int finish(int code)
{
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	fprintf(stderr, "totum: cannot write the output: %s\n", strerror(errno));
	return code ? code : 1;
}

int main(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{.name = "help", .key = 'h'},
		{.name = "usage", .flags = OPTION_ALIAS},
		{.name = "version", .key = 'V'},
		{0},
	};
	static const struct argp argp = {.options = options, .parser = parse};
	struct choice choice = {.name = "help"};

	argp_err_exit_status = 2;
	argv[0] = "totum";
	if (argc > 1) {
		choice.name = NULL;
		argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, &choice);
	}
	if (choice.name || !choice.first)
		return finish(run_command(1, (char *[]){choice.name ? choice.name : "help", NULL}));
	return finish(run_command(argc - choice.first, argv + choice.first));
}
