/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_hub_ssh - how the hub gets at a host, and what it says when it does not.
 *
 * Whatever --ssh says is a shell's words, as people write them; host and command follow as two
 * arguments.  The command is for the shell at the other end, so that nothing is in it but the
 * quoted path of totum and two words.  ssh has no terminal, and so cannot ask: a job does not start
 * by typing passwords.  It gets SIGTERM when the hub dies; the end of its input would do.
 */
#include "launch_hub.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usual_ssh[] = "ssh -T -o BatchMode=yes -o ConnectTimeout=10 "
				"-o ServerAliveInterval=10 -o ServerAliveCountMax=3";

/* A word for any shell: what is in single quotes means itself. */
static char *quote(const char *word)
{
	char *out = malloc(4 * strlen(word) + 3), *end = out;

	if (!out)
		return NULL;
	*end++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			end = stpcpy(end, "'\\''");
		else
			*end++ = *word;
	}
	strcpy(end, "'");
	return out;
}

static bool is_here(const char *name)
{
	char here[256] = "";

	gethostname(here, sizeof here - 1);
	if (!strcmp(name, "localhost") || !strcmp(name, here))
		return true;
	here[strcspn(here, ".")] = '\0';
	return !strcmp(name, here);
}

/* In the new process. */
_Noreturn static void become_ssh(const struct hub *hub, const char *host, const int streams[3])
{
	const struct launch_job *job = hub->keeper.job;
	const char *ssh = hub->hosts->ssh ? hub->hosts->ssh : usual_ssh;
	char *path = quote(hub->hosts->command), *command, *words;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setsid();
	if (!path || asprintf(&command, "exec %s run --agent", path) < 0 ||
	    asprintf(&words, "exec %s \"$@\"", ssh) < 0)
		_exit(LAUNCH_FAULT);
	for (int i = 0; i < 3; i++)
		if (dup2(streams[i], i) < 0)
			_exit(LAUNCH_FAULT);
	sigaction(SIGCHLD, &job->on_child, NULL);
	sigaction(SIGPIPE, &job->on_pipe, NULL);
	sigprocmask(SIG_SETMASK, &job->mask, NULL);
	setrlimit(RLIMIT_NOFILE, &job->files);
	if (hub->hosts->nodes || (!hub->hosts->ssh && is_here(host)))
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	else
		execl("/bin/sh", "sh", "-c", words, "sh", host, command, (char *)NULL);
	dprintf(STDERR_FILENO, "/bin/sh: %s\n", strerror(errno));
	_exit(LAUNCH_NOT_FOUND);
}

bool hub_call(struct hub *hub, int host)
{
	struct remote *remote = &hub->remotes[host];
	int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};

	if (!pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC) && !pipe2(err, O_CLOEXEC)) {
		remote->pid = fork();
		if (remote->pid == 0)
			become_ssh(hub, remote->name, (int[]){in[0], out[1], err[1]});
	} else {
		remote->pid = -1;
	}
	int error = errno;

	close(in[0]);
	close(out[1]);
	close(err[1]);
	remote->channel.out = in[1];
	remote->channel.in = out[0];
	remote->complaints = err[0];
	if (remote->pid > 0) {
		fcntl(err[0], F_SETFL, O_NONBLOCK);
		return true;
	}
	remote->pid = 0;
	errno = error;
	return false;
}

void hub_hear_complaints(struct remote *remote)
{
	char text[sizeof remote->complaint];
	ssize_t got = read(remote->complaints, text, sizeof text - 1);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		close(remote->complaints);
		remote->complaints = -1;
		return;
	}
	for (ssize_t i = 0; i < got; i++)
		if (text[i] == '\0' || text[i] == '\r')
			text[i] = ' ';
	while (got > 0 && (text[got - 1] == '\n' || text[got - 1] == ' '))
		got--;
	text[got] = '\0';
	char *last = strrchr(text, '\n');

	if (got)
		snprintf(remote->complaint, sizeof remote->complaint, "%s", last ? last + 1 : text);
}

static void tell_exit(const struct remote *remote, char *out, size_t size)
{
	int status = remote->status;

	if (remote->pid)
		snprintf(out, size, "has closed its connection");
	else if (WIFSIGNALED(status))
		snprintf(out, size, "was killed by signal %d", WTERMSIG(status));
	else
		snprintf(out, size, "ended with exit code %d", WEXITSTATUS(status));
}

void hub_name(const struct hub *hub, const struct remote *remote, char *out, size_t size)
{
	snprintf(out, size, "%s%.64s", hub->hosts->nodes ? "" : "host ", remote->name);
}

void hub_tell_loss(const struct hub *hub, const struct remote *remote, char *out, size_t size)
{
	bool absent = !remote->pid && WIFEXITED(remote->status) && !remote->greeted &&
		      (WEXITSTATUS(remote->status) == LAUNCH_NOT_FOUND ||
		       WEXITSTATUS(remote->status) == LAUNCH_NOT_EXECUTABLE);
	char end[64], hint[400] = "", name[80];

	hub_name(hub, remote, name, sizeof name);
	if (*remote->from) {
		snprintf(out, size, "%s (%.64s) is lost: its connection has ended", name,
			 remote->from);
		return;
	}
	tell_exit(remote, end, sizeof end);
	if (absent)
		snprintf(hint, sizeof hint,
			 "; if totum is not %.250s there, say where by "
			 "--remote-totum",
			 hub->hosts->command);
	snprintf(out, size, "%s %s: %s %s%s%s%s", name,
		 hub->placed ? "is lost" : "cannot be reached",
		 hub->hosts->nodes ? "its agent" : "ssh", end,
		 *remote->complaint ? ", saying: " : "", remote->complaint, hint);
}
