/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * command.h - what a subcommand file defines, and how commands are found.
 *
 * cli/commands/<name>.c holds `const struct command command_<name>`; the build makes the table from
 * the folder.  Every command reads its arguments with argp, whose --help, --usage and refusals are
 * then the same everywhere; bad usage ends the process with 2 (main sets argp_err_exit_status).
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stddef.h>

struct command {
	const char *name;
	const char *summary; /* one line for `totum help` */
	/* argv[0] is "totum <name>", for argp's messages; returns the exit code, 2 for bad usage */
	int (*main)(int argc, char **argv);
};

extern const struct command *const commands[]; /* ends with NULL */

/*
 * Runs the command called argv[0] with the arguments behind it; returns its exit code.  For a name
 * that is none, says so with the nearest one and returns 2.
 */
int run_command(int argc, char **argv);

#endif
