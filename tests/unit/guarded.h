/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guarded.h - a few pages of memory between two that cannot be touched, for tests of code that must
 * stay in bounds.
 *
 * A step outside ends the program by SIGSEGV; the handler first prints the parameters of the
 * running case, which the test keeps in guarded_case (plain numbers, so that keeping them costs
 * nothing).
 */
#ifndef GUARDED_H
#define GUARDED_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARDED_NUMBERS = 8 };

static struct {
	const char *format; /* of up to GUARDED_NUMBERS longs */
	long numbers[GUARDED_NUMBERS];
} guarded_case;

static inline const char *guarded_say(void)
{
	static char text[256];
	const long *x = guarded_case.numbers;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof text, guarded_case.format, x[0], x[1], x[2], x[3], x[4], x[5], x[6],
		 x[7]);
#pragma GCC diagnostic pop
	return text;
}

static inline void guarded_fault(int number)
{
	(void)number;
	fprintf(stderr, "touched a byte outside its buffer: %s\n", guarded_say());
	_exit(1);
}

struct guarded {
	unsigned char *start, *end;
};

static inline struct guarded guarded_new(size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *all =
		mmap(NULL, (pages + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED || mprotect(all + page, pages * page, PROT_READ | PROT_WRITE)) {
		perror("guarded pages");
		exit(1);
	}
	signal(SIGSEGV, guarded_fault);
	return (struct guarded){all + page, all + page + pages * page};
}

static inline void guarded_free(struct guarded area)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap(area.start - page, (size_t)(area.end - area.start) + 2 * page);
}

#endif
