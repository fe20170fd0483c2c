/* SPDX-License-Identifier: BSD-3-Clause */
/* totum doctor - what this host allows and lacks, and what to do about it. */
#include "command.h"
#include "doctor_checks.h"
#include "options.h"
#include "output.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { KEY_JSON = 0x100, MOST_RANKS = 4096 };

struct request {
	long ranks;
	const char *json;
};

static const struct argp_option options[] = {
	{"ranks", 'n', "N", 0, "For jobs of N ranks (default: one a core)", 0},
	{"json", KEY_JSON, "FILE", 0, "Write the report as JSON instead; -: to the standard output",
	 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case 'n':
		if (!option_int(arg, 1, MOST_RANKS, &request->ranks))
			argp_error(state, "--ranks: %s", option_error());
		return 0;
	case KEY_JSON:
		request->json = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%.40s' is one too many: the doctor looks at this host", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* 0, or 1 with a sentence. */
static int write_json(const char *name, const struct doctor *doctor, bool usable, const char *path)
{
	const int *counts = doctor->counts;
	json_t *report = json_pack("{s:i, s:i, s:b, s:{s:i, s:i, s:i}, s:O}", "ranks",
				   doctor->ranks, "cores", doctor->cores, "usable", usable,
				   "counts", "ok", counts[DOCTOR_OK], "note", counts[DOCTOR_NOTE],
				   "problem", counts[DOCTOR_PROBLEM], "checks", doctor->checks);
	struct output file;
	bool written = output_open(&file, path);

	if (written) {
		written = !json_dumpf(report, file.stream, JSON_INDENT(1)) &&
			  fputc('\n', file.stream) != EOF;
		written = output_close(&file, written) && written;
	}
	json_decref(report);
	if (written)
		return 0;
	if (strcmp(path, "-")) /* of the standard output main will say it */
		fprintf(stderr, "%s: cannot write %s: %s\n", name, path, strerror(errno));
	return 1;
}

static int doctor_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Say what this host allows and lacks, and what to do."
		       "\vok: as it should be; note: slower than it could be, or a surprise; "
		       "PROBLEM: totum "
		       "cannot be used.  The exit code is 1 when there is a problem, 2 for bad "
		       "usage.",
	};
	static void (*const groups[])(struct doctor *) = {
		doctor_kernel, doctor_memory, doctor_copy,      doctor_share,
		doctor_cores,  doctor_limits, doctor_variables, doctor_trial,
	};
	struct request request = {0};

	argp_parse(&argp, argc, argv, 0, NULL, &request);
	signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is to be reported */
	struct doctor doctor = {
		.cores = doctor_usable_cores(), .silent = request.json, .checks = json_array()};
	doctor.ranks = request.ranks ? (int)request.ranks : doctor.cores;
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		groups[i](&doctor);
		fflush(stdout); /* before the next children */
	}
	bool usable = doctor_conclude(&doctor);
	int code = request.json ? write_json(argv[0], &doctor, usable, request.json) : 0;
	json_decref(doctor.checks);
	return code || !usable ? 1 : 0;
}

const struct command command_doctor = {"doctor", "say what this host allows and lacks",
				       doctor_main};
