/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gloo - the driver as a shared library whose library is a few Python functions: PyTorch's Gloo
 * backend.
 *
 * Gloo is called as its users call it, through torch.distributed (gloo.py); loop, clock, contents
 * and checks are the driver's as for all others.  The way from C into a Python function takes about
 * a microsecond a call.
 */
#include "library.h"

#include <stdio.h>

struct functions {
	/* each returns 0, or another value when Python has raised */
	int (*prepare)(int what, size_t count, void *send, void *recv);
	int (*call)(void);
};

static struct job given;
static struct functions python;

/* The only function that gloo.py calls.  Returns the exit code. */
int gloo_run(int rank, int nranks, const char *version, struct functions functions);

int gloo_run(int rank, int nranks, const char *version, struct functions functions)
{
	given = (struct job){.rank = rank, .nranks = nranks};
	snprintf(given.version, sizeof given.version, "%s", version);
	python = functions;
	return driver_run();
}

void library_start(struct job *job)
{
	*job = given;
}

bool library_memory(struct call *call, size_t send_bytes, size_t recv_bytes)
{
	(void)call, (void)send_bytes, (void)recv_bytes;
	return false;
}

void library_prepare(const struct call *call)
{
	if (python.prepare((int)call->what, call->count, call->send, call->recv) != 0)
		driver_fail("Gloo cannot prepare a call of count %zu (see the job's output)",
			    call->count);
}

void library_call(const struct call *call)
{
	if (python.call() != 0)
		driver_fail("Gloo has failed in a call of count %zu (see the job's output)",
			    call->count);
}

void library_end(void)
{
}
