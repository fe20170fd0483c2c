/* SPDX-License-Identifier: BSD-3-Clause */
/* run_hosts - reads the options of totum run that are about several hosts. */
#include "run_hosts.h"
#include "launch.h"
#include "options.h"

#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KEY_HOSTFILE = 0x200, KEY_MAP, KEY_SSH, KEY_REMOTE, KEY_ROOT, KEY_START, KEY_SILENCE };

static const double least_silence = 0.1;

static const struct argp_option options[] = {
	{"hosts", 'H', "HOST[:SLOTS],...", 0, "Run on these hosts, reached by ssh", 0},
	{"host", 'H', NULL, OPTION_ALIAS, NULL, 0},
	{"hostfile", KEY_HOSTFILE, "FILE", 0,
	 "Run on the hosts of a file, a line each: HOST slots=N or HOST:N", 0},
	{"map-by", KEY_MAP, "WHAT", 0,
	 "slot: fill one host after the other (default); node: a rank for each host in turn", 0},
	{"ssh", KEY_SSH, "COMMAND", 0,
	 "Reach hosts by this, called with a host and a command (default TOTUM_SSH, or ssh)", 0},
	{"remote-totum", KEY_REMOTE, "PATH", 0,
	 "The totum of the other hosts (default: where this one lies)", 0},
	{"root", KEY_ROOT, "ADDRESS[:PORT]", 0, "Where rank 0 can be reached (default: found out)",
	 0},
	{"start-timeout", KEY_START, "TIME", 0,
	 "Give up when a host has not come after this time (default 60s)", 0},
	{"host-timeout", KEY_SILENCE, "TIME", 0,
	 "Hosts that do not hear of each other for this time are lost (default 30s)", 0},
	{0},
};

void run_hosts_set_root(struct run_hosts *run, const char *arg, struct argp_state *state)
{
	char *name = run->address, *colon;
	long port = 0;

	if (strlen(arg) >= sizeof run->address)
		argp_error(state, "--root: '%.60s...' is no address", arg);
	strcpy(name, arg);
	colon = strrchr(name, ':');
	if (*name == '[') {
		name++;
		char *close = strchr(name, ']');

		if (!close || (close[1] && close[1] != ':'))
			argp_error(state, "--root: give an address like [fd00::1]:4711");
		colon = close[1] ? close + 1 : NULL;
		*close = '\0';
	} else if (colon && strchr(name, ':') != colon) {
		colon = NULL;
	}
	if (colon) {
		*colon = '\0';
		if (!option_int(colon + 1, 1, 65535, &port))
			argp_error(state, "--root: port %s", option_error());
	}
	if (!*name)
		argp_error(state, "--root: '%.60s' is no address", arg);
	run->root = arg;
	run->nodes.host = run->hosts.root = name;
	run->nodes.port = run->hosts.port = (int)port;
}

/* The numeric form of a name or address, which is what the ranks are given. */
static void resolve(const char *name, struct argp_state *state, const char **out)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	char text[NI_MAXHOST];
	int error = getaddrinfo(name, NULL, &hints, &found);

	if (!error)
		error = getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, NULL, 0,
				    NI_NUMERICHOST);
	if (error)
		argp_error(state, "--root: '%.60s' is no address: %s", name, gai_strerror(error));
	freeaddrinfo(found);
	*out = strdup(text);
}

static void set_map(struct launch_hosts *hosts, const char *arg, struct argp_state *state)
{
	static const char *const names[] = {"slot", "node", NULL};
	int choice = 0;

	if (!option_choice(arg, names, &choice))
		argp_error(state, "--map-by: %s", option_error());
	hosts->by_node = choice == 1;
}

static void add_hosts(struct run_hosts *run, int key, const char *arg, struct argp_state *state)
{
	char error[512];

	if (key == 'H') {
		run->lists = "--hosts";
		if (!launch_hosts_add(&run->hosts, arg, error, sizeof error))
			argp_error(state, "--hosts: %s", error);
	} else {
		run->file = "--hostfile";
		if (!launch_hosts_read(&run->hosts, arg, error, sizeof error))
			argp_error(state, "--hostfile: %s", error);
	}
	if (run->lists && run->file)
		argp_error(state, "--hosts and --hostfile: give one of them");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_hosts *run = state->input;

	switch (key) {
	case 'H':
	case KEY_HOSTFILE:
		add_hosts(run, key, arg, state);
		return 0;
	case KEY_MAP:
		run->other = run->ssh_only = "--map-by";
		set_map(&run->hosts, arg, state);
		return 0;
	case KEY_SSH:
		run->other = run->ssh_only = "--ssh";
		run->hosts.ssh = arg;
		return 0;
	case KEY_REMOTE:
		run->other = run->ssh_only = "--remote-totum";
		run->hosts.command = arg;
		return 0;
	case KEY_ROOT:
		run->other = "--root";
		run_hosts_set_root(run, arg, state);
		return 0;
	case KEY_START:
		run->other = "--start-timeout";
		if (!option_seconds(arg, &run->hosts.patience))
			argp_error(state, "--start-timeout: %s", option_error());
		return 0;
	case KEY_SILENCE:
		run->other = "--host-timeout";
		if (!option_seconds(arg, &run->hosts.silence))
			argp_error(state, "--host-timeout: %s", option_error());
		if (run->hosts.silence < least_silence)
			argp_error(state, "--host-timeout: give 100ms or more");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp run_hosts_argp = {.options = options, .parser = parse};

static const char *own_path(struct argp_state *state)
{
	static char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

	if (length <= 0)
		argp_error(state, "this totum does not find itself; say where it is by "
				  "--remote-totum");
	path[length > 0 ? length : 0] = '\0';
	return path;
}

/* On hosts that are reached by ssh. */
static void check_hosts(struct run_hosts *run, int *nranks, struct argp_state *state)
{
	struct launch_hosts *hosts = &run->hosts;
	const char *ssh = getenv("TOTUM_SSH");
	char error[512];

	if (!hosts->ssh && ssh && *ssh)
		hosts->ssh = ssh;
	if (hosts->ssh && !hosts->ssh[strspn(hosts->ssh, " \t")])
		argp_error(state, "--ssh: which command? Give it like --ssh 'ssh -p 2222'");
	if (hosts->root)
		resolve(hosts->root, state, &hosts->root);
	if (hosts->patience <= 0)
		hosts->patience = 60;
	if (!launch_hosts_place(hosts, nranks, error, sizeof error))
		argp_error(state, "%s", error);
}

void run_hosts_check(struct run_hosts *run, int *nranks, struct argp_state *state)
{
	if (run->nnodes && run->hosts.n)
		argp_error(state,
			   "%s and --nnodes: give one of them; with --nnodes each host has "
			   "its own totum run",
			   run->lists ? run->lists : run->file);
	if (run->nnodes)
		run_nodes_check(run, *nranks, state);
	else if (run->node_only)
		argp_error(state,
			   "%s is for totum run on each of several hosts; give their number "
			   "by --nnodes",
			   run->node_only);
	else if (run->hosts.n)
		check_hosts(run, nranks, state);
	else if (run->other)
		argp_error(state, "%s is for several hosts; give them by --hosts", run->other);
	if (run->hosts.silence <= 0)
		run->hosts.silence = 30;
	if (!run->hosts.command)
		run->hosts.command = own_path(state);
}
