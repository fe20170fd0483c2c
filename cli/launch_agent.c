/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_agent - a host's part in a job of several.
 *
 * It stands where the front does on one host, but its user is the hub, at the other end of ssh:
 * what the hub says, it does or passes to the keeper; what the keeper and the ranks say, it passes
 * to the hub.  The end of the standard input is the end of the hub, or of the way to it, and so is
 * its silence: then the ranks here end too.
 *
 * The keeper's standard streams are pipes, whose other ends the agent has: it reads of the output
 * no more than the hub has room for, and the input waits here until rank 0 takes it.
 */
#include "launch_agent.h"
#include "launch_keeper.h"
#include "launch_nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <totum.h>
#include <unistd.h>

const struct agent agent_unborn = {
	.hub = {.in = -1, .out = -1},
	.root = {.held = -1, .listener = -1},
	.control = -1,
	.input = -1,
	.streams = {{.fd = -1}, {.fd = -1}},
	.hub_lives = true,
	.verdict = -1,
};

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void fault(struct agent *agent, const char *what)
{
	char why[160];

	snprintf(why, sizeof why, "cannot %s: %s", what, strerror(errno));
	wire_say(&agent->hub.queue, WIRE_FAULT, why);
}

/* The keeper's side of its birth. */
_Noreturn static void become_keeper(struct agent *agent, int input, int out, int err, int control)
{
	if (dup2(input, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(err, STDERR_FILENO) < 0)
		_exit(LAUNCH_FAULT);
	/* what it kept open of these would never come to its end */
	shut(&agent->control);
	shut(&agent->input);
	shut(&agent->streams[0].fd);
	shut(&agent->streams[1].fd);
	shut(&agent->root.listener);
	close(input);
	close(out);
	close(err);
	agent->order.job.control = control;
	launch_keeper(&agent->order.job);
}

/* The keeper of a node: its ranks have our streams. */
static void start_node(struct agent *agent)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		fault(agent, "make a socket");
		return;
	}
	agent->control = ends[0];
	agent->keeper = fork();
	if (agent->keeper == 0) {
		shut(&agent->control);
		wire_close(&agent->hub);
		agent->order.job.control = ends[1];
		launch_keeper(&agent->order.job);
	}
	close(ends[1]);
	if (agent->keeper < 0) {
		fault(agent, "start a process");
		agent->keeper = 0;
	}
}

