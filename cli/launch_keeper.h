/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_keeper.h - the state of a running job, for the files that watch it, end it, tell of it. */
#ifndef LAUNCH_KEEPER_H
#define LAUNCH_KEEPER_H

#include "launch_hosts.h"
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
	CAUSE_HOST,    /* one could not be reached, or is lost */
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
	char why[768];     /* HOST: what there is to say */
	int nkilled;       /* of these, SIGKILLed */
	bool output_lost;  /* the tagger could not write it, or nobody read it in time */
};

struct keeper {
	const struct launch_job *job;
	struct rank *ranks; /* of this host; the hub's: of the job */
	int nranks, nrunning;
	/* to all that runs; SIGKILL: what has left or outlived its rank too */
	void (*signal)(struct keeper *keeper, int signal);
	pid_t tagger; /* 0: none, or ended */
	int failures; /* the pipe that ranks tell failed starts through; -1 at its end */
	bool front_lives;
	enum launch_stage stage;
	double job_deadline, stage_deadline;
	struct ending ending;
};

/* As many descriptors as may be had; the ranks get the old limit back. */
void launch_raise_file_limit(struct launch_job *job);
/* Monotonic seconds, the clock of the deadlines. */
double launch_now(void);
/* The running rank with this pid, or -1. */
int launch_rank_of(const struct keeper *keeper, pid_t pid);
/* keeper->signal of one host: to the groups of all ranks, and of what has left or outlived them. */
void launch_signal_ranks(struct keeper *keeper, int signal);
/* Asks all that runs to end; the grace time begins. */
void launch_end(struct keeper *keeper, enum launch_cause cause, int signal);
/* SIGKILL to all that runs. */
void launch_kill(struct keeper *keeper);
/* The launcher could not do its part for a rank: kills the job, if it is not ending already. */
void launch_fail_start(struct keeper *keeper, const struct launch_failure *failure);
/* A rank has ended, but not with 0: ends the job, if it is not ending already. */
void launch_fail_rank(struct keeper *keeper, int rank);
/* There is no getting at a host: ends the job, if it is not ending already. */
void launch_fail_host(struct keeper *keeper, const char *why);

/* From whomever: passed on, or the end of the job. */
void launch_take_signal(struct keeper *keeper, int signal);
/* Takes all signals, and all that the front has passed on; its end is that of the job. */
void launch_hear_signals(struct keeper *keeper);
void launch_hear_front(struct keeper *keeper);
/* Notes that a rank has ended; returns which is the more telling end, it or the one before (-1). */
int launch_note_end(struct keeper *keeper, int rank, int status, int worst);
/*
 * A rank that is heard of late had ended before it was asked to: where its end is the more telling
 * one, the rank that the job was ended for may have failed because of it, and it is to blame.
 */
void launch_blame(struct keeper *keeper, int rank);
/* Does what deadlines demand, and how many milliseconds are left until the next one. */
void launch_pass_deadlines(struct keeper *keeper);
int launch_time_left(const struct keeper *keeper);

/* Below an agent: tells the hub of a rank. */
void launch_tell_start(const struct keeper *keeper, int rank);
void launch_tell_failure(const struct keeper *keeper, const struct launch_failure *failure);
void launch_tell_end(const struct keeper *keeper, int rank);
void launch_tell_sentence(const struct keeper *keeper, const char *text);

/* Has the rank ended with the exit code that tests say "skipped" with? */
bool launch_skipped(const struct keeper *keeper, int rank);
/* Sends a sentence to the front, which prints it; waits no longer than 0.2 s for that. */
__attribute__((format(printf, 2, 3))) void launch_say(const struct keeper *keeper,
						      const char *format, ...);
/* Says that a rank has started or ended, to the hub, and to the user if that was asked for. */
void launch_say_start(const struct keeper *keeper, int rank);
void launch_say_end(const struct keeper *keeper, int rank);
/* Says why the job has not ended well, if so, and returns its exit code. */
int launch_verdict(const struct keeper *keeper);

#endif
