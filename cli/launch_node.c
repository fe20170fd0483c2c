/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_node - a node that was started by hand or by a script: it calls node 0 until that is
 * there, proves that it knows the secret, and then serves as an agent does.
 *
 * Nodes are started in any order, so whatever looks like node 0 not being there yet is tried again
 * until the start's timeout.  What cannot get better ends at once.
 */
#include "launch_agent.h"
#include "launch_keeper.h"
#include "launch_nodes.h"

#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <totum.h>
#include <unistd.h>

static const double again = 0.2; /* seconds between two calls */
static const double reply = 5;   /* that an address, and who answers there, has for each step */

enum outcome {
	WELL,
	LATER,    /* why says what is wrong now */
	NEVER,    /* why says what is wrong */
	SIGNALLED /* and signal is the one */
};

struct call {
	struct agent *agent;
	double deadline;
	int signal;
	char why[256];
};

/* Waits for events of a descriptor (-1: none), or for the end. */
static enum outcome await(struct call *call, int fd, short events, double end)
{
	struct pollfd polls[] = {
		{.fd = call->agent->order.job.signals, .events = POLLIN},
		{.fd = fd, .events = events},
	};
	struct signalfd_siginfo info;
	double left = fmin(end, call->deadline) - launch_now();

	poll(polls, 2, (int)fmax(ceil(1e3 * left), 0));
	while (read(polls[0].fd, &info, sizeof info) == sizeof info)
		if (info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM ||
		    info.ssi_signo == SIGHUP || info.ssi_signo == SIGQUIT) {
			call->signal = (int)info.ssi_signo;
			return SIGNALLED;
		}
	if (polls[1].revents)
		return WELL;
	snprintf(call->why, sizeof call->why, "it does not answer");
	return launch_now() < fmin(end, call->deadline) && fd >= 0 ? WELL : LATER;
}

/* Waits for a frame of a kind, or a verdict. */
static enum outcome await_frame(struct call *call, enum wire_kind kind, struct wire_frame *frame)
{
	struct wire_channel *hub = &call->agent->hub;
	double end = launch_now() + reply;

	for (;;) {
		if (wire_next(hub, frame)) {
			if (frame->kind == kind)
				return WELL;
			if (frame->kind == WIRE_VERDICT) {
				wire_read_int(frame);
				snprintf(call->why, sizeof call->why, "%s", wire_read_text(frame));
				return NEVER;
			}
			hub->broken = true;
		}
		if (hub->broken || !wire_flush(hub)) {
			snprintf(call->why, sizeof call->why,
				 "what answers there is not totum run");
			return LATER;
		}
		enum outcome outcome = await(call, hub->in, POLLIN, end);

		if (outcome != WELL)
			return outcome;
		if (!wire_receive(hub)) {
			snprintf(call->why, sizeof call->why, "it hangs up");
			return LATER;
		}
	}
}

static enum outcome connect_to(struct call *call, const struct addrinfo *address)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error = fd < 0 ? errno : 0;
	socklen_t size = sizeof error;

	call->agent->hub.in = call->agent->hub.out = fd;
	if (fd >= 0 && connect(fd, address->ai_addr, address->ai_addrlen)) {
		error = errno;
		if (error == EINPROGRESS) {
			enum outcome outcome = await(call, fd, POLLOUT, launch_now() + reply);

			if (outcome != WELL)
				return outcome;
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
		}
	}
	if (!error) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
		return WELL;
	}
	snprintf(call->why, sizeof call->why, "%s", strerror(error));
	return LATER;
}

static enum outcome answer(struct call *call, struct wire_frame *frame, const char *nonce)
{
	const struct agent *agent = call->agent;
	struct wire_bytes *queue = &call->agent->hub.queue;
	char proof[LAUNCH_PROOF + 1], hubs[LAUNCH_NONCE + 1], who[32];

	snprintf(hubs, sizeof hubs, "%s", wire_read_text(frame));
	launch_proof(&agent->node->secret, "hub", nonce, hubs, proof);
	if (!launch_proof_equal(proof, wire_read_text(frame))) {
		snprintf(call->why, sizeof call->why,
			 "it does not know the secret; give all nodes the same --secret-file");
		return NEVER;
	}
	snprintf(who, sizeof who, "node %d", agent->node->rank);
	launch_proof(&agent->node->secret, who, nonce, hubs, proof);
	size_t begin = wire_begin(queue, WIRE_ANSWER);

