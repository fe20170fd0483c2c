/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_parts.h - what the parts of the launcher know in common.
 *
 *	front (launch.c)             the caller's process: passes signals in and messages out
 *	  keeper (launch_keeper.c)   a session of its own: starts, watches and ends the ranks
 *	    rank 0 .. n-1            each a process group
 *	    tagger (launch_tagger.c) if asked for: labels the ranks' output
 *
 * On several hosts:
 *
 *	front (launch.c)
 *	  hub (launch_hub.c)         in the keeper's place
 *	    ssh                      one for each host; on that host:
 *	      agent (launch_agent.c) in the front's place: does what the hub says
 *	        keeper               and all below it as above, but the hub decides
 */
#ifndef LAUNCH_PARTS_H
#define LAUNCH_PARTS_H

#include "launch.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

enum { LAUNCH_SECRET = 64, LAUNCH_SENTENCE = 1024 };

struct launch_job {
	const struct launch_options *options;
	char *const *argv;
	int size;           /* of the whole job */
	const int *numbers; /* the ranks of this host, in ascending order; NULL: 0, 1, .. */
	const char *host;   /* what the hub calls this host; NULL: there is no hub */
	char id[48];
	char root[272];
	char secret[LAUNCH_SECRET + 1];
	bool interrupted;     /* a SIGINT has come */
	bool stdin_for_rank0; /* false where reading would take a shell's input away */
	int signals;          /* a signalfd: whoever reads it gets its own signals */
	char *said;           /* LAUNCH_SENTENCE bytes for the last sentence; NULL: nobody asks */
	int control;          /* packets: signal numbers to the keeper, sentences to the front */
	/* as the caller had them, for the ranks */
	sigset_t mask;
	struct sigaction on_child, on_pipe;
	struct rlimit files;
};

/* A step that failed in a rank between fork and exec; what NULL is exec itself. */
struct launch_failure {
	int rank;
	int error;
	const char *what;
};

/*
 * Runs a front: with the signals that it passes on blocked and in job->signals, SIGPIPE ignored, and
 * this process a subreaper.  Returns its exit code, and all is as it was before.
 */
int launch_front(struct launch_job *job, int (*front)(struct launch_job *job));
/* n random bytes, at most 32, as 2n hexadecimal characters; false with errno. */
bool launch_random(char *out, size_t n);

/* The keeper's life; its exit code is the job's. */
_Noreturn void launch_keeper(struct launch_job *job);
/* The hub's life, alike. */
_Noreturn void launch_hub(struct launch_job *job);

/* The number in the job of this host's i-th rank. */
static inline int launch_number(const struct launch_job *job, int i)
{
	return job->numbers ? job->numbers[i] : i;
}

/*
 * Starts a rank in a process group of its own; output is where its stdout and stderr go, NULL:
 * where ours do.  A failure in the new process is written to the pipe `failures` as a struct
 * launch_failure.  Returns its pid, or -1 with errno.
 */
pid_t launch_rank(const struct launch_job *job, int rank, const int output[2], int failures);

/*
 * Starts a process that copies lines from streams[2*r] to stdout and from streams[2*r+1] to stderr
 * behind "[r] ", and ends when all have ended.  Returns its pid, or -1 with errno; the caller
 * closes the streams.
 */
pid_t launch_tagger(const struct launch_job *job, const int streams[]);

/*
 * The children of this process, zombies among them, but for one (0: all of them).  Returns their
 * number and in *out an array for the caller to free; -1 when /proc does not tell.
 */
int launch_children(pid_t except, pid_t **out);
/*
 * Kills all descendants of this process, a subreaper: its children, then their orphans, until there
 * are none but for `except`.  Returns how many could not be killed within 5 s.
 */
int launch_children_end(pid_t except);

/* The n-th cpu, counted round and round, that this process may run on; -1 with errno. */
int launch_nth_cpu(int n);
/* Binds this process to a cpu; false with errno. */
bool launch_bind_to(int cpu);
/* The cpus that this process may run on, like "0-3,8". */
void launch_cpus_text(char *out, size_t size);
/* The numbers below n that has() says yes to, like "0-3,8"; ends with "..." where out is short. */
void launch_ranges_text(bool (*has)(const void *set, int i), const void *set, int n, char *out,
			size_t size);

#endif
