/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_hub - a job on several hosts, kept from one place.
 *
 * The hub stands in the keeper's place: it has the keeper's state and decides by the same rules,
 * but its ranks are started, signalled and watched by an agent on each host, at the other end of an
 * ssh.  Hosts go CALLED, BRIEFED, PREPARED, PLACED, DONE, GONE; ranks start when all are PREPARED.
 *
 * A host that is lost ends the job.  Nothing is left there: an agent whose hub is gone, killed or
 * cut off, kills its ranks.  So the hub may die at any moment, and when a job is to be given up
 * closing the channels is enough.
 */
#include "launch_hub.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLLS = 5 + 1 + LAUNCH_CALLERS };

void hub_send(struct remote *remote, enum wire_kind kind, int n, const int values[])
{
	if (remote->channel.out >= 0)
		wire_ints(&remote->channel.queue, kind, n, values);
}

/* keeper->signal of several hosts. */
static void signal_hosts(struct keeper *keeper, int signal)
{
	struct hub *hub = (struct hub *)(void *)keeper;

	for (int i = 0; i < hub->hosts->n; i++)
		if (hub->remotes[i].stage == PLACED)
			hub_send(&hub->remotes[i], WIRE_SIGNAL, 1, &signal);
}

/* Kills ssh and what it has started for its own ends, and waits for that, but not for ever. */
static void end_ssh(pid_t pid)
{
	const struct timespec pass = {.tv_nsec = 2000000};
	double deadline = launch_now() + 1;
	bool lives = true;

	kill(pid, SIGKILL); /* which may not lead its group yet */
	while ((lives || !killpg(pid, SIGKILL)) && launch_now() < deadline) {
		lives &= waitpid(pid, NULL, WNOHANG) == 0;
		while (!lives && waitpid(-pid, NULL, WNOHANG) > 0)
			;
		nanosleep(&pass, NULL);
	}
}

/* ssh has ended, or does not in time. */
static void part(struct hub *hub, struct remote *remote)
{
	char why[700];

	if (remote->complaints >= 0)
		hub_hear_complaints(remote);
	if (remote->stage == FADING) {
		hub_tell_loss(hub, remote, why, sizeof why);
		launch_fail_host(&hub->keeper, why);
	}
	if (remote->pid)
		end_ssh(remote->pid);
	remote->pid = 0;
	if (remote->complaints >= 0)
		close(remote->complaints);
	remote->complaints = -1;
	if (remote->stage != DONE || !*remote->from) /* else it waits for the verdict */
		wire_close(&remote->channel);
	remote->stage = GONE;
}

static void reap(struct hub *hub)
{
	int status;

	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
		for (int i = 0; i < hub->hosts->n; i++)
			if (hub->remotes[i].pid == pid) {
				hub->remotes[i].pid = 0;
				hub->remotes[i].status = status;
			}
	for (int i = 0; i < hub->hosts->n; i++) {
		struct remote *remote = &hub->remotes[i];

		if ((remote->stage == FADING || remote->stage == DONE) &&
		    (!remote->pid || launch_now() >= remote->deadline))
			part(hub, remote);
	}
}

/* Before there are ranks there is nothing to wait for. */
static void give_up_calls(struct hub *hub)
{
	if (hub->placed)
		return;
	for (int i = 0; i < hub->hosts->n; i++)
		if (hub->remotes[i].stage != GONE) {
			hub->remotes[i].stage = DONE;
			part(hub, &hub->remotes[i]);
		}
}

static void pass_start_deadline(struct hub *hub)
{
	int missing = -1, n = 0;
	char more[48] = "", why[400], name[80];

	if (hub->placed || hub->keeper.stage >= ENDING || launch_now() < hub->start_deadline)
		return;
	for (int i = hub->hosts->n - 1; i >= 0; i--)
		if (hub->remotes[i].stage < PREPARED) {
			missing = i;
			n++;
		}
	if (n > 1)
		snprintf(more, sizeof more, " and %d more", n - 1);
	const struct remote *first = &hub->remotes[missing < 0 ? 0 : missing];

	hub_name(hub, first, name, sizeof name);
	snprintf(why, sizeof why, "%s%s: not ready within %gs (--start-timeout)%s%.200s", name,
		 more, hub->hosts->patience, *first->complaint ? ", saying: " : "",
		 first->complaint);
	launch_fail_host(&hub->keeper, why);
}

