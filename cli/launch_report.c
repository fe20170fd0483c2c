/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_report - the launcher's sentences, and the exit code that goes with the last of them. */
#include "launch_keeper.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77 };

bool launch_skipped(const struct keeper *keeper, int rank)
{
	const struct rank *it = &keeper->ranks[rank];

	return it->ended && WIFEXITED(it->status) && WEXITSTATUS(it->status) == SKIPPED;
}

void launch_say(const struct keeper *keeper, const char *format, ...)
{
	char text[LAUNCH_SENTENCE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (keeper->job->said)
		memcpy(keeper->job->said, text, sizeof text);
	if (keeper->job->host)
		launch_tell_sentence(keeper, text);
	else
		send(keeper->job->control, text, strlen(text), MSG_NOSIGNAL);
}

/* "rank 3 (pid 4711)", "rank 3 (pid 4711 on hostb)" */
static void tell_rank(const struct keeper *keeper, int rank, char *out, size_t size)
{
	const struct launch_hosts *hosts = keeper->job->options->hosts;
	const char *host = keeper->job->host;

	if (hosts && !host)
		host = launch_host_of(hosts, rank);
	snprintf(out, size, "rank %d (pid %d%s%.64s)", launch_number(keeper->job, rank),
		 (int)keeper->ranks[rank].pid, host ? " on " : "", host ? host : "");
}

void launch_say_start(const struct keeper *keeper, int rank)
{
	const struct launch_options *options = keeper->job->options;
	char cpus[256], who[128];

	if (keeper->job->host)
		launch_tell_start(keeper, rank);
	if (!options->verbose && !options->report_bindings)
		return;
	if (options->bind == LAUNCH_BIND_CORE)
		snprintf(cpus, sizeof cpus, "%d", launch_nth_cpu(rank));
	else
		launch_cpus_text(cpus, sizeof cpus);
	if (keeper->job->host) {
		tell_rank(keeper, rank, who, sizeof who);
		launch_say(keeper, "%s has started on cpu %s", who, cpus);
	} else {
		launch_say(keeper, "rank %d is pid %d on cpu %s", rank,
			   (int)keeper->ranks[rank].pid, cpus);
	}
}

/* Without its "SIG"; real-time signals have numbers only. */
static const char *signal_name(int signal)
{
	const char *name = sigabbrev_np(signal);

	return name ? name : "RT";
}

/* "ended with exit code 7", "was killed by SIGSEGV (core dumped)" */
static void tell_end(int status, char *out, size_t size)
{
	if (WIFEXITED(status)) {
		snprintf(out, size, "ended with exit code %d", WEXITSTATUS(status));
		return;
	}
	snprintf(out, size, "was killed by SIG%s%s", signal_name(WTERMSIG(status)),
		 WCOREDUMP(status) ? " (core dumped)" : "");
}

void launch_say_end(const struct keeper *keeper, int rank)
{
	char end[64], who[128];

	if (keeper->job->host)
		launch_tell_end(keeper, rank);
	if (!keeper->job->options->verbose)
		return;
	tell_end(keeper->ranks[rank].status, end, sizeof end);
	tell_rank(keeper, rank, who, sizeof who);
	launch_say(keeper, "%s %s", who, end);
}

/* "3 other ranks still running got SIGTERM, and 2 of them SIGKILL" */
static void tell_others(const struct ending *ending, int signal, char *out, size_t size)
{
	const char *other = ending->cause == CAUSE_RANK ? "other " : "";
	const char *name = signal_name(signal);
	bool one = ending->nothers == 1;
	char who[192];

	if (ending->cause == CAUSE_TIMEOUT)
		snprintf(who, sizeof who, "rank%s %s, still running,", one ? "" : "s",
			 ending->running);
	else
		snprintf(who, sizeof who, "%d %srank%s still running", ending->nothers, other,
			 one ? "" : "s");
	if (!ending->nothers)
		snprintf(out, size, "no %srank was running", other);
	else if (!ending->nkilled)
		snprintf(out, size, "%s %s ended with SIG%s", who, one ? "was" : "were", name);
	else if (one)
		snprintf(out, size, "%s got SIG%s and then SIGKILL", who, name);
	else
		snprintf(out, size, "%s got SIG%s, and %d of them SIGKILL", who, name,
			 ending->nkilled);
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool all_skipped(const struct keeper *keeper)
{
	for (int r = 0; r < keeper->nranks; r++)
		if (keeper->ranks[r].pid && !launch_skipped(keeper, r))
			return false;
	return true;
}

static int rank_verdict(const struct keeper *keeper)
{
	const struct ending *ending = &keeper->ending;
	const struct rank *rank = &keeper->ranks[ending->rank];
	char end[64], who[128], others[320];

	if (!all_skipped(keeper)) {
		tell_end(rank->status, end, sizeof end);
		tell_others(ending, SIGTERM, others, sizeof others);
		tell_rank(keeper, ending->rank, who, sizeof who);
		launch_say(keeper, "%s %s; %s", who, end, others);
	}
	return exit_code(rank->status);
}

static bool all_ended_well(const struct keeper *keeper)
{
	for (int r = 0; r < keeper->nranks; r++)
		if (!keeper->ranks[r].ended || keeper->ranks[r].status)
			return false;
	return keeper->nranks && !keeper->ending.nkilled && !keeper->ending.output_lost;
}

/* A job that was told to end and did, all ranks with 0, has ended well. */
static int signal_verdict(const struct keeper *keeper)
{
	const struct ending *ending = &keeper->ending;
	char others[320];

	if (all_ended_well(keeper))
		return 0;
	tell_others(ending, ending->signal, others, sizeof others);
	launch_say(keeper, "the job was ended by SIG%s; %s", signal_name(ending->signal), others);
	return ending->rank < 0 ? 128 + ending->signal
				: exit_code(keeper->ranks[ending->rank].status);
}

static int timeout_verdict(const struct keeper *keeper)
{
	char others[320];

	tell_others(&keeper->ending, SIGTERM, others, sizeof others);
	launch_say(keeper, "the job had not ended after %gs; %s", keeper->job->options->timeout,
		   others);
	return LAUNCH_TIMEOUT;
}

/* " on hostb", or "" where there are not several */
static void tell_host(const struct keeper *keeper, int rank, char *out, size_t size)
{
	const struct launch_hosts *hosts = keeper->job->options->hosts;

	out[0] = '\0';
	if (hosts)
		snprintf(out, size, " on %.64s", launch_host_of(hosts, rank));
}

static int exec_verdict(const struct keeper *keeper)
{
	const char *program = keeper->job->argv[0], *hint = "";
	int error = keeper->ending.error;
	char on[80];

	tell_host(keeper, keeper->ending.rank, on, sizeof on);
	if (error == ENOENT && strchr(program, '/') && !*on && !access(program, F_OK))
		hint = "; its interpreter, named in its first line, is not there";
	else if (error == ENOENT)
		hint = "; give a path, or a name that is in PATH";
	else if (error == EACCES)
		hint = "; it must be a file that you may execute";
	launch_say(keeper, "cannot run '%.400s'%s: %s%s", program, on, strerror(error), hint);
	return error == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_NOT_EXECUTABLE;
}

static int fault_verdict(const struct keeper *keeper)
{
	const struct ending *ending = &keeper->ending;
	const char *hint = "";
	char on[80];

	tell_host(keeper, ending->rank, on, sizeof on);
	if (ending->error == EAGAIN)
		hint = "; raise the limit on processes (ulimit -u) or start fewer ranks";
	else if (ending->error == EMFILE)
		hint = "; raise the limit on open files (ulimit -n) or do without --tag-output";
	launch_say(keeper, "cannot %s rank %d%s: %s%s", ending->what, ending->rank, on,
		   strerror(ending->error), hint);
	return LAUNCH_FAULT;
}

static int host_verdict(const struct keeper *keeper)
{
	char others[320];

	tell_others(&keeper->ending, SIGTERM, others, sizeof others);
	launch_say(keeper, "%s; %s", keeper->ending.why, others);
	return LAUNCH_FAULT;
}

int launch_verdict(const struct keeper *keeper)
{
	if (keeper->job->host)
		return keeper->ending.output_lost; /* the hub has the last word on the rest */
	switch (keeper->ending.cause) {
	case CAUSE_NONE:
		return keeper->ending.output_lost ? LAUNCH_FAULT : 0;
	case CAUSE_RANK:
		return rank_verdict(keeper);
	case CAUSE_SIGNAL:
		return signal_verdict(keeper);
	case CAUSE_TIMEOUT:
		return timeout_verdict(keeper);
	case CAUSE_START:
		return keeper->ending.what ? fault_verdict(keeper) : exec_verdict(keeper);
	case CAUSE_HOST:
		return host_verdict(keeper);
	case CAUSE_ORPHANED:
		break; /* nobody is left to tell */
	}
	return 128 + SIGKILL;
}
