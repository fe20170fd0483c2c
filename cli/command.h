/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * command.h - what a subcommand file defines: cli/commands/<name>.c holds `const struct command command_<name>`.
 * The build makes the table from the folder.
 */
#ifndef COMMAND_H
#define COMMAND_H

struct command {
	const char *name;
	const char *summary; /* one line for `totum help` */
	/* argv[0] is "totum <name>", for argp's messages; returns the exit code: 2 for bad usage. */
	int (*main)(int argc, char **argv);
};

extern const struct command *const commands[]; /* ends with NULL */

#endif