static bool converses(const struct remote *remote)
{
	return remote->stage >= BRIEFED && remote->stage <= PLACED;
}

/* Lets hosts know that we are here, and gives up those that do not. */
static void pulse(struct hub *hub)
{
	char why[96];

	if (launch_now() < hub->next_pulse)
		return;
	hub->next_pulse = launch_now() + hub->hosts->silence / 4;
	for (int i = 0; i < hub->hosts->n; i++) {
		struct remote *remote = &hub->remotes[i];

		if (!converses(remote))
			continue;
		if (!remote->channel.queue.used)
			hub_send(remote, WIRE_PULSE, 0, NULL);
		if (launch_now() < remote->heard + hub->hosts->silence)
			continue;
		snprintf(why, sizeof why, "it has not been heard of for %gs (--host-timeout)",
			 hub->hosts->silence);
		hub_fail_host(hub, remote, why);
	}
}

/* Milliseconds until some deadline. */
static int time_left(const struct hub *hub)
{
	double deadline = fmin(hub->placed ? INFINITY : hub->start_deadline, hub->next_pulse);
	int left = launch_time_left(&hub->keeper);

	for (int i = 0; i < hub->hosts->n; i++)
		if (hub->remotes[i].stage == FADING || hub->remotes[i].stage == DONE)
			deadline = fmin(deadline, hub->remotes[i].deadline);
	return (int)fmin(left, fmax(ceil(1e3 * (deadline - launch_now())), 0));
}

/* polls has room for POLLS and 3 for each host. */
static void wait_for_events(const struct hub *hub, struct pollfd *polls)
{
	const struct keeper *keeper = &hub->keeper;
	struct pollfd *at = polls;

	*at++ = (struct pollfd){.fd = keeper->job->signals, .events = POLLIN};
	*at++ = (struct pollfd){.fd = keeper->front_lives ? keeper->job->control : -1,
				.events = POLLIN};
	*at++ = (struct pollfd){.fd = hub_wants_input(hub) ? STDIN_FILENO : -1, .events = POLLIN};
	for (int i = 0; i < 2; i++)
		*at++ = (struct pollfd){.fd = hub_has_output(hub, i) ? hub->outs[i] : -1,
					.events = POLLOUT};
	launch_door_poll(&hub->door, at);
	at += 1 + LAUNCH_CALLERS;
	for (int i = 0; i < hub->hosts->n; i++) {
		const struct remote *remote = &hub->remotes[i];

		*at++ = (struct pollfd){.fd = remote->channel.in, .events = POLLIN};
		*at++ = (struct pollfd){.fd = remote->channel.queue.used ? remote->channel.out : -1,
					.events = POLLOUT};
		*at++ = (struct pollfd){.fd = remote->complaints, .events = POLLIN};
	}
	poll(polls, (nfds_t)(at - polls), time_left(hub));
}

static void step(struct hub *hub, struct pollfd *polls)
{
	int worst = -1;

	wait_for_events(hub, polls);
	launch_hear_signals(&hub->keeper);
	launch_hear_front(&hub->keeper);
	if (polls[2].revents)
		hub_pass_input(hub);
	for (int i = 0; i < hub->hosts->n; i++) {
		struct remote *remote = &hub->remotes[i];

		if (polls[POLLS + 3 * i + 2].revents)
			hub_hear_complaints(remote);
		if (polls[POLLS + 3 * i].revents && remote->channel.in >= 0)
			worst = hub_hear(hub, i, worst);
	}
	if (worst >= 0)
		launch_fail_rank(&hub->keeper, worst);
	launch_door_step(&hub->door, polls + 5, hub, hub_take_guest, hub_say_stranger);
	pulse(hub);
	hub_write_output(hub);
	for (int i = 0; i < hub->hosts->n; i++)
		wire_flush(&hub->remotes[i].channel); /* that it is gone is heard, not felt */
	reap(hub);
	pass_start_deadline(hub);
	launch_pass_deadlines(&hub->keeper);
	if (hub->keeper.stage >= ENDING)
		give_up_calls(hub);
}

