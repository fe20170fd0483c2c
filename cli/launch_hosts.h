/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_hosts.h - the hosts of a job and which ranks run there; pure data, nothing is started. */
#ifndef LAUNCH_HOSTS_H
#define LAUNCH_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

enum { LAUNCH_MAX_HOSTS = 1024 };

struct launch_host {
	char *name; /* as ssh takes it */
	int slots;  /* 0: nobody has said */
	int nranks; /* placed here */
};

struct launch_nodes;

struct launch_hosts {
	const struct launch_nodes *nodes; /* NULL: reached by ssh; else they come by themselves */
	struct launch_host *list;
	int n;
	int *host_of;          /* by rank, once placed */
	bool by_node;          /* a rank for each host in turn, not host by host */
	const char *ssh;       /* a shell's words, HOST and COMMAND follow; NULL: the usual ones */
	const char *command;   /* totum on the other hosts */
	const char *directory; /* where the ranks start */
	const char *root;      /* the address of rank 0's host; NULL: found out */
	int port;              /* there; 0: any that is free */
	double patience;       /* seconds until all hosts must have come */
	double silence;        /* seconds after which one that says nothing is lost */
};

/*
 * Adds hosts from "a,b:2,user@c,[fe80::1]:4", or from a file with a host a line, "a", "a:2" or
 * "a slots=2"; what follows a # is left out.  A host that comes again gets those slots too.  False
 * with a sentence.
 */
bool launch_hosts_add(struct launch_hosts *hosts, const char *list, char *error, size_t size);
bool launch_hosts_read(struct launch_hosts *hosts, const char *path, char *error, size_t size);

/*
 * Places ranks.  Hosts without a number of slots have one, but when no host has any they share the
 * ranks evenly; *nranks 0 is one rank for each slot.  Hosts that get no rank are removed.  False
 * with a sentence.
 */
bool launch_hosts_place(struct launch_hosts *hosts, int *nranks, char *error, size_t size);

/* The name of the host of a rank. */
const char *launch_host_of(const struct launch_hosts *hosts, int rank);

/* What adding and placing took; the texts that were given stay the caller's. */
void launch_hosts_free(struct launch_hosts *hosts);

#endif
