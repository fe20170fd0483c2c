/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * share_preloaded.h - what tests of the preloaded allocator share: the program starts itself again
 * with the library; bytes that can be recognised; children that fail by their exit code.
 */
#ifndef SHARE_PRELOADED_H
#define SHARE_PRELOADED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "totum_share.h"

enum { FROM = 64 << 10, MEGA = 1 << 20 };

static totum_share_function *ask;
/* The compiler, which knows malloc, cannot know these. */
static void *(*volatile any_malloc)(size_t) = malloc;
static void (*volatile any_free)(void *) = free; /* stores before it are not in vain */

static inline struct totum_share facts(void)
{
	struct totum_share share = {.size = sizeof share};

	assert_int_equal(ask(&share), 0);
	return share;
}

static inline uint64_t next(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static inline unsigned char byte_of(uint64_t salt, size_t i)
{
	return (unsigned char)((salt * 31 + i) * 2654435761u >> 13);
}

static inline void fill(unsigned char *memory, size_t bytes, uint64_t salt)
{
	for (size_t i = 0; i < bytes; i++)
		memory[i] = byte_of(salt, i);
}

static inline bool holds(const unsigned char *memory, size_t bytes, uint64_t salt)
{
	for (size_t i = 0; i < bytes; i++)
		if (memory[i] != byte_of(salt, i))
			return false;
	return true;
}

static inline bool is_zero(const unsigned char *memory, size_t bytes)
{
	return !bytes || (!memory[0] && !memcmp(memory, memory + 1, bytes - 1));
}

/* The exit code of a child that runs this, 128 + the signal. */
static inline int in_child(void (*body)(void *context), void *context)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(60); /* a child that is stuck is a failure */
		body(context);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void require(bool right, int code)
{
	if (!right)
		_exit(code);
}

static inline void start_again(char **argv)
{
	const char *build = getenv("BUILD");
	char path[4096];

	snprintf(path, sizeof path, "%s/libtotum_share.so", build ? build : ".");
	if (getenv("LD_PRELOAD") || access(path, R_OK)) {
		printf("skipped: cannot preload %s; BUILD names its folder\n", path);
		exit(77);
	}
	unsetenv("TOTUM_SHARE_FROM");
	setenv("LD_PRELOAD", path, 1);
	execv("/proc/self/exe", argv);
	exit(1);
}

/* Sets `ask`, at the second start; false: there is nothing to test, and the last line says why. */
static inline bool preloaded(char **argv)
{
	void *symbol = dlsym(RTLD_DEFAULT, TOTUM_SHARE_FUNCTION);

	if (getenv("SANITIZE") && getenv("SANITIZE")[0]) {
		puts("skipped: a sanitizer has an allocator of its own");
		return false;
	}
	if (!symbol)
		start_again(argv);
	memcpy(&ask, &symbol, sizeof ask);
	return true;
}

#endif