static bool finished(const struct hub *hub)
{
	bool reader = hub->keeper.front_lives;

	if (hub->keeper.stage == GIVEN_UP)
		return true;
	for (int i = 0; i < hub->hosts->n; i++)
		if (hub->remotes[i].stage != GONE)
			return false;
	return !reader || (!hub_has_output(hub, 0) && !hub_has_output(hub, 1));
}

static void call_all(struct hub *hub)
{
	char why[160];

	for (int i = 0; i < hub->hosts->n; i++) {
		hub->remotes[i] = (struct remote){
			.name = hub->hosts->list[i].name,
			.channel = {.in = -1, .out = -1},
			.complaints = -1,
		};
	}
	int n = hub->hosts->nodes ? 1 : hub->hosts->n; /* the other nodes call us */

	for (int i = 0; i < n && hub->keeper.stage < ENDING; i++)
		if (!hub_call(hub, i)) {
			snprintf(why, sizeof why, "cannot start ssh: %s", strerror(errno));
			hub_fail_host(hub, &hub->remotes[i], why);
		}
}

/* The system did not let go of something: says where, and leaves it. */
static void give_up(struct hub *hub)
{
	bool waits = hub_has_output(hub, 0) || hub_has_output(hub, 1);

	for (int i = 0; i < hub->hosts->n; i++)
		if (hub->remotes[i].stage != GONE) {
			launch_say(&hub->keeper,
				   "host %.64s does not confirm the end of its ranks; "
				   "look for what is left there",
				   hub->remotes[i].name);
			part(hub, &hub->remotes[i]);
		}
	if (!waits || !hub->keeper.front_lives)
		return;
	launch_say(&hub->keeper, "the rest of the output is lost: its reader does not take it");
	hub->keeper.ending.output_lost = true;
}

void launch_hub(struct launch_job *job)
{
	struct launch_hosts *hosts = job->options->hosts;
	size_t n = (size_t)hosts->n;
	struct pollfd *polls = calloc(POLLS + 3 * n, sizeof *polls);
	struct hub hub = {
		.keeper =
			{
				.job = job,
				.nranks = hosts->nodes ? 0 : job->size,
				.ranks = calloc((size_t)job->size, sizeof *hub.keeper.ranks),
				.signal = signal_hosts,
				.failures = -1,
				.front_lives = true,
				.job_deadline = job->options->timeout > 0
							? launch_now() + job->options->timeout
							: INFINITY,
				.stage_deadline = INFINITY,
			},
		.job = job,
		.hosts = hosts,
		.remotes = calloc(n, sizeof *hub.remotes),
		.start_deadline = launch_now() + hosts->patience,
		.next_pulse = launch_now(),
		.window = WIRE_WINDOW,
		.door = {.held = -1, .listener = -1},
		.holder = {-1, -1},
	};

	setsid();
	prctl(PR_SET_NAME, "rank-hub");
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* for what ssh has started */
	launch_raise_file_limit(job);
	if (!polls || !hub.keeper.ranks || !hub.remotes) {
		launch_say(&hub.keeper, "no memory for the table of %d ranks", job->size);
		_exit(LAUNCH_FAULT);
	}
	job->said = hub.said;
	hub_open_streams(&hub);
	if (hosts->nodes)
		hub_open_door(&hub);
	call_all(&hub);
	while (!finished(&hub))
		step(&hub, polls);
	give_up(&hub);
	hub.said[0] = '\0';
	int code = launch_verdict(&hub.keeper);

	if (hosts->nodes)
		hub_tell_verdict(&hub, code);
	_exit(code);
}
