/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totum bench - times a collective over a range of sizes, checks it, and compares it with what
 * copying alone costs.
 *
 * Without a launcher's variables in its environment it starts its own ranks, which are this command
 * again with the same arguments; with them it is a rank.
 */
#include "bench.h"
#include "bench_arguments.h"
#include "command.h"
#include "lab.h"
#include "launch.h"
#include "launched.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int start(struct bench_options *bench, int argc, char *const *arguments)
{
	static char here[PATH_MAX];
	static char launcher[] = "TOTUM_LAUNCHER=totum";
	char *const environment[] = {launcher, NULL};
	const struct launch_options launch = {
		.name = "totum bench",
		.nranks = bench->nranks,
		.grace = 2,
		.bind = bench->bind,
		.environment = environment,
		.hosts = bench->hosts.hosts.n ? &bench->hosts.hosts : NULL,
	};
	int code = bench_check(bench, bench->nranks, true);
	char **rank = code ? NULL : calloc((size_t)argc + 2, sizeof *rank);

	if (code)
		return code;
	if (!rank)
		return LAUNCH_FAULT;
	if (bench->hosts.hosts.n && !getcwd(here, sizeof here)) {
		fprintf(stderr, "totum bench: this directory has no path: %s\n", strerror(errno));
		free(rank);
		return LAUNCH_FAULT;
	}
	bench->hosts.hosts.directory = here;
	rank[0] = bench->hosts.hosts.n ? (char *)bench->hosts.hosts.command
				       : (char[]){"/proc/self/exe"};
	rank[1] = (char[]){"bench"};
	memcpy(rank + 2, arguments + 1, (size_t)(argc - 1) * sizeof *rank);
	code = launch_job(&launch, rank);
	free(rank);
	return code;
}

static int bench_main(int argc, char **argv)
{
	struct bench_options bench;
	char **arguments = calloc((size_t)argc + 1, sizeof *arguments);
	char *line = lab_command_line(argc, argv);
	int code = 1;

	if (arguments && line) {
		memcpy(arguments, argv, (size_t)argc * sizeof *arguments); /* argp will sort argv */
		bench_arguments(argc, argv, &bench);
		bench.command = line;
		if (!bench.nranks && !launched())
			fputs("totum bench: how many ranks? Give -n N or --hosts A,B, or "
			      "start it with a launcher\n",
			      stderr);
		if (launched())
			code = bench_rank(&bench);
		else if (bench.nranks)
			code = start(&bench, argc, arguments);
		else
			code = 2;
		launch_hosts_free(&bench.hosts.hosts);
	}
	free(line);
	free(arguments);
	return code;
}

const struct command command_bench = {
	"bench", "time a collective, check it, compare with the limit", bench_main};
