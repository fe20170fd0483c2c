/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tune.h - what the parts of `totum tune` know in common.
 *
 *	commands/tune.c  the command line; starts the ranks, or is one; shows and merges files
 *	tune_rank.c      one rank's job, and the file at its end
 *	tune_places.c    who is on which host, and who measures with whom
 *	tune_messages.c  messages of a ring of ranks, and of a pair one way and both at once
 *	tune_crowd.c     messages of one rank to several, and of all ranks at once
 *	tune_rates.c     adding and copying
 *	tune_trial.c     a collective by several algorithms, in turns
 *	tune_decide.c    decisions where prices choose another one than the fastest
 *	tune_check.c     what a tuning file predicts beside what is measured
 *
 * Everything is measured with the public interface, so that it is what a program gets.  Every
 * measurement is collective over all ranks: those who have no part in it wait for its end.
 */
#ifndef TUNE_H
#define TUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "launch.h"
#include "totum_tuning.h"

enum { TUNE_CLASSES = 2, TUNE_PEERS = 4 }; /* inside a host, between hosts */
enum { TUNE_LARGEST = 16 << 20 };          /* bytes of a message, and of a call */
enum { TUNE_COLLECTIVES = 4, TUNE_ALGORITHMS = 8 };

struct tune_options {
	int nranks; /* 0: as many as launched */
	enum launch_bind bind;
	const char *file;    /* to write, "-": stdout; NULL: none */
	const char *command; /* the line that was typed */
	/* of what is decided, or checked: collectives, sizes, algorithms that are tried at any
	 * price */
	bool check;
	int ncollectives, nalgorithms;
	const char *collectives[TUNE_COLLECTIVES], *algorithms[TUNE_ALGORITHMS];
	uint64_t first, last;
};

/* Who measures a class of links. */
struct tune_team {
	int nranks;               /* on the host with the most ranks, or on the host of `from` */
	int from, to;             /* the pair; -1: there are no such links */
	int nring, *ring;         /* of ranks that send round it: the pair, or one of each host */
	int npeers;               /* of `from`, to whom it sends at once */
	int peers[TUNE_PEERS];    /* the first is `to` */
	int npairs;               /* that are busy when all ranks of the host are */
	int *senders, *receivers; /* [npairs]: inside a ring; between they also send back */
};

/* A rank at work. */
struct tune_job {
	const struct tune_options *options;
	totum_comm *comm, *host; /* all ranks; those of this host */
	totum_comm *checked;     /* all ranks, of a check: whose algorithm is forced */
	int rank, nranks, nhosts;
	int *hosts; /* [nranks]: on which each is */
	struct tune_team teams[TUNE_CLASSES];
	unsigned char *send, *recv; /* TUNE_LARGEST bytes each */
};

/* What came out for a class, the same on all ranks. */
struct tune_link {
	size_t n;
	double *bytes, *seconds; /* [n], owned: of messages that go both ways at once */
	double exchange, together;
	int64_t ports;
	/* bytes of a message that shows the rate, and its time one way */
	size_t large;
	double steady; /* both ways at once, round the ring */
	double one_way;
};

/* The whole life of a rank.  Returns its exit code. */
int tune_rank(const struct tune_options *options);

/* Fills hosts, nhosts and teams of a job whose ranks are known. */
totum_status tune_places(struct tune_job *job);
void tune_places_free(struct tune_job *job);

/* Fill the samples and large; exchange and one_way; ports; together. */
totum_status tune_sizes(struct tune_job *job, const struct tune_team *team, struct tune_link *out);
totum_status tune_exchange(struct tune_job *job, const struct tune_team *team,
			   struct tune_link *out);
totum_status tune_ports(struct tune_job *job, const struct tune_team *team, struct tune_link *out);
totum_status tune_together(struct tune_job *job, const struct tune_team *team, bool between,
			   struct tune_link *out);
totum_status tune_rates(struct tune_job *job, totum_rates *out);

/* Measures the collectives of the options by several algorithms; rank 0's tuning gets decisions. */
totum_status tune_decide(struct tune_job *job, totum_tuning *tuning);
/* Prints them beside what is predicted. */
totum_status tune_check(struct tune_job *job, const totum_tuning *tuning);

/*
 * How many things of so many bytes, that take `each` seconds, to do in one row: as many as take
 * `seconds`, and where it can be done in four times that, as many as a link lets through at once.
 */
long tune_enough(double seconds, double each, uint64_t bytes);
double tune_now(void);
/* The greatest over all ranks of each of n numbers, which replaces them. */
totum_status tune_greatest(double *numbers, size_t n, totum_comm *comm);

#endif
