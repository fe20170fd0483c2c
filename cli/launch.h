/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch.h - starts the ranks of a job, on this host or on several, and sees them to their end.
 *
 * Each rank finds in its environment TOTUM_RANK, TOTUM_SIZE, TOTUM_LOCAL_RANK, TOTUM_LOCAL_SIZE,
 * TOTUM_JOB_ID, TOTUM_ROOT (a name that only this job has: local:TEXT where all ranks are on one
 * host, else tcp://ADDRESS:PORT) and TOTUM_SECRET_FD, the number of a descriptor from whose
 * beginning the job secret, 64 hexadecimal characters, can be read.  Rank 0 gets the standard
 * input, the others /dev/null.
 *
 * The first rank that ends with another exit code than 0, or by a signal, ends the job: SIGTERM to
 * all, after the grace time SIGKILL.  Exit code 77, a test's word for "skipped", gives the others
 * the grace time to say the same before that.  SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on
 * and end the job alike, a SIGINT while it is ending kills at once; SIGUSR1 and SIGUSR2 are just
 * passed on; SIGTSTP stops the ranks too.  Signals that the caller ignores are left alone.
 *
 * No process of the job outlives it, however it or the launcher ends: see launch_keeper.c, and for
 * several hosts launch_hub.c.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <stdbool.h>

struct launch_hosts;

enum { LAUNCH_MAX_RANKS = 4096 };

enum launch_exit {
	LAUNCH_TIMEOUT = 124,
	LAUNCH_FAULT = 125, /* the system refused something to the launcher */
	LAUNCH_NOT_EXECUTABLE = 126,
	LAUNCH_NOT_FOUND = 127
};

enum launch_bind { LAUNCH_BIND_NONE, LAUNCH_BIND_CORE };

struct launch_options {
	const char *name;      /* begins every message: "totum run" */
	int nranks;            /* 1 .. LAUNCH_MAX_RANKS */
	double timeout;        /* of the whole job, in seconds; 0: none */
	double grace;          /* seconds from SIGTERM to SIGKILL */
	enum launch_bind bind; /* CORE: rank i on the i-th allowed cpu, counted round and round */
	bool report_bindings;
	bool tag_output; /* every line of a rank's output comes whole, behind "[rank] " */
	bool verbose;    /* say when a rank starts and ends */
	const char *preload; /* a library for every rank, before those of LD_PRELOAD; NULL: none */
	char *const *environment; /* "VAR=VALUE" for every rank, ends with NULL; NULL: none */
	struct launch_hosts *hosts; /* NULL: this host alone */
};

/*
 * Runs argv[0] (looked up in PATH when it has no slash) with the arguments behind it as every rank,
 * and waits for the end of the job.  Returns the exit code for the caller: 0, that of the first
 * failing rank (128 + the signal that ended it), or a launch_exit; one sentence on stderr says why
 * it is not 0, but when all ranks have ended with 77.  A SIGINT that has ended the job is raised
 * again at the end, so that a caller who does not handle it ends as a program does that was
 * interrupted from the terminal.
 *
 * The caller has one thread and no other children while this runs.
 */
int launch_job(const struct launch_options *options, char *const argv[]);

/*
 * The part of a host in a job of several: does what a hub (launch_hub.c) says through the standard
 * input, and tells it of the ranks through the standard output.  Returns when all is over.
 */
int launch_agent(const char *name);

#endif