	wire_text(queue, proof);
	wire_int(queue, agent->node->rank);
	wire_int(queue, agent->order.options.hosts->n);
	wire_int(queue, agent->order.options.nranks);
	wire_text(queue, agent->node->root);
	wire_text(queue, totum_version());
	wire_finish(queue, begin);
	enum outcome outcome = await_frame(call, WIRE_WELCOME, frame);

	if (outcome == WELL)
		call->agent->order.silence = 1e-3 * wire_read_int(frame);
	return outcome;
}

static enum outcome speak(struct call *call)
{
	struct wire_frame frame;
	char nonce[LAUNCH_NONCE + 1];

	if (!launch_random(nonce, LAUNCH_NONCE / 2)) {
		snprintf(call->why, sizeof call->why, "there are no random bytes to be had");
		return NEVER;
	}
	wire_say(&call->agent->hub.queue, WIRE_CALL, nonce);
	enum outcome outcome = await_frame(call, WIRE_CHALLENGE, &frame);

	return outcome == WELL ? answer(call, &frame, nonce) : outcome;
}

/* Tries all addresses of node 0 once. */
static enum outcome try(struct call *call)
{
	const struct launch_nodes *node = call->agent->node;
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	enum outcome outcome = LATER;
	char service[16];

	snprintf(service, sizeof service, "%d", node->port);
	int error = getaddrinfo(node->host, service, &hints, &found);

	if (error) {
		snprintf(call->why, sizeof call->why, "%s", gai_strerror(error));
		return LATER;
	}
	for (struct addrinfo *it = found; it && outcome == LATER; it = it->ai_next) {
		outcome = connect_to(call, it);
		if (outcome == WELL)
			outcome = speak(call);
		if (outcome != WELL)
			wire_close(&call->agent->hub);
	}
	freeaddrinfo(found);
	return outcome;
}

/* WELL: the hub has let us in. */
static enum outcome call_node0(struct call *call)
{
	for (;;) {
		enum outcome outcome = try(call);

		if (outcome != LATER || launch_now() >= call->deadline)
			return outcome;
		char why[sizeof call->why];

		memcpy(why, call->why, sizeof why);
		if (await(call, -1, 0, launch_now() + again) == SIGNALLED)
			return SIGNALLED;
		memcpy(call->why, why, sizeof why);
	}
}

/* What there is to say when node 0 is gone or has decided; returns the exit code. */
static int conclude(const struct agent *agent)
{
	const char *name = agent->order.options.name;

	if (agent->verdict < 0) {
		fprintf(stderr, "%s: node 0 at %s is lost; the ranks here were killed\n", name,
			agent->node->root);
		return LAUNCH_FAULT;
	}
	if (*agent->sentence)
		fprintf(stderr, "%s: %s\n", name, agent->sentence);
	return agent->verdict;
}

static int front(struct launch_job *job)
{
	struct agent *agent = (struct agent *)(void *)job;
	const struct launch_hosts *hosts = agent->order.options.hosts;
	struct call call = {.agent = agent, .deadline = launch_now() + hosts->patience};
	enum outcome outcome = call_node0(&call);

	if (outcome == WELL) {
		agent_serve(agent);
		return conclude(agent);
	}
	if (outcome == SIGNALLED) {
		job->interrupted = call.signal == SIGINT;
		return 128 + call.signal;
	}
	fprintf(stderr, "%s: node 0 at %s: %s", job->options->name, agent->node->root, call.why);
	if (outcome == LATER)
		fprintf(stderr, ", for %gs (--start-timeout)", hosts->patience);
	fprintf(stderr, "\n");
	return LAUNCH_FAULT;
}

int launch_node(const struct launch_options *options, char *const argv[])
{
	static struct agent agent;

	agent = agent_unborn;
	agent.node = options->hosts->nodes;
	snprintf(agent.order.host, sizeof agent.order.host, "node %d", agent.node->rank);
	agent.order.options = *options;
	agent.order.job.options = &agent.order.options;
	agent.order.job.argv = argv;
	agent.order.job.host = agent.order.host;
	int code = launch_front(&agent.order.job, front);

	if (agent.order.job.interrupted && code == 128 + SIGINT)
		raise(SIGINT);
	return code;
}
