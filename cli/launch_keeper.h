/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_keeper.h - the state of a running job, for the files that watch it, end it, tell of it. */
#ifndef LAUNCH_KEEPER_H
#define LAUNCH_KEEPER_H

#include "launch_parts.h"

enum launch_stage {
	RUNNING,
	SKIPPING, /* a rank has ended with 77: the others have the grace time to do so */
	ENDING,   /* asked to end, and the grace time runs */
	KILLED,
	GIVEN_UP /* the kernel does not get rid of them */
};

enum launch_cause {
	CAUSE_NONE,
	CAUSE_RANK,   /* one has failed */
	CAUSE_SIGNAL, /* passed on from outside */
	CAUSE_TIMEOUT,
	CAUSE_START,   /* one could not be started */
	CAUSE_ORPHANED /* the front is gone */
};

struct rank {
	pid_t pid; /* 0: not started */
	bool ended;
	int status; /* as waitpid gave it */
};

/* Why the job came to its end, and what was done about it. */
struct ending {
	enum launch_cause cause;
	int rank;          /* RANK, START: the one; SIGNAL: the first that failed, or -1 */
	int signal;        /* SIGNAL */
	int error;         /* START: errno */
	const char *what;  /* START: what could not be done, NULL: exec */
	int nothers;       /* ranks that ran when it began */
	char running[128]; /* TIMEOUT: these, like "0-3" */
	int nkilled;       /* of these, SIGKILLed */
	bool output_lost;  /* the tagger could not write it, or nobody read it in time */
};

struct keeper {
	const struct launch_job *job;
	struct rank *ranks;
	int nrunning;
	pid_t tagger; /* 0: none, or ended */
	int failures; /* the pipe that ranks tell failed starts through; -1 at its end */
	bool front_lives;
	enum launch_stage stage;
	double job_deadline, stage_deadline;
	struct ending ending;
};

/* Monotonic seconds, the clock of the deadlines. */
double launch_now(void);
/* The running rank with this pid, or -1. */
int launch_rank_of(const struct keeper *keeper, pid_t pid);
/* Sends a signal to the groups of all ranks that run, and of what has left or outlived its rank. */
void launch_signal(const struct keeper *keeper, int signal);
/* Asks all that runs to end; the grace time begins. */
void launch_end(struct keeper *keeper, enum launch_cause cause, int signal);
/* SIGKILL to all that runs. */
void launch_kill(struct keeper *keeper);
/* The launcher could not do its part for a rank: kills the job, if it is not ending already. */
void launch_fail_start(struct keeper *keeper, const struct launch_failure *failure);
/* A rank has ended, but not with 0: ends the job, if it is not ending already. */
void launch_fail_rank(struct keeper *keeper, int rank);

/* Has the rank ended with the exit code that tests say "skipped" with? */
bool launch_skipped(const struct keeper *keeper, int rank);
/* Sends a sentence to the front, which prints it; waits no longer than 0.2 s for that. */
__attribute__((format(printf, 2, 3))) void launch_say(const struct keeper *keeper,
						      const char *format, ...);
/* Says that a rank has started or ended, if that was asked for. */
void launch_say_start(const struct keeper *keeper, int rank);
void launch_say_end(const struct keeper *keeper, int rank);
/* Says why the job has not ended well, if so, and returns its exit code. */
int launch_verdict(const struct keeper *keeper);

#endif
