/* SPDX-License-Identifier: BSD-3-Clause */
/* command - finds a command by its name, or the name that was probably meant, and runs it. */
#include "command.h"
#include "nearest.h"

#include <stdio.h>
#include <string.h>

static int refuse(const char *name)
{
	const char *best = NULL;
	int away = NEAREST_FAR;

	for (int i = 0; commands[i]; i++)
		if (nearest_distance(name, commands[i]->name) < away) {
			best = commands[i]->name;
			away = nearest_distance(name, best);
		}
	if (best)
		fprintf(stderr, "totum: there is no command '%.40s'; did you mean '%s'?\n", name,
			best);
	else
		fprintf(stderr, "totum: there is no command '%.40s'; `totum help' lists them\n",
			name);
	return 2;
}

int run_command(int argc, char **argv)
{
	const struct command *command = NULL;
	char title[64];

	for (int i = 0; commands[i] && !command; i++)
		if (!strcmp(argv[0], commands[i]->name))
			command = commands[i];
	if (!command)
		return refuse(argv[0]);
	snprintf(title, sizeof title, "totum %s", command->name);
	argv[0] = title;
	return command->main(argc, argv);
}