static void start(struct agent *agent)
{
	int ends[2] = {-1, -1}, input[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ||
	    pipe2(input, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) {
		fault(agent, "make pipes");
		return; /* the hub ends us, and the kernel closes the rest */
	}
	agent->control = ends[0];
	agent->input = input[1];
	agent->streams[0] = (struct stream){out[0], WIRE_WINDOW};
	agent->streams[1] = (struct stream){err[0], WIRE_WINDOW};
	agent->keeper = fork();
	if (agent->keeper == 0)
		become_keeper(agent, input[0], out[1], err[1], ends[1]);
	close(ends[1]);
	close(input[0]);
	close(out[1]);
	close(err[1]);
	if (agent->keeper < 0) {
		fault(agent, "start a process");
		agent->keeper = 0;
	}
}

static void take_job(struct agent *agent, struct wire_frame *frame)
{
	char why[600];

	if (!launch_order_take(frame, &agent->order))
		frame->bad = true;
	else if (!launch_order_prepare(&agent->order, why, sizeof why))
		wire_say(&agent->hub.queue, WIRE_FAULT, why);
	else
		wire_ints(&agent->hub.queue, WIRE_READY, 0, NULL);
}

static void take_verdict(struct agent *agent, struct wire_frame *frame)
{
	agent->verdict = wire_read_int(frame);
	snprintf(agent->sentence, sizeof agent->sentence, "%s", wire_read_text(frame));
	frame->bad |= !agent->node || agent->verdict < 0 || agent->verdict > 255;
}

static void take_place(struct agent *agent, struct wire_frame *frame)
{
	struct launch_job *job = &agent->order.job;

	shut(&agent->root.listener);
	if (!agent->order.job.argv || agent->keeper || !launch_order_placed(frame, &agent->order))
		frame->bad = true;
	else if (agent->node)
		launch_proof(&agent->node->secret, job->id, "", "", job->secret);
	if (!frame->bad && agent->node)
		start_node(agent);
	else if (!frame->bad)
		start(agent);
}

static void take_stream(struct agent *agent, struct wire_frame *frame)
{
	int stream = wire_read_int(frame);

	if (stream != 1 && stream != 2)
		frame->bad = true;
	else if (frame->kind == WIRE_CLOSED)
		shut(&agent->streams[stream - 1].fd);
	else
		agent->streams[stream - 1].window += wire_read_int(frame);
}

static void pass_signal(const struct agent *agent, int signal)
{
	if (agent->control >= 0)
		send(agent->control, &signal, sizeof signal, MSG_NOSIGNAL);
}

static void take(struct agent *agent, struct wire_frame *frame)
{
	switch (frame->kind) {
	case WIRE_JOB:
		take_job(agent, frame);
		return;
	case WIRE_FIND:
		launch_root_find(&agent->root, frame, &agent->hub.queue);
		return;
	case WIRE_PROBE:
		launch_root_probe(frame, &agent->hub.queue);
		return;
	case WIRE_WELCOME:
		agent->order.silence = 1e-3 * wire_read_int(frame);
		return;
	case WIRE_VERDICT:
		take_verdict(agent, frame);
		return;
	case WIRE_PLACE:
		take_place(agent, frame);
		return;
	case WIRE_SIGNAL:
		pass_signal(agent, wire_read_int(frame));
		return;
	case WIRE_INPUT:
		wire_append(&agent->pending, frame->at, frame->size);
		return;
	case WIRE_END:
		agent->input_ends = true;
		return;
	case WIRE_PULSE:
		if (!agent->hub.queue.used)
			wire_ints(&agent->hub.queue, WIRE_PULSE, 0, NULL);
		return;
	case WIRE_TAKEN:
	case WIRE_CLOSED:
		take_stream(agent, frame);
		return;
	default:
		frame->bad = true;
	}
}

static void take_all(struct agent *agent)
{
	struct wire_frame frame = {0};

	while (!frame.bad && wire_next(&agent->hub, &frame))
		take(agent, &frame);
	agent->hub_lives &= !frame.bad && !agent->hub.broken;
}

static void hear_hub(struct agent *agent)
{
	bool lives = wire_receive(&agent->hub);

	agent->heard = launch_now();
	take_all(agent);
	agent->hub_lives &= lives || agent->verdict >= 0;
}

static void feed_rank0(struct agent *agent)
{
	ssize_t done = 0;

	if (agent->pending.used && agent->input >= 0) {
		done = wire_write_some(agent->input, agent->pending.data, agent->pending.used);
		if (done < 0 && errno != EAGAIN && errno != EINTR)
			shut(&agent->input);
	}
	if (done > 0) {
		wire_drop(&agent->pending, (size_t)done);
		wire_ints(&agent->hub.queue, WIRE_READ, 1, (int[]){(int)done});
	}
	if (agent->input_ends && !agent->pending.used)
		shut(&agent->input);
}

static void pass_output(struct agent *agent, int i)
{
	static char chunk[WIRE_CHUNK];
	ssize_t got = read(agent->streams[i].fd, chunk, sizeof chunk);

	if (got <= 0) {
		if (got == 0 || (errno != EINTR && errno != EAGAIN))
			shut(&agent->streams[i].fd);
		return;
	}
	size_t begin = wire_begin(&agent->hub.queue, WIRE_OUTPUT);

	wire_int(&agent->hub.queue, i + 1);
	wire_append(&agent->hub.queue, chunk, (size_t)got);
	wire_finish(&agent->hub.queue, begin);
	agent->streams[i].window -= (int)got;
}

/* The keeper's packets are frames. */
static void hear_keeper(struct agent *agent)
{
	char packet[LAUNCH_SENTENCE + 64];

	while (agent->control >= 0) {
		ssize_t got = recv(agent->control, packet, sizeof packet, MSG_DONTWAIT);

		if (got > 0)
			wire_append(&agent->hub.queue, packet, (size_t)got);
		else if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		else
			shut(&agent->control);
	}
}

/*
 * Somebody here wants us to end, or to do whatever: so shall the ranks, and the hub sees it.  What
 * a user of a node wants is for the hub to decide.
 */
static void hear_signals(struct agent *agent)
{
	struct signalfd_siginfo info;

	while (read(agent->order.job.signals, &info, sizeof info) == sizeof info) {
		int signal = (int)info.ssi_signo;

		if (signal == SIGCHLD)
			continue;
		agent->order.job.interrupted |= signal == SIGINT;
		if (agent->node)
			wire_ints(&agent->hub.queue, WIRE_ASKED, 1, &signal);
		else if (agent->keeper)
			pass_signal(agent, signal);
		else
			agent->hub_lives = false;
	}
}

/* Sees whether the keeper has ended. */
static void look_at_keeper(struct agent *agent)
{
	char why[128];
	int status;

	if (!agent->keeper || waitpid(agent->keeper, &status, WNOHANG) <= 0)
		return;
	hear_keeper(agent);
	shut(&agent->control);
	if (WIFSIGNALED(status)) {
		launch_children_end(0);
		snprintf(why, sizeof why,
			 "signal %d killed the keeper of the ranks (pid %d), and so them too",
			 WTERMSIG(status), (int)agent->keeper);
		wire_say(&agent->hub.queue, WIRE_FAULT, why);
	}
	agent->output_lost = status != 0;
	agent->keeper = -1;
	shut(&agent->input);
}

static void step(struct agent *agent)
{
	struct pollfd polls[] = {
		{.fd = agent->order.job.signals, .events = POLLIN},
		{.fd = agent->hub.in, .events = POLLIN},
		{.fd = agent->hub.queue.used ? agent->hub.out : -1, .events = POLLOUT},
		{.fd = agent->control, .events = POLLIN},
		{.fd = agent->root.listener, .events = POLLIN},
		{.fd = agent->pending.used ? agent->input : -1, .events = POLLOUT},
		{.fd = agent->streams[0].fd, .events = POLLIN},
		{.fd = agent->streams[1].fd, .events = POLLIN},
	};

	for (int i = 0; i < 2; i++)
		if (agent->streams[i].window < WIRE_CHUNK)
			polls[6 + i].fd = -1;
	double silence = agent->order.silence, end = agent->heard + silence;

	poll(polls, sizeof polls / sizeof *polls,
	     silence > 0 ? (int)fmin(fmax(1e3 * (end - launch_now()), 0) + 1, INT_MAX) : -1);
	hear_signals(agent);
	if (polls[1].revents)
		hear_hub(agent);
	if (polls[3].revents)
		hear_keeper(agent);
	if (polls[4].revents && agent->root.listener >= 0)
		launch_root_greet(&agent->root);
	for (int i = 0; i < 2; i++)
		if (polls[6 + i].revents && agent->streams[i].fd >= 0)
			pass_output(agent, i);
	feed_rank0(agent);
	agent->hub_lives &= silence <= 0 || launch_now() < agent->heard + silence;
	look_at_keeper(agent);
	agent->hub_lives &= wire_flush(&agent->hub);
}

/* All that was to be told is on its way: the end, and the output before it. */
static void finish(struct agent *agent)
{
	wire_ints(&agent->hub.queue, WIRE_DONE, 1, (int[]){agent->output_lost});
	while (agent->hub_lives && (agent->hub.queue.used || (agent->node && agent->verdict < 0)))
		step(agent);
}

void agent_serve(struct agent *agent)
{
	agent->heard = launch_now();
	take_all(agent); /* what has come together with what was waited for */
	while (agent->hub_lives && agent->verdict < 0 &&
	       (agent->keeper >= 0 || agent->streams[0].fd >= 0 || agent->streams[1].fd >= 0))
		step(agent);
	if (agent->hub_lives && agent->verdict < 0)
		finish(agent);
	shut(&agent->control); /* by which the keeper knows that it shall kill the ranks */
	if (agent->keeper > 0)
		waitpid(agent->keeper, NULL, 0);
	launch_children_end(0);
}

static int front(struct launch_job *job)
{
	struct agent *agent = (struct agent *)(void *)job;

	wire_append(&agent->hub.queue, wire_greeting, strlen(wire_greeting));
	wire_say(&agent->hub.queue, WIRE_HELLO, totum_version());
	agent_serve(agent);
	return 0;
}

int launch_agent(const char *name)
{
	static struct agent agent;

	agent = agent_unborn;
	agent.hub.in = STDIN_FILENO;
	agent.hub.out = STDOUT_FILENO;
	agent.order.options.name = name;
	agent.order.job.options = &agent.order.options;
	return launch_front(&agent.order.job, front);
}
