/* SPDX-License-Identifier: BSD-3-Clause */
/* totum version - the versions of the command and of the library that it has found at run time. */
#include "command.h"
#include "totum.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

static int version_main(int argc, char **argv)
{
	static const struct argp argp = {.doc = "Print the version."};

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	printf("totum %s\n", TOTUM_BUILD_VERSION);
	if (strcmp(totum_version(), TOTUM_BUILD_VERSION))
		printf("libtotum %s\n", totum_version());
	return 0;
}

const struct command command_version = {"version", "print the version", version_main};
