/* SPDX-License-Identifier: BSD-3-Clause */
/* totum verify - proves that a schedule does what its collective promises. */
#include "command.h"
#include "lab.h"

#include <argp.h>

struct verify {
	const char *what;
	int quiet;
};

static const struct argp_option options[] = {
	{"quiet", 'q', NULL, 0, "Print nothing but what is wrong", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct verify *verify = state->input;

	switch (key) {
	case 'q':
		verify->quiet = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (verify->what)
			argp_error(state, "'%.40s' is one too many: one schedule is verified", arg);
		verify->what = arg;
		return 0;
	case ARGP_KEY_END:
		if (!verify->what)
			argp_error(state, "which schedule? Give a file or a problem like "
					  "allgather:n=8:algo=ring");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int verify_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FILE|PROBLEM",
		.doc = "Prove that a schedule does what its collective promises."
		       "\vFILE is a schedule in text form, as totum show --text prints it; - is "
		       "the standard input.  "
		       "The exit code is 0 when it is right, 1 when it is wrong, 2 when there is "
		       "no schedule to look at.",
	};
	struct verify verify = {0};
	totum_schedule *schedule = NULL;

	argp_parse(&argp, argc, argv, 0, NULL, &verify);
	int code = lab_open(argv[0], verify.what, &schedule);

	if (code)
		return code;
	totum_status status = totum_schedule_verify(schedule, verify.quiet ? NULL : stdout);

	totum_schedule_free(schedule);
	if (!status)
		return 0;
	lab_fail(argv[0], status);
	return status == TOTUM_EINVAL ? 1 : 2;
}

const struct command command_verify = {"verify", "prove that a schedule is right", verify_main};
